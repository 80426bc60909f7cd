"""The installed Keras has no argument that the app neither shows nor names as left out, and the app names no other."""

import inspect
import warnings

import pytest

from components.address import known
from mha.keras.arguments import ARGUMENTS, CALL, CONSTRUCTOR, left_out

pytestmark = pytest.mark.keras


@pytest.fixture(scope="module")
def real() -> dict[str, set[str]]:
    """Names of the arguments of both layers together, of the constructor and of the call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from mha.keras.backend import keras
    layers = (keras.layers.MultiHeadAttention, keras.layers.GroupQueryAttention)
    functions = {CONSTRUCTOR: [layer.__init__ for layer in layers], CALL: [layer.call for layer in layers]}
    return {
        of: {name for one in found for name in inspect.signature(one).parameters} - {"self"} for of, found in functions.items()
    }


@pytest.mark.parametrize("of", [CONSTRUCTOR, CALL])
def test_every_argument_of_the_installed_keras_is_shown_or_left_out_by_name_and_no_other_is(real, of):
    listed = [name for one in ARGUMENTS if one.of == of for name in one.names]
    assert len(listed) == len({*listed})
    assert {*listed} == real[of]


def test_an_argument_that_appears_is_seen(real):
    """The comparison is not blind: each of the lists without one of its names is not Keras's."""
    for one in ARGUMENTS:
        others = {name for other in ARGUMENTS if other.of == one.of and other is not one for name in other.names}
        assert others != real[one.of]


@pytest.mark.parametrize("one", ARGUMENTS, ids=lambda one: one.names[0])
def test_what_is_shown_is_a_setting_of_the_address_and_what_is_left_out_has_its_reason(one):
    assert bool(one.shown) != bool(one.why)
    assert not one.shown or one.shown in known()
    assert one.shown or f"({one.why})" in left_out()
