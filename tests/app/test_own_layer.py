"""A visitor's own layer: which files are taken and what is said of them. Sizes follow it, every page of the lab shows it, no
other visitor sees it, and one button removes it."""

import gc
import json
import weakref

import numpy as np
import pytest

from components.pages.own_layer import intake
from components.widgets.previews import ASKED, NEAR, PICTURES
from headcount import Config, Inputs, make_inputs, run
from headcount.arrays import Array
from headcount.custom_layer import CustomLayer
from headcount.export.request import request_of
from headcount.switches import Switches
from headcount.variations import with_switches
from tests.app import driver
from tests.app.driver import PAGES, config, open_page, text, title, typed, value, whole
from tests.app.own_layer import KERAS, TORCH, drop, dropped, go, held_layer, numbers, seen_numbers, weights_line
from tests.app.test_foresight import ahead, drawn, without_cell
from tests.layer.files.files import CFG, SQUARE, arrays, npy, npz, safetensors, torch_names
from tests.layer.files.test_hostile import FILES
from tests.layer.files.test_together import BAD, BERT, GPT2, UNUSED, linear
from tests.layer.files.test_together import config as configuration

pytestmark = pytest.mark.usefixtures("read_here")


def test_sizes_follow_the_file_and_stand_in_the_address_until_it_is_taken_out():
    at = dropped()
    assert title(whole(at)) == "3 heads, 11 wide: your layer has 854 parameters."  # 15·24 + 21·23 + 11
    assert config(at) == Config(11, 3, 5, 7, 13, 13)
    assert (value(at, "split"), driver.in_address(at, "d_model"), driver.in_address(at, "key_dim")) == ("free", "11", "5")
    assert weights_line(at).endswith("Weights: **your layer** `attention` of `model.keras`. X from seed 0.")
    at = at.file_uploader[0].set_value(None).run()
    assert (weights_line(whole(at)), intake.KEY in at.session_state) == ("", False)


def read_as(at) -> dict[str, tuple[str, str]]:
    """The table of a file's arrays: each name's shape, and what it was read as."""
    table = next(one.value for one in at.markdown if "| read as |" in one.value)
    table = table.replace("\u00a0", " ")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {name.strip("`"): (shape, role) for name, shape, role in (rows[0], *rows[2:])}


def test_without_a_file_an_example_that_the_same_reader_has_read_shows_what_comes_of_one(monkeypatch):
    intake.example.cache_clear()
    asked = []
    reader = intake.inspect_in_subprocess
    monkeypatch.setattr(intake, "inspect_in_subprocess", lambda files, *which: asked.append({*files}) or reader(files, *which))
    at = whole(open_page("own_layer"))
    assert asked == [{"weights", "config"}]
    whole(open_page("own_layer", num_heads=8))
    assert len(asked) == 1, "once for all visitors"
    assert read_as(at) == {
        "tiny.npz": ("shape", "read as"),
        **{f"attention.{module}_proj.{part}": (shape, f"${letter}_{role}$")
           for module, role in (("q", "Q"), ("k", "K"), ("v", "V"), ("out", "O"))
           for part, letter, shape in (("weight", "W", "(16, 16)"), ("bias", "b", "(16,)"))},
        "norm.weight": ("16 numbers", "left out"), "config.json": ("", "says 4 heads"),
    }  # fmt: skip
    assert [one.type for one in at.main if one.type in ("file_uploader", "button")][:2] == ["file_uploader", "button"]
    assert at.button(key="take_example").label == "Show the example on every page"
    (alt,) = driver.schematics(at)
    assert "4 heads, width 16, key size 4, value size 4, with 1,088 parameters: 1,024 weights and 64 biases" in alt
    assert [link.proto.label for link in at.main.get("page_link")][:4] == ["Heads", "Projections", "Attention", "Concatenation"]
    assert len(driver.images(at)) == 4


def test_where_the_reader_is_busy_the_field_stands_alone(monkeypatch):
    def busy(*_):
        raise intake.UnreadableFile("Other files are still being read.")

    intake.example.cache_clear()
    monkeypatch.setattr(intake, "inspect_in_subprocess", busy)
    at = whole(open_page("own_layer"))
    assert (driver.schematics(at), len(at.file_uploader), len(at.exception)) == ([], 1, 0)


def test_the_example_can_be_taken_and_is_the_trained_layer_and_its_sentence():
    trained = request_of({}).on_words().trace()
    at = whole(open_page("own_layer", num_heads=8).button(key="take_example").click().run())
    assert weights_line(at).endswith("Weights: **your layer** `attention` of `tiny.npz`. X from `x.npy`.")
    assert "take_example" not in [button.key for button in at.button]
    own = held_layer(at).custom_layer(config(at)).trace("numpy")
    np.testing.assert_allclose(own.weights.values, trained.weights.values, atol=1e-6)
    np.testing.assert_allclose(own.output.values, trained.output.values, atol=1e-5)
    other = whole(open_page("own_layer").button(key="take_example").click().run())
    assert held_layer(at)._cuts is not held_layer(other)._cuts
    at = drop(at, KERAS)
    assert title(whole(at)) == "3 heads, 11 wide: your layer has 854 parameters."
    assert weights_line(at).endswith("X from seed 0."), "the example's X is 16 wide"


def test_a_files_matrices_are_cut_into_the_heads_of_the_screen_and_its_arrays_are_named():
    at = whole(dropped())
    shapes = {role: shape for shape, role in read_as(at).values()}
    assert (shapes["$W_K$"], shapes["$W_V$"], shapes["$W_O$"]) == ("(11, 3, 5)", "(11, 3, 7)", "(3, 7, 11)")
    (alt,) = driver.schematics(at)
    assert "3 heads, width 11, key size 5, value size 7, with 854 parameters: 792 weights and 62 biases" in alt
    assert "W_Q 11 × 15, W_K 11 × 15, W_V 11 × 21, W_O 21 × 11" in alt
    (alt,) = driver.schematics(whole(typed(at, "num_heads").set_value(2).run()))
    assert "2 heads, width 11, key size 5, value size 7, with 573 parameters" in alt  # 11·24·2 + 2·(5 + 5 + 7) + 11
    assert driver.schematics(whole(typed(at, "num_heads").set_value(4).run())) == [], "it has no fourth head"


def test_one_array_for_query_key_and_value_is_read_as_the_three_and_only_a_used_configuration_says_heads():
    at = drop_with(open_page("own_layer"), {"m.safetensors": BERT, "config.json": configuration("bert")})
    assert read_as(whole(at))["config.json"] == ("", "says 7 heads")
    at = drop_with(open_page("own_layer"), {"g.safetensors": GPT2})
    assert "config.json" not in read_as(whole(at))
    assert {role for _, role in read_as(at).values()} >= {"$W_Q$, $W_K$, $W_V$", "$W_O$"}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_the_files_weights_and_computes_with_them(page):
    at = dropped(page)
    assert "your layer" in weights_line(whole(at))
    cfg = Config(11, 3, 5, 7, 13, 13)
    own = run(cfg, params=run(CFG).params)
    array = {"heads": "w_q", "projections": "w_q", "attention": "weights", "concatenation": "output"}[page]
    assert numbers(own[array].values) <= seen_numbers(at)
    assert not numbers(run(cfg)[array].values) <= seen_numbers(at)


def test_the_arithmetic_of_a_cell_is_that_of_the_files_weights():
    at = dropped("projections", cell="q.2.3.1")
    own = run(Config(11, 3, 5, 7, 13, 13), params=run(CFG).params)
    assert f"<b>{own.q.values[0, 2, 1, 0]:.3f}</b>".replace("-", "−") in driver.card(at)


@pytest.mark.slow
@pytest.mark.parametrize(("data", "here", "there"), [(TORCH, 2, 7), (KERAS, 3, 2)])
@pytest.mark.parametrize("page", PAGES)
def test_what_is_foretold_of_the_files_weights_is_what_comes(page, data, here, there):
    before = go(drop(open_page("own_layer"), data, "layer.safetensors"), page)
    assert value(before, "num_heads") == here
    before.session_state[ASKED] = "num_heads", NEAR
    told = {key: scenes for key, scenes in ahead(whole(before.run()))[1].items() if scenes}
    assert told
    stop = min(value for scenes in told.values() for value in scenes)
    after = before.select_slider(key="num_heads").set_value(stop).run()
    sent = drawn(whole(after), [*told])
    assert all(without_cell(scenes[stop]) in sent for scenes in told.values())


def test_another_cut_of_the_same_numbers_is_said():
    at = drop(open_page("own_layer"), TORCH, "layer.safetensors")
    assert "The weights do not say how many heads there are." in text(at)
    assert "1, 2, 7, 14" in text(at)
    at = typed(at, "num_heads").set_value(7).run()
    assert "cut into 7 heads; the file does not say how many" in weights_line(at)
    own = run(SQUARE).params.w_k.values.ravel()
    np.testing.assert_array_equal(held_layer(at).custom_layer(config(at)).params.w_k.values.ravel(), own)


def test_fewer_heads_of_a_free_layer_are_its_first_more_are_the_seeded_layer_and_buttons_go_back_and_let_go():
    at = dropped("attention")
    at = typed(at, "num_heads").set_value(2).run()
    assert "the first 2 of its 3 heads" in weights_line(at)
    at = typed(at, "num_heads").set_value(4).run()
    start = ":material/folder_special: The **seeded layer** is shown: these are not the sizes of `attention`"
    assert weights_line(at).startswith(start)
    assert "11 wide, 3 heads with d_k = 5 and d_v = 7, with biases" in weights_line(at)
    assert numbers(run(config(at)).weights.values) <= seen_numbers(at)
    at = at.button(key="own_back").click().run()
    assert (config(at).num_heads, "your layer" in weights_line(at)) == (3, True)
    at = at.button(key="own_let_go").click().run()
    assert weights_line(whole(at)) == ""
    assert intake.KEY not in at.session_state
    assert numbers(run(config(at)).weights.values) <= seen_numbers(at)


def test_an_own_input_sets_the_length_and_is_what_the_layer_reads():
    x = np.random.default_rng(7).standard_normal((5, 11)).astype(np.float32)
    at = drop_with(dropped(), {"mine.npy": npy(x)})
    assert (config(at).query_len, config(at).key_len) == (5, 5)
    assert "X from `mine.npy`." in weights_line(at)
    cfg = config(at)
    inputs = Inputs(Array(x[None], "btm"), Array(x[None], "bsm"))
    own = run(cfg, params=run(CFG).params, inputs=inputs)
    assert numbers(own.output.values) <= seen_numbers(go(at, "concatenation"))
    at = at.number_input(key="key_len").set_value(8).run()  # cross-attention: X asks, the seed is looked at
    layer = held_layer(at).custom_layer(config(at))
    np.testing.assert_array_equal(layer.inputs.x_query.values[0], x)
    np.testing.assert_array_equal(layer.inputs.x_key.values, make_inputs(config(at)).x_key.values)
    at = at.number_input(key="query_len").set_value(4).run()
    assert "X from seed 0." in weights_line(at)


def test_rows_of_an_own_layer_with_a_random_x_are_numbered_and_no_words_and_nothing_is_said_of_the_seed():
    """The seeded layer has a sentence at thirteen positions. This layer has read none."""
    at = whole(go(drop(open_page("own_layer"), TORCH, "model.safetensors"), "attention"))
    assert "means nothing" not in text(at)
    assert "trained layer" not in text(at)
    labels = {tuple(block["row_labels"]) for plan, _ in driver.pictures(at) for row in plan["rows"] for panel in row
              for block in panel["blocks"] if block.get("row_labels")}  # fmt: skip
    assert labels == {tuple(map(str, range(1, 14)))}


X = np.random.default_rng(7).standard_normal((5, 11)).astype(np.float32)


@pytest.mark.parametrize(("x", "words"), [
    (npy(np.ones((5, 13), np.float32)), "X is 13 wide; the layer takes d_model = 11."), (npy(X)[:99], "NumPy cannot read"),
    (npy(np.ones((513, 11))), "X has 513 positions; up to 512"), (npy(X * np.nan), "NaN"),
])  # fmt: skip
def test_a_bad_input_is_refused_and_leaves_the_input_before_and_the_lengths(x, words):
    at = drop_with(dropped(), {"mine.npy": npy(X)})
    before = config(at)
    at = drop_with(at, {"bad.npy": x})
    (warning,) = whole(at).warning
    assert warning.value.startswith("`bad.npy`: ")
    assert words in warning.value
    assert warning.value.endswith(". Still shown: `attention` of `model.keras`.")
    assert "X from `mine.npy`." in weights_line(at)
    assert config(at) == before
    at = take_out(at, "bad.npy")
    assert ("X from `mine.npy`." in weights_line(whole(at)), len(at.warning)) == (True, 0)
    at = drop_with(at, {"short.npy": npy(X[:3])})
    assert ("X from `short.npy`." in weights_line(whole(at)), config(at).query_len) == (True, 3)
    at = take_out(at, "short.npy")
    assert "X from seed 0." in weights_line(whole(at))


def test_another_layer_keeps_the_input_an_input_alone_says_what_it_needs_and_a_bad_file_alone_shows_nothing():
    at = drop_with(dropped(), {"mine.npy": npy(X)})
    at = drop_with(at, {"again.npz": npz(arrays())})
    assert "of `again.npz`. X from `mine.npy`." in weights_line(at)
    assert config(at).query_len == 5
    at = at.button(key="own_let_go").click().run()
    for data, words in ((b"no file", "This is no"), (npy(X), "can be the input X of a layer")):
        at = drop(at.file_uploader[0].set_value(None).run(), data, "bad.npz")
        assert (weights_line(whole(at)), len(at.warning), intake.KEY in at.session_state) == ("", 1, False)
        assert words in at.warning[0].value


def test_a_layer_and_its_input_can_come_together():
    at = drop_with(open_page("own_layer"), {"model.keras": KERAS, "mine.npy": npy(X)})
    assert weights_line(whole(at)).endswith("`attention` of `model.keras`. X from `mine.npy`.")


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
    assert (weights_line(at), driver.charts(at), driver.stages(at)) == ("", [], [])
    assert json.dumps([uploader.label for uploader in at.file_uploader]).count(".safetensors") == 1
    for data in (b"", b"not a layer", KERAS[:99], npz({"w_q": np.full(3, np.nan)})):
        at = drop(at, data, "bad`|<b>.npz")
        assert title(whole(at)) == "Drop a file: your layer will look like this."
        (warning,) = at.warning
        assert warning.value.startswith("`bad?|<b>.npz`: ")
    assert title(whole(go(at, "attention")))


def test_what_lies_beside_the_kernels_is_named_with_its_count():
    linear = {f"{letter}_proj.weight": np.ones((14, 14), np.float32) for letter in "qkvo"}
    data = safetensors({**linear, "q_norm.weight": np.ones(7), "ffn.weight": np.ones(15)})
    at = drop(open_page("own_layer"), data, "l.safetensors")
    assert "It has arrays that are counted and not drawn here: `q_norm.weight` (7)." in text(at)
    assert f"| {4 * 14 * 14 + 7:,} | counts only |" in text(at)
    assert "neither drawn nor counted here (1): `ffn.weight` (15)." in text(at)


def test_names_out_of_a_file_are_only_shown_as_code():
    name = "**x** [y](javascript:z) | <img src=x> `"
    data = safetensors(torch_names(SQUARE, arrays(SQUARE), f"{name}.") | {f"{name}b": np.ones(2)})
    at = drop(open_page("own_layer"), data, "<b>x</b>.safetensors")
    assert "[y](javascript" in text(at)
    assert not any(sign in driver.outside_code(text(at)) for sign in ("<img", "<b>", "[y](", "**x**"))


def test_another_visitor_sees_nothing_of_it():
    mine, yours = open_page("own_layer"), open_page("attention", split="free", d_model=11, num_heads=3, key_dim=5, value_dim=7)
    mine = go(drop(mine, KERAS), "attention")
    yours = yours.run()
    assert config(mine) == config(yours)
    assert weights_line(yours) == ""
    assert numbers(run(config(yours)).weights.values) <= seen_numbers(yours)


def test_nothing_of_it_is_in_a_cache_that_visitors_share():
    at = dropped("attention")
    own = at.session_state[intake.KEY]
    gone = weakref.ref(own.flat["w_q"])
    held = [trace for (trace, _), *_ in PICTURES._entries.values()]
    assert not any(trace.params is cut.params for trace in held for cut in own._cuts.values())
    del own
    at = whole(go(at, "figures"))  # which draws from the seed alone, and says so
    assert "**Your layer** is not shown here" in weights_line(at)
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


def drop_with(at, files: dict[str, bytes]):
    """Drops files as a browser does: they are added to those in the field."""
    uploader = at.file_uploader[0]
    uploader._files = [(file.file_id, file.name, file.getvalue(), "") for file in at.session_state[intake.FILE] or []]
    for name, data in files.items():
        uploader.upload(name, data)
    return at.run()


def take_out(at, *names: str):
    uploader = at.file_uploader[0]
    kept = [file for file in at.session_state[intake.FILE] if file.name not in names]
    uploader._files = [(file.file_id, file.name, file.getvalue(), "") for file in kept]
    return at.run()


def heads(at) -> int | None:
    return at.session_state[intake.KEY].sizes.num_heads


def test_a_configuration_dropped_with_the_weights_or_after_them_gives_the_heads():
    at = drop_with(open_page("own_layer"), {"m.safetensors": BERT, "config.json": configuration("bert")})
    assert (heads(whole(at)), config(at).num_heads) == (7, 7)
    assert "do not say how many heads" not in text(at)
    at = drop_with(open_page("own_layer"), {"m.safetensors": BERT})
    assert heads(at) is None
    at = drop_with(at, {"config.json": configuration("bert")})
    assert (heads(whole(at)), config(at).num_heads) == (7, 7)
    at = drop_with(at, {"config.json": configuration("bert", num_attention_heads=2)})
    assert heads(whole(at)) == 2, "another one takes its place"
    at = take_out(at, "config.json")
    assert heads(whole(at)) is None
    assert "your layer" in weights_line(at)


def test_other_weights_are_not_read_by_the_configuration_of_those_before():
    at = drop_with(open_page("own_layer"), {"m.safetensors": BERT, "config.json": configuration("bert")})
    at = drop_with(at, {"g.safetensors": GPT2})
    assert (heads(whole(at)), at.session_state[intake.KEY].file) == (None, "g.safetensors")
    at = take_out(at, "m.safetensors", "config.json")  # no longer used
    assert "of `g.safetensors`" in weights_line(whole(at))
    assert weights_line(whole(take_out(at, "g.safetensors"))) == ""


def test_a_configuration_that_cannot_be_used_is_said_in_one_line_and_takes_nothing_away():
    said, words = UNUSED["heads by stage"]
    at = drop_with(open_page("own_layer"), {"m.safetensors": BERT, "config.json": said})
    assert f"The `config.json` was not used: num_attention_heads must be a {words.replace('[2, 4]', '`[2, 4]`')}." in text(
        whole(at)
    )
    assert "your layer" in weights_line(at)
    at = drop_with(open_page("own_layer"), {"m.safetensors": BERT, "config.json": configuration("bert")})
    at = drop_with(at, {"config.json": said})
    assert "It was not used: num_attention_heads must be" in whole(at).warning[0].value
    assert heads(at) == 7, "by the configuration before"


def test_fields_that_change_attention_are_named_as_code():
    said = configuration("x", relative_attention=True, **{"pos_att_<b>": "p`c"})
    at = drop_with(open_page("own_layer"), {"m.safetensors": BERT, "config.json": said})
    assert 'Its configuration changes attention by `relative_attention: true`, `pos_att_<b>: "p?c"`, which is not' in text(
        whole(at)
    )


def test_a_layer_of_llama_is_turned_by_its_base_on_two_pages_and_the_banner_says_what_heads_share():
    shapes = {"q": (48, 48), "k": (24, 48), "v": (24, 48), "o": (48, 48)}
    rng = np.random.default_rng(2)
    weights = {f"model.layers.0.self_attn.{letter}_proj.weight": rng.standard_normal(shape).astype(np.float32) / 7
               for letter, shape in shapes.items()}  # fmt: skip
    said = {"model_type": "llama", "hidden_size": 48, "num_attention_heads": 6, "num_key_value_heads": 3, "num_hidden_layers": 1,
            "rope_theta": 500000.0}  # fmt: skip
    at = drop_with(open_page("own_layer"), {"m.safetensors": safetensors(weights), "config.json": json.dumps(said).encode()})
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
    at = drop_with(open_page("own_layer"), {"m.safetensors": safetensors(linear("a."))})
    assert "Weights do not say how positions change the scores" in text(whole(at))
    named = {f"w_{letter}": np.ones(shape, np.float16) for letter, shape in (
        ("q", (4099, 1, 1)), ("k", (4099, 1, 1)), ("v", (4099, 1, 1)), ("o", (1, 1, 4099)))}  # fmt: skip
    at = drop_with(open_page("own_layer"), {"m.npz": npz(named)})
    assert "$d_{model}$ is 4,099; these pages show 1 to 4,096." in text(whole(at))


#: What a dropped file may be that is refused: one of each reader, and what does not belong together.
REFUSED = {
    **{what: {"bad.npz": FILES[what]} for what in (
        "empty", "pickle", "archive: cut off", "archive: flat", "keras: a nested config", "numbers cut off",
        "no attention", "an array twice in an npz")},
    "a broken HDF5 file": {"bad.npz": FILES["hdf5: half"]},
    **{what: {"config.json": UNUSED[what][0]} for what in ("no JSON", "another model", "a name that is a template")},
    "two files of weights": BAD["two files of weights"][0],
}  # fmt: skip


def test_whatever_is_refused_one_after_the_other_loses_nothing():
    """Each bad file is added to those in the field, with a visitor's own X. Then all are removed again."""
    at = drop_with(open_page("own_layer"), {"model.keras": KERAS})
    at = drop_with(at, {"mine.npy": npy(np.ones((5, 11), np.float32))})
    before, line, own = config(at), weights_line(at), at.session_state[intake.KEY]
    for what, files in REFUSED.items():
        at.file_uploader[0].set_value([(name, data, "") for name, data in files.items()]).run()
        (warning,) = at.warning
        assert warning.value.endswith(". Still shown: `attention` of `model.keras`."), what
        assert (config(at), weights_line(at), at.session_state[intake.KEY] is own) == (before, line, True), what
    at = whole(at.file_uploader[0].set_value(None).run())
    assert (weights_line(at), len(at.warning)) == (line, 0)
