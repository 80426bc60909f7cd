"""What a question is, and what its answer is made of: a few words and a table, both written from what was measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lessons.claims.claim import Run, See, shown


@dataclass(frozen=True, slots=True)
class Answer:
    """`text`: one to three sentences; `rows`: what, and its value; both with numbers that were measured."""

    text: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """`asks`: in our words; `address`: where it was asked; `runs` give a dict each, which `reply` turns into an answer."""

    id: str
    theme: str
    asks: str
    address: str
    runs: tuple[Run, ...]
    reply: Callable[..., Answer]
    see: See

    @property
    def keras(self) -> bool:
        return any(run.keras for run in self.runs)


class Questions(list):
    """Collects questions: `@questions.add(…)` above the function that replies."""

    def add(self, id: str, theme: str, asks: str, address: str, runs: Run | tuple[Run, ...], see: See):
        def keep(reply: Callable[..., Answer]) -> Callable[..., Answer]:
            self.append(Question(id, theme, asks, address, runs if isinstance(runs, tuple) else (runs,), reply, see))
            return reply

        return keep


def answer(text: str, rows: Mapping[str, object]) -> Answer:
    return Answer(text, tuple((what, shown(value)) for what, value in rows.items()))


def percent(part: float, whole: float) -> str:
    share = 100 * part / whole
    return f"{share:.1f}%" if share < 1 else f"{share:.0f}%"
