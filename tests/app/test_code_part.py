"""Code for what you see, on the page: the script that is shown is of the layer that is shown, and so is what it prints."""

import numpy as np
import pytest

from mha.codegen import LIBRARIES, Settings, expected, write
from mha.keras.layer import KerasLayer
from tests.app.driver import open_page, text, title, whole

LAYER = {"split": "free", "d_model": 11, "num_heads": 3, "key_dim": 5, "value_dim": 7, "query_len": 4, "key_len": 6, "seed": 9}


def code(at) -> list[str]:
    return [element.value for element in at.get("code")]


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_script_and_its_printout_are_those_of_the_chosen_sizes(library):
    size = {"d_model": 15, "value_dim": 5} if library == "PyTorch" else {}  # what nn.MultiheadAttention can be
    query = {"part": "code", "library": library.lower(), "mask": "causal", "batch": 3, "lengths": "6,2,5"} | LAYER | size
    at = whole(open_page("keras_layer", **query))
    mask = np.arange(6) < np.array([6, 2, 5])[:, None, None]
    width, value_dim = query["d_model"], query["value_dim"]
    settings = Settings(KerasLayer(3, 5, value_dim, (3, 4, width), (3, 6, width), seed=9), causal=True, mask=mask)
    printed, script = code(at)
    assert script == write(settings, library).rstrip()
    assert printed == expected(settings)
    assert at.get("download_button")[0].proto.label == f"headcount_{library.lower()}.py"


def test_the_title_says_how_long_each_is():
    at = open_page("keras_layer", part="code", **LAYER)
    lines = len(code(at)[1].splitlines())
    assert f"{lines} lines of Keras" in title(at)
    assert "854 parameters" in title(at)


@pytest.mark.parametrize(("library", "why"), [("numpy", "attention_axes=(0,)"), ("pytorch", "the input has rank 4 and not 3")])
def test_what_a_library_cannot_say_is_said_and_the_page_stays(library, why):
    query = {"input_shape": "3,4,16", "attention_axes": "0"}
    at = whole(open_page("keras_layer", part="code", library=library, attention_mask="none", **query))
    assert code(at) == []
    assert why in text(at)


def test_a_wrong_library_in_the_address_is_mended():
    at = whole(open_page("keras_layer", part="code", library="jax"))
    assert "**library** must be keras or pytorch or numpy, got `jax`; showing keras." in text(at)
    assert code(at)[1].startswith('"""Multi-head attention in Keras')
