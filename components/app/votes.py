"""Rooms in which a class votes from its phones. They are kept in memory within limits, and end with the server. Voters are
anonymous."""

import hmac
import os
import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

#: No vowels, so that no code is a word. Of two replicas the first half of them begins a room of the first, the second one of the
#: second (deploy/nginx.conf.template).
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
#: What tells tabs apart: a number that each draws for itself.
CODE, VOICE = re.compile(f"[{LETTERS}]{{6}}"), re.compile("[0-9]{1,16}")
#: Rooms of a server, phones of a room; seconds until a room ends that nobody leads, and until who is not heard of is away.
MAX_ROOMS, MAX_VOICES, MAX_IDLE, AWAY = 200, 300, 7200.0, 30.0
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
class Seen:
    """The state of a room at one moment. `stage`: 0 first vote, 1 its bars, 2 second vote, 3 both bars; `counts`: for each
    vote the number of votes by option; `here`: phones in the room. `in_room`, `own`: whether this phone is in the room, and
    its option in this vote."""

    ballot: Ballot | None
    stage: int
    answered: bool
    counts: tuple[tuple[int, ...], ...]
    here: int
    in_room: bool
    own: int | None

    @property
    def is_open(self) -> bool:
        return self.stage in (0, 2) and not self.answered


@dataclass(slots=True)
class Room:
    """A room. `led`: when its lecturer was last heard of; `voices`: when each phone was; `votes`: for each vote, each phone's
    option."""

    led: float
    ballot: Ballot | None = None
    stage: int = 0
    answered: bool = False
    votes: list[dict[str, int]] = field(default_factory=lambda: [{}])
    voices: dict[str, float] = field(default_factory=dict)

    def seen(self, now: float, voice: str | None = None) -> Seen:
        options = range(len(self.ballot.options) if self.ballot else 0)
        counts = tuple(tuple([*votes.values()].count(place) for place in options) for votes in self.votes)
        here, own = sum(now - heard < AWAY for heard in self.voices.values()), self.votes[-1].get(voice or "")
        return Seen(self.ballot, self.stage, self.answered, counts, here, voice in self.voices, own)


class Rooms:
    """The rooms of this server, shared by all threads. Codes and phones' numbers come from strangers, so a code alone opens no
    room."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock, self.rooms, self.lock = clock, dict[str, Room](), threading.Lock()

    def lead(self, code: str, ballot: Ballot | None = None, answered: bool = False) -> Seen | None:
        """The room as its lecturer sees it, opened if it is new. `ballot`: a new question, or None; `answered`: its answer is
        shown. If there are too many rooms, a new one replaces an unused one. None if all are in use."""
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
            if ballot and (room.ballot is None or room.ballot.name != ballot.name):
                room.ballot, room.stage, room.answered, room.votes = ballot, 0, False, [{}]
            room.answered |= answered
            return room.seen(now)

    def _at(self, code: str, name: str, stage: int) -> Room | None:
        """The room, if it is at this stage of this question; None otherwise."""
        room = self.rooms.get(code)
        known = room and room.ballot and (room.ballot.name, room.stage, room.answered) == (name, stage, False)
        return room if known else None

    def turn(self, code: str, name: str, stage: int) -> None:
        """Goes to the next stage of a question. Does nothing if the room is no longer at `stage`."""
        with self.lock:
            if (room := self._at(code, name, stage)) and stage < 3:
                room.stage += 1
                room.votes += [{}] * (room.stage == 2)

    def enter(self, code: str, voice: str | None) -> Seen | None:
        """The room as a phone sees it, which joins if there is a place left. None if there is no such room."""
        with self.lock:
            room, now = self.rooms.get(code), self.clock()
            if room is None or now - room.led >= MAX_IDLE:
                return None
            if voice in room.voices or (voice and VOICE.fullmatch(voice) and len(room.voices) < MAX_VOICES):
                room.voices[voice] = now
            return room.seen(now, voice)

    def vote(self, code: str, voice: str, name: str, stage: int, place: int) -> None:
        """Counts a phone's vote at the stage that it has seen, in place of its earlier vote. A late vote does not count."""
        with self.lock:
            room = self._at(code, name, stage) if stage in (0, 2) else None
            if room and room.ballot and voice in room.voices and 0 <= place < len(room.ballot.options):
                room.votes[-1][voice] = place
