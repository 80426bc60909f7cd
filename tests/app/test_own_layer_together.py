"""Several files dropped on the page: a config.json with its weights, parts of a model; and what is bad changes nothing."""

import json

import numpy as np
import pytest

from components.pages.own_layer import intake
from mha.switches import Switches
from mha.variations import with_switches
from tests.app.driver import config, open_page, text, title, whole
from tests.app.own_layer import KERAS, go, numbers, seen_numbers, weights_line
from tests.mha.files.files import npy, npz, safetensors
from tests.mha.files.test_hostile import FILES, HDF5, bytes_of
from tests.mha.files.test_together import BAD, BERT, FIRST, GPT2, REST, linear
from tests.mha.files.test_together import FILES as PARTS
from tests.mha.files.test_together import config as configuration

pytestmark = pytest.mark.usefixtures("read_here")


def drop(at, **files: bytes):
    """As a browser does it: what is dropped comes to what is there; names with _ for a dot."""
    uploader = at.file_uploader[0]
    uploader._files = [(file.file_id, file.name, file.getvalue(), "") for file in at.session_state[intake.FILE] or []]
    for name, data in files.items():
        uploader.upload(name.replace("__", "-").replace("_", "."), data)
    return at.run()


def take_out(at, *names: str):
    uploader = at.file_uploader[0]
    kept = [file for file in at.session_state[intake.FILE] if file.name not in names]
    uploader._files = [(file.file_id, file.name, file.getvalue(), "") for file in kept]
    return at.run()


def heads(at) -> int | None:
    return at.session_state[intake.KEY].sizes.num_heads


def test_a_configuration_dropped_with_the_weights_or_after_them_gives_the_heads():
    at = drop(open_page("own_layer"), m_safetensors=BERT, config_json=configuration("bert"))
    assert (heads(whole(at)), config(at).num_heads) == (7, 7)
    assert "does not say how many heads" not in text(at)
    at = drop(open_page("own_layer"), m_safetensors=BERT)
    assert heads(at) is None
    at = drop(at, config_json=configuration("bert"))
    assert (heads(whole(at)), config(at).num_heads) == (7, 7)
    at = drop(at, config_json=configuration("bert", num_attention_heads=2))
    assert heads(whole(at)) == 2, "another one takes its place"
    at = take_out(at, "config.json")
    assert heads(whole(at)) is None
    assert "your layer" in weights_line(at)


def test_other_weights_are_not_read_by_the_configuration_of_those_before():
    at = drop(open_page("own_layer"), m_safetensors=BERT, config_json=configuration("bert"))
    at = drop(at, g_safetensors=GPT2)
    assert (heads(whole(at)), at.session_state[intake.KEY].file) == (None, "g.safetensors")
    at = take_out(at, "m.safetensors", "config.json")  # no longer used
    assert "of `g.safetensors`" in weights_line(whole(at))
    assert weights_line(whole(take_out(at, "g.safetensors"))) == ""


def test_a_part_of_a_model_waits_for_the_other():
    one, two = (name.removesuffix(".safetensors").replace("-", "__") + "_safetensors" for name in PARTS)
    at = drop(open_page("own_layer"), **{one: safetensors(FIRST)})
    assert "is dropped with all of them together" in whole(at).warning[0].value
    at = drop(at, **{two: safetensors(REST)})
    assert f"of `{PARTS[0]}`" in weights_line(whole(at))
    at = drop(open_page("own_layer"), **{one: safetensors(FIRST), two: safetensors(REST)})
    assert "your layer" in weights_line(whole(at))


def test_a_layer_of_llama_is_turned_by_its_base_on_two_pages_and_the_banner_says_what_heads_share():
    shapes = {"q": (48, 48), "k": (24, 48), "v": (24, 48), "o": (48, 48)}
    rng = np.random.default_rng(2)
    weights = {f"model.layers.0.self_attn.{letter}_proj.weight": rng.standard_normal(shape).astype(np.float32) / 7
               for letter, shape in shapes.items()}  # fmt: skip
    said = {"model_type": "llama", "hidden_size": 48, "num_attention_heads": 6, "num_key_value_heads": 3, "num_hidden_layers": 1,
            "rope_theta": 500000.0}  # fmt: skip
    at = drop(open_page("own_layer"), **{"m.safetensors": safetensors(weights), "config.json": json.dumps(said).encode()})
    assert title(whole(at)) == f"6 heads, 48 wide: your layer has {2 * 48 * 48 + 2 * 24 * 48:,} parameters."
    layer = at.session_state[intake.KEY].custom_layer(config(at))
    turned, plain = with_switches(layer.trace(), Switches("halves", rotary_base=5e5)).output.values, layer.trace().output.values
    at = whole(go(at, "concatenation"))
    assert numbers(turned) <= seen_numbers(at)
    assert not numbers(plain) <= seen_numbers(at)
    assert "rotary positions, which [Attention](./attention) and [Concatenation]" in weights_line(at)
    assert "Of the layer without what is switched on" in text(at)
    at = whole(go(at, "attention"))
    assert "2 heads share each key and value: drawn" in text(at)
    assert "**With a rotary embedding" in text(at)
    assert "base 500,000**; no parameters" in text(at)
    whole(at.button(key="own_let_go").click().run())
    assert "rotary" not in text(at)


def test_what_the_weights_do_not_say_is_said_and_a_reason_with_symbols_is_set_with_them():
    at = drop(open_page("own_layer"), m_safetensors=safetensors(linear("a.")))
    assert "Nothing here says whether positions turn queries and keys (rotary), whether scores are" in text(whole(at))
    named = {f"w_{letter}": np.ones(shape, np.float16) for letter, shape in (
        ("q", (4099, 1, 1)), ("k", (4099, 1, 1)), ("v", (4099, 1, 1)), ("o", (1, 1, 4099)))}  # fmt: skip
    at = drop(open_page("own_layer"), m_npz=npz(named))
    assert "$d_{model}$ is 4,099; these pages show 1 to 4,096." in text(whole(at))


#: What a dropped file may be that is refused: one of each reader, and what does not belong together.
REFUSED = {
    **{what: {"bad.npz": bytes_of(FILES[what])} for what in (
        "empty", "pickle", "archive: cut off", "archive: flat", "keras: a nested config", "numbers cut off",
        "no attention", "an array twice in an npz")},
    "a broken HDF5 file": {"bad.npz": HDF5["half"]},
    **{what: BAD[what][0] for what in ("no JSON", "another model", "the same part twice", "a name that is a template")},
}  # fmt: skip


def test_whatever_is_refused_one_after_the_other_loses_nothing():
    """Each on top of what is in the field already, an X of the visitor's own beside them; then all are taken out again."""
    at = drop(open_page("own_layer"), model_keras=KERAS)
    at = at.file_uploader[1].set_value(("mine.npy", npy(np.ones((5, 11), np.float32)), "")).run()
    before, line, own = config(at), weights_line(at), at.session_state[intake.KEY]
    for what, files in REFUSED.items():
        at.file_uploader[0].set_value([(name, data, "") for name, data in files.items()]).run()
        (warning,) = at.warning
        assert warning.value.endswith(". Still shown: `attention` of `model.keras`."), what
        assert (config(at), weights_line(at), at.session_state[intake.KEY] is own) == (before, line, True), what
    at = whole(at.file_uploader[0].set_value(None).run())
    assert (weights_line(at), len(at.warning)) == (line, 0)
