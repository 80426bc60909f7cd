"""The installed Keras has no argument that the app neither shows nor names as left out, and the app names no other."""

import inspect
import warnings

import pytest

from components.address import known
from components.pages.keras_layer.layer_tables import LEFT_OUT

pytestmark = pytest.mark.keras


#: The settings that show arguments of the constructor and of the call.
SHOWN = {
    "constructor": {
        "num_heads": "num_heads", "num_query_heads": "num_heads", "num_key_value_heads": "num_kv_heads", "key_dim": "key_dim",
        "head_dim": "key_dim", "value_dim": "value_dim", "dropout": "dropout", "use_bias": "use_bias",
        "output_shape": "output_shape", "attention_axes": "attention_axes", "sliding_window": "sliding_window",
        "use_gate": "use_gate", "seed": "dropout_seed",
    },
    "call": {
        "query": "input_shape", "value": "value_width", "key": "key_width", "attention_mask": "attention_mask",
        "use_causal_mask": "mask", "training": "training", "return_attention_scores": "part",
    },
}  # fmt: skip


def test_every_argument_of_the_installed_keras_is_shown_or_left_out_by_name_and_no_other_is():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mha.keras.backend import keras
    layers = (keras.layers.MultiHeadAttention, keras.layers.GroupQueryAttention)
    functions = {"constructor": [layer.__init__ for layer in layers], "call": [layer.call for layer in layers]}
    left_out = [name for names in LEFT_OUT for name in names]
    real = {of: {name for one in some for name in inspect.signature(one).parameters} - {"self"} for of, some in functions.items()}
    assert {of: names - {*left_out} for of, names in real.items()} == {of: {*shown} for of, shown in SHOWN.items()}
    assert {*left_out} <= real["constructor"] | real["call"]
    assert len(left_out) == len({*left_out})


def test_what_is_shown_is_a_setting_of_the_address():
    assert {setting for shown in SHOWN.values() for setting in shown.values()} <= {*known()}
