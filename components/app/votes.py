"""Rooms in which a class votes from its phones, anonymously. A room is in the server's memory only, and ends with the server."""

import hmac
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

#: Letters of a room's code, without vowels, so that no code is a word. If there are two replicas, the room is at the first one
#: if its code begins with a letter of the first half (deploy/nginx.conf.template).
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
#: Patterns of a room's code, and of the random number by which a phone's browser tab identifies itself (its "voice").
CODE, VOICE = re.compile(f"[{LETTERS}]{{6}}"), re.compile("[0-9]{1,16}")
#: Limits: rooms of a server, phones and questions of a room. Seconds without its lecturer, and without a sign of a phone.
MAX_ROOMS, MAX_VOICES, MAX_POLLS, MAX_IDLE, AWAY = 200, 300, 8, 7200.0, 30.0
#: The environment variable with the secret that signs lecturers' links. `make class` prints such a link before the server starts.
VARIABLE = "HEADCOUNT_SECRET"
SECRET = os.environ.get(VARIABLE) or secrets.token_hex(16)


def new_code(seat: str = "") -> str:
    """A random code for a room. `seat`: the server's replica that has the room, "1" or "2"; "" if the server has no replicas."""
    half = {"1": LETTERS[:10], "2": LETTERS[10:]}.get(seat, LETTERS)
    return secrets.choice(half) + "".join(secrets.choice(LETTERS) for _ in range(5))


def signature(code: str) -> str:
    """The signature of a room's code. A link with the signature is for the lecturer, and a link without it for the phones."""
    return hmac.new(SECRET.encode(), code.encode(), "sha256").hexdigest()[:16]


def is_signed(code: str, lead: str) -> bool:
    return CODE.fullmatch(code) is not None and hmac.compare_digest(signature(code).encode(), lead.encode())


@dataclass(frozen=True, slots=True)
class Ballot:
    """A question for a vote, in Markdown. `name`: its key among a room's questions; `right`: the right option's index, from 0."""

    name: str
    asks: str
    options: tuple[str, ...]
    right: int


@dataclass(frozen=True, slots=True)
class Poll:
    """A question and its votes. `stage`: 0 in the first vote, 1 with its result, 2 in the second vote, 3 with both results.
    `votes`: for each vote, the option's index by the phone's number. `answered`: whether the screen shows the answer."""

    ballot: Ballot
    stage: int = 0
    answered: bool = False
    votes: tuple[dict[str, int], ...] = field(default_factory=lambda: ({},))

    @property
    def is_open(self) -> bool:
        return self.stage in (0, 2) and not self.answered

    @property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple([*votes.values()].count(place) for place in range(len(self.ballot.options))) for votes in self.votes)


@dataclass(frozen=True, slots=True)
class Seen:
    """A room as one reader sees it. `here`: how many phones are present; `in_room`: whether the reader is one of its phones."""

    poll: Poll | None
    here: int
    in_room: bool


@dataclass(slots=True)
class Room:
    """A voting room. `led`: when the lecturer's screen last reported; `voices`: when each phone last reported. `polls`: the
    questions by name; the last question is the one that is asked now."""

    led: float
    polls: dict[str, Poll] = field(default_factory=dict)
    voices: dict[str, float] = field(default_factory=dict)

    def put(self, poll: Poll) -> None:
        """Makes `poll` the question that is asked now, and forgets the oldest questions beyond MAX_POLLS."""
        self.polls.pop(poll.ballot.name, None)
        self.polls[poll.ballot.name] = poll
        for old in [*self.polls][:-MAX_POLLS]:
            del self.polls[old]

    def poll(self, ballot: Ballot) -> Poll:
        return self.polls.get(ballot.name, Poll(ballot))

    def seen(self, now: float, ballot: Ballot | None = None, voice: str | None = None) -> Seen:
        """The room as one reader sees it at the time `now`. `ballot`: the question to report, by default the question that is
        asked now; `voice`: the number of the phone that reads."""
        asked = next(reversed(self.polls.values()), None)
        here = sum(now - heard < AWAY for heard in self.voices.values())
        return Seen(self.poll(ballot) if ballot else asked, here, voice in self.voices)


class Rooms:
    """The rooms of this server by code, shared by all threads. Only `lead` opens a room, because a phone may send any code."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock, self.rooms, self.lock = clock, dict[str, Room](), threading.Lock()

    def lead(self, code: str, ballot: Ballot | None = None, moved: bool = False, answered: bool = False) -> Seen | None:
        """Opens a lecturer's room, if it is not open yet, and returns its state. None if no further room fits (MAX_ROOMS).
        `ballot`: the question on the lecturer's screen; `moved`: whether the question or its answer has just come up."""
        with self.lock:
            now = self.clock()
            self.rooms = {name: room for name, room in self.rooms.items() if now - room.led < MAX_IDLE}
            if code not in self.rooms and len(self.rooms) >= MAX_ROOMS:
                last, idle = min((max(room.led, *room.voices.values(), 0), name) for name, room in self.rooms.items())
                if now - last < AWAY:
                    return None
                del self.rooms[idle]
            room = self.rooms.setdefault(code, Room(now))
            room.led = now
            if ballot and (moved or not room.polls):
                room.put(replace(room.poll(ballot), answered=answered))
            return room.seen(now, ballot)

    def turn(self, code: str, ballot: Ballot, stage: int) -> None:
        """Moves a question from `stage` to the next stage. Does nothing at another stage, or if the answer is shown."""
        with self.lock:
            poll = self.rooms[code].poll(ballot) if code in self.rooms else None
            if poll and not poll.answered and poll.stage == stage < 3:
                self.rooms[code].put(replace(poll, stage=stage + 1, votes=(*poll.votes, *[{}] * (stage == 1))))

    def enter(self, code: str, voice: str | None) -> Seen | None:
        """Lets a phone with a valid `voice` join if there is space. Returns the room's state, or None if it is not open."""
        with self.lock:
            room, now = self.rooms.get(code), self.clock()
            if room is None or now - room.led >= MAX_IDLE:
                return None
            if voice in room.voices or (voice and VOICE.fullmatch(voice) and len(room.voices) < MAX_VOICES):
                room.voices[voice] = now
            return room.seen(now, None, voice)

    def vote(self, code: str, voice: str, name: str, stage: int, place: int) -> None:
        """Counts a phone's vote instead of its earlier one, if the phone is in the room and the question open at `stage`."""
        with self.lock:
            room = self.rooms.get(code)
            poll = room.polls.get(name) if room and voice in room.voices else None
            if poll and poll.is_open and poll.stage == stage and 0 <= place < len(poll.ballot.options):
                poll.votes[-1][voice] = place
