"""Records of a question's card and of its runs. Names in braces in a card's texts are replaced by numbers of the runs."""

import json
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from lessons.question import Answer, See

#: Experiments in NumPy by name: functions from plain arguments to plain numbers.
EXPERIMENTS: dict[str, Callable[..., dict]] = {}


def experiment(run: Callable[..., dict]) -> Callable[..., dict]:
    """Decorator that registers a function as an experiment under the function's name."""
    EXPERIMENTS[run.__name__] = run
    return run


@dataclass(frozen=True, slots=True)
class Run:
    """A call of an experiment in `experiments.runs`: its name and arguments. `keras`: whether the experiment needs real Keras."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    keras: bool = False

    @property
    def key(self) -> str:
        """The key of the run's result: the experiment's name and arguments as JSON."""
        return json.dumps([self.name, self.arguments], sort_keys=True)


@dataclass(frozen=True, slots=True)
class Card:
    """A question, as in `lessons.question`, with its runs. `reply` makes the answer from the results of the runs."""

    id: str
    topic: str
    asks: str
    runs: tuple[Run, ...]
    reply: Callable[..., Answer]
    see: See
    addresses: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    asked: str = ""

    @property
    def keras(self) -> bool:
        return any(run.keras for run in self.runs)

    @property
    def by(self) -> tuple[str, ...]:
        """The libraries that computed the card's numbers."""
        return ("Keras", "NumPy") if self.keras else ("NumPy",) if self.runs else ()


class Questions(list[Card]):
    """A list of cards. A card without a topic of its own gets the topic of the list."""

    def __init__(self, topic: str):
        super().__init__()
        self.topic = topic

    def add(self, ids: str, asks: str, where: str, see: See, *runs: Run, says: str, numbers: Mapping[str, str] = {},
            rows: Mapping[str, str] = {}, topic: str = "", asked: str = ""):  # fmt: skip
        """Adds a card. `where`: addresses of threads. `asked`: other words for the question.
        - `ids`: the card's id, then the ids of questions that were joined with it.
        - `says`, `rows`: texts with names in braces. A name is a number in the runs' results, or an entry of `numbers`.
        - `numbers`: where a number is: "counts[1]" in the first result with counts, "1[count]" in the second result."""
        id, *also = ids.split()

        def reply(*results: Mapping[str, object]) -> Answer:
            told = Told(results, numbers)
            return Answer(told.text(says), tuple((told.text(what), told.text(value)) for what, value in rows.items()))

        self.append(Card(id, topic or self.topic, asks, runs, reply, see, tuple(where.split()), tuple(also), asked))


class Told(Formatter):
    """Replaces names in braces by the runs' numbers. `{count}` is formatted by `shown`. `{rows:few}` has the form "few", which is
    one of FORMS or a format of Python. Raises ValueError if braces hold anything but a name."""

    def __init__(self, results: tuple[Mapping[str, object], ...], numbers: Mapping[str, str]):
        found = ChainMap(*map(dict, results))
        named = {name: super(Told, self).get_field(place, results, found)[0] for name, place in numbers.items()}
        self.named = ChainMap(named, *found.maps)

    def text(self, text: str) -> str:
        return self.vformat(text, (), self.named)

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if not field_name.isidentifier():
            raise ValueError(f"{{{field_name}}} is no name: give it one in `numbers`")
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("each "):
            return ", ".join(self.format_field(one, format_spec.removeprefix("each ")) for one in value)
        return FORMS[format_spec](value) if format_spec in FORMS else format(value, format_spec)


def shown(value: object) -> str:
    """Formats a measured value: "1,050,624", "(512, 8, 64)", "3e-07", "yes"."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "None"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "0" if value == 0 else f"{value:.0e}" if abs(value) < 1e-3 else f"{value:.3g}"
    if isinstance(value, list | tuple):
        return f"({', '.join('None' if v is None else str(v) for v in value)}{',' if len(value) == 1 else ''})"
    return str(value)


def rounding(difference: float) -> str:
    """Formats a difference by `shown`, or as "less than 1e-12" or "less than 1e-04" if it is as small as rounding."""
    return next((f"less than {below:.0e}" for below in (1e-12, 1e-4) if difference < below), shown(difference))


def few(values: Sequence[float | str]) -> str:
    """Formats several numbers, with at most three decimals and no trailing zeros."""
    return ", ".join(value if isinstance(value, str) else f"{value:z.3f}".rstrip("0").rstrip(".") or "0" for value in values)


def percent(part: float, whole: float = 1) -> str:
    share = 100 * part / whole
    return f"{share:.1f}%" if share < 1 else f"{share:.0f}%"


def listed(values: Sequence[object]) -> str:
    """Formats several values, each by `shown`. Commas separate them, or semicolons if a number contains a comma."""
    words = [*map(shown, values)]
    return ("; " if any("," in word and "(" not in word for word in words) else ", ").join(words)


#: Forms of values in a text by name, such as "each" and "and" for several values ("each .2f": each in that form).
FORMS: Mapping[str, Callable[[Any], str]] = {
    "": shown, "each": listed, "and": lambda values: f"{listed(values[:-1])} and {shown(values[-1])}", "few": few, "%": percent,
    "rounding": rounding, "count": lambda values: shown(len(values)), "lower": str.lower,
}  # fmt: skip


def keras(name: str, **arguments: object) -> Run:
    return Run(name, arguments, keras=True)


def numpy(name: str, **arguments: object) -> Run:
    return Run(name, arguments)


def see(page: str, **query: object) -> See:
    """Makes the record of a page that shows an answer, with its settings. `key_len` is by default `query_len`."""
    if "query_len" in query:
        query.setdefault("key_len", query["query_len"])
    return See(page, query)


def layer(d_model: int, num_heads: int, key_dim: int, value_dim: int | None = None, **more: object) -> dict[str, Any]:
    """Returns the sizes of a layer as settings of an address or fields of a Config. `value_dim` is by default `key_dim`."""
    return {"d_model": d_model, "num_heads": num_heads, "key_dim": key_dim, "value_dim": value_dim or key_dim, **more}


def free(d_model: int, num_heads: int, key_dim: int, value_dim: int | None = None, **more: object) -> dict[str, Any]:
    """Returns the sizes of a layer as settings of an address, in Keras's convention."""
    return {"split": "free", **layer(d_model, num_heads, key_dim, value_dim, **more)}
