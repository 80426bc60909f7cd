"""What hub.json says that the classes of configurations of the Hub hold, counted anew."""

import pytest

from mha.published.worker import build, described
from tests.mha.published.test_configs import HUB, file_of


@pytest.mark.parametrize("name", HUB)
def test_a_configuration_of_the_hub_holds_what_is_written_of_it(name: str):
    found = described(build(config := file_of(name)))
    assert found["class"] == config["architectures"][0]
    assert [found["projections"], found["attention"], found["total"]] == HUB[name][1:]
