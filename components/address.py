"""What a visitor's address says that cannot be: one sentence for each, and the page comes up all the same."""

import re
from collections.abc import MutableMapping
from dataclasses import dataclass

from components.claims import keys as claims
from components.figures.projections import CUTS, KERNELS
from components.keras_layer import keys as keras_layer
from components.lookers import MOST_HEADS
from components.present import keys as present
from components.published import keys as published
from components.quiz import keys as quiz
from components.settings import DEFAULTS, DRAWERS, SEED_MOST, SPLITS
from components.takeaway import keys as takeaway
from components.trained import keys as trained
from mha.loading.find import MOST_LAYERS
from mha.names import BACKENDS, MASKS, SIZES
from mha.variations import DIVISORS

#: The words that each key takes; the first is shown where there is none.
CHOICES = {
    "mask": MASKS, "split": SPLITS, "backend": BACKENDS, "drawn_by": DRAWERS, "use_bias": ("true", "false"),
    "divisor": DIVISORS, "kernel": tuple(KERNELS), "cut": CUTS, **keras_layer.CHOICES, **trained.CHOICES,
    **published.CHOICES, **takeaway.CHOICES,
    **present.CHOICES,
    **claims.CHOICES,
}  # fmt: skip
#: Least, most, and what is shown where there is none.
NUMBERS = {name.code: (name.least, name.most, DEFAULTS[name.code]) for name in SIZES}
NUMBERS |= {"seed": (0, SEED_MOST, 0), "head": (1, MOST_HEADS, 1), "head_off": (0, MOST_HEADS, 0), "layer": (1, MOST_LAYERS, 1)}
NUMBERS |= keras_layer.NUMBERS | trained.NUMBERS | published.NUMBERS | takeaway.NUMBERS | present.NUMBERS | quiz.NUMBERS
#: All keys that the address knows.
KEYS = (*NUMBERS, *CHOICES, *keras_layer.TEXTS, "cell", "tokens", "sentence", "config_json", "search", "answers")
SHOWN_CHARACTERS = 40
FEW = 9


def quoted(raw: str) -> str:
    """Visitor's text, shortened, as code: no markdown of theirs is ever rendered."""
    plain = "".join(letter if letter.isprintable() and letter not in "`" else "?" for letter in raw[:SHOWN_CHARACTERS])
    return f"`{plain or ' '}`" + ("…" if len(raw) > SHOWN_CHARACTERS else "")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one key. `shown`: the text that the address should have instead; None: none, for the default."""

    key: str
    sentence: str
    shown: str | None


def offered(allowed: tuple[str, ...]) -> str:
    """The words in a sentence; a long list by its length and one of them."""
    if len(allowed) <= FEW:
        return " or ".join(allowed)
    return f"one of the {len(allowed)} that the page offers, such as {allowed[1]}"


def faults(params: dict[str, list[str]]) -> list[Fault]:
    """One for each known key that is repeated, or whose value is not allowed: field, what is allowed, value, what is shown."""
    found = []
    for key, values in params.items():
        raw, wrong = values[-1] if values else "", None
        if key in NUMBERS:
            least, most, default = NUMBERS[key]
            if not (re.fullmatch(r"[0-9]{1,9}", raw) and least <= int(raw) <= most):
                wrong = f"**{key}** must be a whole number from {least} to {most}, got {quoted(raw)}; showing {default}."
        elif key in CHOICES:
            allowed = CHOICES[key]
            if raw not in allowed:
                wrong = f"**{key}** must be {offered(allowed)}, got {quoted(raw)}; showing {allowed[0]}."
        else:
            continue
        if wrong:
            found.append(Fault(key, wrong, None))
        elif len(values) > 1:
            found.append(Fault(key, f"**{key}** is given {len(values)} times; the last one counts.", raw))
    return found


def complaints(params: dict[str, list[str]]) -> list[str]:
    """The faults in words."""
    return [fault.sentence for fault in faults(params)]


def mend(params: MutableMapping[str, str], found: list[Fault]) -> None:
    """Takes what cannot be out of the address, before a widget reads it.

    Streamlit's own widgets stumble over some of it (`inf` for a number, an empty choice: an error on the page) and read
    some otherwise than it is said (`8.0` as 8, of a repeated word none).
    """
    for fault in found:
        if fault.shown is None:
            del params[fault.key]
        else:
            params[fault.key] = fault.shown


def rename(params: MutableMapping[str, str], changes: dict[str, str | None]) -> None:
    """What a link says by another name: the text that each key should have; None takes the key out."""
    for key, text in changes.items():
        if text is None:
            del params[key]
        else:
            params[key] = text
