"""Rooms in which a class votes from its phones. They are kept in memory within limits, and end with the server. Voters are
anonymous."""

import hmac
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

#: No vowels, so that no code is a word. Of two replicas the first half of them begins a room of the first, the second one of the
#: second (deploy/nginx.conf.template).
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
#: What tells tabs apart: a number that each draws for itself.
CODE, VOICE = re.compile(f"[{LETTERS}]{{6}}"), re.compile("[0-9]{1,16}")
#: Rooms of a server; phones and questions of a room. Seconds until a room ends that nobody leads, and a silent phone is away.
MAX_ROOMS, MAX_VOICES, MAX_POLLS, MAX_IDLE, AWAY = 200, 300, 8, 7200.0, 30.0
#: Signs the lecturers' links; `make class` prints one before the server starts.
VARIABLE = "HEADCOUNT_SECRET"
SECRET = os.environ.get(VARIABLE) or secrets.token_hex(16)


def new_code(seat: str = "") -> str:
    """A random code for a room. `seat`: the number of the replica that draws it, if there are two."""
    half = {"1": LETTERS[:10], "2": LETTERS[10:]}.get(seat, LETTERS)
    return secrets.choice(half) + "".join(secrets.choice(LETTERS) for _ in range(5))


def signature(code: str) -> str:
    """The signature that makes a link to a room its lecturer's."""
    return hmac.new(SECRET.encode(), code.encode(), "sha256").hexdigest()[:16]


def is_signed(code: str, lead: str) -> bool:
    return CODE.fullmatch(code) is not None and hmac.compare_digest(signature(code).encode(), lead.encode())


@dataclass(frozen=True, slots=True)
class Ballot:
    """A question as phones show it, in Markdown. `right`: the number of the right option, from 0."""

    name: str
    asks: str
    options: tuple[str, ...]
    right: int


@dataclass(frozen=True, slots=True)
class Poll:
    """A question and its votes. `stage`: 0 first vote, 1 its bars, 2 second vote, 3 both bars; `answered`: the answer is shown;
    `votes`: by vote, each phone's option."""

    ballot: Ballot
    stage: int = 0
    answered: bool = False
    votes: tuple[dict[str, int], ...] = field(default_factory=lambda: ({},))

    @property
    def is_open(self) -> bool:
        return self.stage in (0, 2) and not self.answered

    @property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        """The number of phones that took each option, by vote."""
        return tuple(tuple([*votes.values()].count(place) for place in range(len(self.ballot.options))) for votes in self.votes)


@dataclass(frozen=True, slots=True)
class Seen:
    """A room at a moment. `here`: phones in it; `in_room`: whether the phone that asks is one of them."""

    poll: Poll | None
    here: int
    in_room: bool


@dataclass(slots=True)
class Room:
    """A room. `led`: when its lecturer was last heard of; `voices`: when each phone was; `polls`: the questions, the last one is
    open."""

    led: float
    polls: dict[str, Poll] = field(default_factory=dict)
    voices: dict[str, float] = field(default_factory=dict)

    def put(self, poll: Poll) -> None:
        """Makes this the question that is asked now."""
        self.polls.pop(poll.ballot.name, None)
        self.polls[poll.ballot.name] = poll
        for old in [*self.polls][:-MAX_POLLS]:
            del self.polls[old]

    def poll(self, ballot: Ballot) -> Poll:
        return self.polls.get(ballot.name, Poll(ballot))

    def seen(self, now: float, ballot: Ballot | None = None, voice: str | None = None) -> Seen:
        """The room now. `ballot`: the question to look at, if not the one that is asked."""
        asked = next(reversed(self.polls.values()), None)
        here = sum(now - heard < AWAY for heard in self.voices.values())
        return Seen(self.poll(ballot) if ballot else asked, here, voice in self.voices)


class Rooms:
    """The rooms of this server, shared by all threads. Codes and the phones' random numbers come from strangers, so an
    unknown code never makes a room."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock, self.rooms, self.lock = clock, dict[str, Room](), threading.Lock()

    def lead(self, code: str, ballot: Ballot | None = None, moved: bool = False, answered: bool = False) -> Seen | None:
        """The room with this question, as its lecturer sees it, opened if there is none. `moved`: the lecturer has just come to
        the question or its answer, so it is asked now. If there are too many rooms, an unused one is closed. None if all are in
        use."""
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
        """Goes on from a vote to its bars, or from the first bars to the second vote. Does nothing if this `stage` is over."""
        with self.lock:
            poll = self.rooms[code].poll(ballot) if code in self.rooms else None
            if poll and not poll.answered and poll.stage == stage < 3:
                self.rooms[code].put(replace(poll, stage=stage + 1, votes=(*poll.votes, *[{}] * (stage == 1))))

    def enter(self, code: str, voice: str | None) -> Seen | None:
        """The room as a phone sees it, which joins if there is a place left. None if there is no such room."""
        with self.lock:
            room, now = self.rooms.get(code), self.clock()
            if room is None or now - room.led >= MAX_IDLE:
                return None
            if voice in room.voices or (voice and VOICE.fullmatch(voice) and len(room.voices) < MAX_VOICES):
                room.voices[voice] = now
            return room.seen(now, None, voice)

    def vote(self, code: str, voice: str, name: str, stage: int, place: int) -> None:
        """Counts a phone's vote at the stage that it has seen, in place of its earlier vote. A late vote does not count."""
        with self.lock:
            room = self.rooms.get(code)
            poll = room.polls.get(name) if room and voice in room.voices else None
            if poll and poll.is_open and poll.stage == stage and 0 <= place < len(poll.ballot.options):
                poll.votes[-1][voice] = place
