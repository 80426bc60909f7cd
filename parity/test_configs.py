"""Configurations that the table has not, as the Hub spells them: pasted text against the real class."""

import json

import pytest

from mha.published.reading import parse, read_config
from parity.models import build, projections, total
from tests.mha.published.configs import CONFIGS

#: Known to transformers, written into the files, of no size.
ONLY_WORDS = ("architectures", "torch_dtype", "prefix", "tie_weights_")


@pytest.mark.parametrize("name", CONFIGS)
def test_a_pasted_configuration_holds_what_the_real_class_holds(name: str):
    text, attention, everything = CONFIGS[name]
    config = {key: value for key, value in json.loads(text).items() if key not in ONLY_WORDS}
    real = build(config)
    ours = read_config(parse(text))
    assert ours.projections == projections(real) == attention
    assert ours.total == everything
    if everything is not None:
        assert total(real) == everything
