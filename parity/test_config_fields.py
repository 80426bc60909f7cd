"""Every field of every configuration class that the app reads, with values that the class accepts: what the app counts is what
the real class holds, or the app says by name why it gives no count.

Families, classes and fields come from transformers (parity.fields): nothing is listed here, and a new version brings its own.
"""

import itertools
import json
from collections import Counter
from collections.abc import Iterator

import pytest

from mha.published.attention import Refused
from mha.published.fields import CONFIG_CLASSES, UnreadableConfig
from mha.published.reading import read_config
from parity.fields import SEEDS, aliases, bases_of, classes, declared, held, values
from parity.models import CLASSES, variation

Case = tuple[dict, str]


def cases(kind: str) -> Iterator[Case]:
    """A configuration and the class that is built from it: every class of the family; every value of every field in the class
    that is counted where none is named, in the bare model and in one more class, which another field takes next."""
    names = classes(kind)
    usual = [name for name in (CLASSES[kind], *names[:1]) if name in names]
    others = itertools.cycle(names)
    for seed in SEEDS:
        for base in bases_of(kind, variation(kind, seed)):
            yield from ((base, name) for name in names)
            for field, default in {**declared(kind), **aliases(kind)}.items():
                other = next(others)
                for value in values(kind, field, base.get(field, default), default):
                    yield from (({**base, field: value}, name) for name in dict.fromkeys((*usual, other)))
                if field in base:
                    left_out = {key: value for key, value in base.items() if key != field}
                    yield from ((left_out, name) for name in usual)


def verdict(config: dict, named: str) -> str:
    """ "equal", "said" (no count, and why), "wrong", or "" where the class itself refuses or would not fit."""
    real = held(config, named)
    if real is None:
        return ""
    try:
        ours = read_config(json.loads(json.dumps({**config, "architectures": [named]})))
    except (UnreadableConfig, Refused):
        return "said"
    if ours.total is None:
        return "said" if ours.unfollowed or ours.notes else "wrong"
    return "equal" if (ours.total, ours.projections) == real and ours.counted_as == named else "wrong"


def judged(kind: str) -> tuple[Counter[str], list[Case]]:
    """How many of each verdict, and the wrong ones."""
    seen: set[str] = set()
    counts: Counter[str] = Counter()
    wrong: list[Case] = []
    for config, named in cases(kind):
        key = json.dumps([config, named], sort_keys=True)
        if key not in seen:
            seen.add(key)
            found = verdict(config, named)
            counts[found] += 1
            if found == "wrong":
                wrong.append((config, named))
    return counts, wrong


@pytest.mark.parametrize("kind", CLASSES)
def test_every_value_of_every_field_is_counted_as_the_class_builds_it_or_named(kind: str, record_property):
    counts, wrong = judged(kind)
    record_property("counts", dict(counts))
    assert not wrong, wrong[:3]
    assert counts["equal"] > counts["said"] / 4, counts


@pytest.mark.parametrize("kind", CLASSES)
def test_the_file_of_fields_knows_every_field_and_default_of_the_real_class(kind: str):
    known = CONFIG_CLASSES[kind]
    real = declared(kind)
    assert set(known.fields) | set(known.inert) == set(real)
    assert set(known.classes) == set(classes(kind))
