"""Configurations that are not in the table, pasted as the Hub has them: the counts that transformers' classes print."""

import pytest

from mha.published.reading import parse, read_config
from mha.published.table import entries
from tests.mha.published.configs import CONFIGS


@pytest.mark.parametrize("name", CONFIGS)
def test_a_pasted_configuration_gives_the_counts_of_its_class(name: str):
    """What is not known for sure is said: then it may differ."""
    text, attention, _ = CONFIGS[name]
    made = read_config(parse(text))
    assert made.projections == attention or made.notes
    assert made.total is None


def test_they_are_not_in_the_table():
    assert len(CONFIGS) >= 10
    sizes = [entry.model.groups for entry in entries().values()]
    assert all(read_config(parse(text)).groups not in sizes for text, _, _ in CONFIGS.values())
