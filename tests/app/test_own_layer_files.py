"""What a visitor may drop, what is said of it, and that nobody else sees it."""

import json

import numpy as np
import pytest

from components.pages.own_layer import intake
from mha import Config, run
from mha.custom_layer import CustomLayer
from tests.app.driver import charts, config, open_page, outside_code, stages, text, title, value, whole
from tests.app.own_layer import KERAS, drop, dropped, go, numbers, seen_numbers, weights_line
from tests.mha.files.files import CFG, SQUARE, arrays, npy, npz, safetensors, torch_names

pytestmark = pytest.mark.usefixtures("read_here")


X = np.random.default_rng(7).standard_normal((5, 11)).astype(np.float32)


@pytest.mark.parametrize(("x", "words"), [
    (npy(np.ones((5, 13), np.float32)), "X is 13 wide; the layer takes d_model = 11."), (b"no array", "NumPy cannot read"),
    (npy(np.ones((513, 11))), "X has 513 positions; up to 512"), (npy(X * np.nan), "NaN"),
])  # fmt: skip
def test_a_bad_input_is_refused_and_leaves_the_input_before_and_the_lengths(x, words):
    at = drop(dropped(), npy(X), "mine.npy", 1)
    before = config(at)
    at = drop(at, x, "bad.npy", 1)
    (warning,) = whole(at).warning
    assert warning.value.startswith("`bad.npy`: ")
    assert words in warning.value
    assert warning.value.endswith(". X is still that of `mine.npy`.")
    assert "X from `mine.npy`." in weights_line(at)
    assert config(at) == before
    at = at.file_uploader[1].set_value(None).run()  # the bad one is taken out of the field
    assert ("X from `mine.npy`." in weights_line(whole(at)), len(at.warning)) == (True, 0)
    at = drop(at, npy(X[:3]), "short.npy", 1)
    at = at.file_uploader[1].set_value(None).run()  # a good one is
    assert "X from seed 0." in weights_line(at)


def test_a_bad_input_that_replaces_a_good_one_leaves_it_another_layer_keeps_it_and_a_bad_file_alone_shows_nothing():
    """As a browser does it: the X before is taken out in a run of its own."""
    at = drop(dropped(), npy(X), "mine.npy", 1)
    before, line = config(at), weights_line(at)
    at = drop(at.file_uploader[1].set_value(None).run(), b"no array", "bad.npy", 1)
    assert any(warning.value.endswith(". X is still that of `mine.npy`.") for warning in at.warning)
    assert (config(at), weights_line(at)) == (before, line)
    at = drop(at, npz(arrays()), "again.npz")
    assert "of `again.npz`. X from `mine.npy`." in weights_line(at)
    assert config(at).query_len == 5
    at = at.button(key="own_let_go").click().run()
    at = drop(at.file_uploader[0].set_value(None).run(), b"no file", "bad.npz")
    assert (weights_line(whole(at)), len(at.warning), intake.KEY in at.session_state) == ("", 1, False)


def test_a_layer_is_picked_by_its_number_in_the_address():
    both = npz({f"{at}/{name}": values for at, cfg in (("a", CFG), ("b", SQUARE)) for name, values in arrays(cfg).items()})
    at = drop(open_page("own_layer", layer=2), both, "two.npz")
    assert (config(at).d_model, "`b` of `two.npz`" in weights_line(at)) == (14, True)
    at = at.number_input(key="layer").set_value(1).run()
    assert (config(at).d_model, "`a` of `two.npz`" in weights_line(at)) == (11, True)
    at = at.number_input(key="layer").set_value(9).run()
    assert (config(at).d_model, value(at, "layer")) == (14, 2)


def test_a_layer_that_cannot_be_shown_is_counted_and_the_sizes_stay():
    wide = {**arrays(), "w_k": np.ones((13, 3, 5))}
    at = drop(open_page("own_layer"), npz(wide), "wide.npz")
    assert title(whole(at)) == "1 attention layer found; layer 1 cannot be shown."
    assert "are 11, 13, 11 and 11 wide" in text(at)
    assert f"| {sum(values.size for values in wide.values()):,} | counts only |" in text(at)
    assert (config(at), weights_line(at)) == (Config(query_len=13), "")


def test_without_a_file_the_page_says_what_it_takes_and_a_bad_one_gives_a_sentence():
    at = whole(open_page("own_layer"))
    assert (weights_line(at), charts(at), stages(at)) == ("", [], [])
    assert json.dumps([uploader.label for uploader in at.file_uploader]).count(".safetensors") == 1
    for data in (b"", b"not a layer", KERAS[:99], npz({"w_q": np.full(3, np.nan)})):
        at = drop(at, data, "bad`|<b>.npz")
        assert title(whole(at)) == "Drop a file of up to 64 MB, and every page shows its weights."
        (warning,) = at.warning
        assert warning.value.startswith("`bad?|<b>.npz`: ")
    assert title(whole(go(at, "attention")))


def test_what_lies_beside_the_kernels_is_named_with_its_count():
    linear = {f"{letter}_proj.weight": np.ones((14, 14), np.float32) for letter in "qkvo"}
    data = safetensors({**linear, "q_norm.weight": np.ones(7), "ffn.weight": np.ones(15)})
    at = drop(open_page("own_layer"), data, "l.safetensors")
    assert "It has a norm of queries or keys, which these pages do not show. Counted with the others: `q_norm" in text(at)
    assert "`q_norm.weight` (7)." in text(at)
    assert f"| {4 * 14 * 14 + 7:,} | counts only |" in text(at)
    assert "neither drawn nor counted here (1): `ffn.weight` (15)." in text(at)


def test_names_out_of_a_file_are_only_shown_as_code():
    name = "**x** [y](javascript:z) | <img src=x> `"
    data = safetensors(torch_names(SQUARE, arrays(SQUARE), f"{name}.") | {f"{name}b": np.ones(2)})
    at = drop(open_page("own_layer"), data, "<b>x</b>.safetensors")
    assert "[y](javascript" in text(at)
    assert not any(sign in outside_code(text(at)) for sign in ("<img", "<b>", "[y](", "**x**"))


def test_another_visitor_sees_nothing_of_it():
    mine, yours = open_page("own_layer"), open_page("attention", split="free", d_model=11, num_heads=3, key_dim=5, value_dim=7)
    mine = go(drop(mine, KERAS), "attention")
    yours = yours.run()
    assert config(mine) == config(yours)
    assert weights_line(yours) == ""
    assert numbers(run(config(yours)).weights.values) <= seen_numbers(yours)


def test_nothing_of_it_is_in_a_cache_that_visitors_share():
    import gc
    import weakref

    from components.widgets.previews import PICTURES

    at = dropped("attention")
    own = at.session_state[intake.KEY]
    gone = weakref.ref(own.flat["w_q"])
    held = [trace for (trace, _), *_ in PICTURES._entries.values()]
    assert not any(trace.params is cut.params for trace in held for cut in own._cuts.values())
    del own
    at = whole(go(at, "figures"))  # which draws from the seed alone, and says so
    assert "The **seeded layer** is shown here" in weights_line(at)
    assert "`attention` of `model.keras`" in weights_line(at)
    assert "own_back" not in [button.key for button in at.button]
    at = go(at, "attention")
    at.button(key="own_let_go").click().run()
    del at
    gc.collect()
    assert gone() is None


def test_keras_is_asked_about_the_files_weights(monkeypatch):
    asked = []

    class Client:
        state, reason = "ready", ""
        answer = trace = lambda self, what, wait=0.0: asked.append(what)
        failure = lambda self, what: "not now"  # noqa: E731

    for module in ("components.widgets.trace", "components.widgets.check"):
        monkeypatch.setattr(f"{module}.keras_client", Client)
    dropped("attention", backend="tensorflow")
    layers = [what for what in asked if isinstance(what, CustomLayer)]
    assert layers
    np.testing.assert_array_equal(layers[-1].params.w_o.values, run(CFG).params.w_o.values)
    assert len({id(layer) for layer in layers}) == 1  # the same object each time: its answer is kept with it
