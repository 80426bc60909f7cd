"""The page of published models: what it says is what the sizes give, and whatever is typed, it stays."""

import json

import pytest

from components.pages.published import settings
from components.streamlit.address import faults
from mha.published.table import entries
from tests.app.driver import charts, figures, open_page, outside_code, said, text, title, whole

PAGE = "published_models"
ROWS = {entry.slug: entry for entry in entries().values()}
SMALL = {"model_type": "llama", "hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 10, "num_key_value_heads": 5}


def ask(**query: object):
    return whole(open_page(PAGE, **query))


def paste(at, body: str):
    return whole(at.text_area(key="config_text").set_value(body).run())


def test_the_first_screen_says_109_514_298_twice_and_its_ledger_sums_to_it():
    at = ask(model="RoBERTa-blog")
    assert title(at) == "RoBERTa-blog: 12 heads, 109,514,298 parameters. 6 heads, 109,514,298."
    lines = next(body for body in said(at) if "| **sum** |" in body).split("\n")
    counts = [int(line.split("|")[-2].replace(",", "")) for line in lines[2:-2]]
    assert sum(counts) == 109_514_298
    assert "**109,514,298**" in lines[-1]
    assert len(counts) == 15


def test_no_button_in_a_popover_is_filled_where_streamlit_writes_white_on_white():
    (button,) = [button for button in ask().button if button.label == "Read it"]
    assert button.proto.type == "secondary"


def test_the_blogs_observation_is_there_with_its_divisors_its_refusals_and_the_other_counts():
    at = ask(model="RoBERTa-blog")
    assert "All 18 divisors of 768 give **109,514,298**: h = 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, " in text(at)
    (code,) = at.code
    assert [line.split("heads ")[-1] for line in code.value.split("\n")] == ["(5)", "(7)", "(10)"]
    for count in ("**109,514,298**", "**124,696,665**", "**124,697,433**"):
        assert any(f"| {count} |" in body for body in said(at))


def test_it_opens_with_bert_beside_two_models_that_count_otherwise():
    """BERT's heads share 768 whatever their number. Llama-3-8B keeps 8 key/value heads of 4,096 / h: half the heads make W_K and
    W_V of each of 32 layers twice as large, 2 · 4,096 · 1,024 more. T5-base's heads are 64 wide each, in 36 modules of
    4 · 768 · 64 numbers a head, besides the 32 distances of its two tables of biases."""
    at = ask()
    assert title(at).startswith("BERT-base: 12 heads, 109,482,240 parameters.")
    kinds = ("All heads **share one width**", "The **number of key heads is fixed**", "Each head **brings its own width**")
    assert [sum(body.startswith(kind) for body in said(at)) for kind in kinds] == [1, 1, 1]
    bert, llama, t5 = (
        [[cell.strip() for cell in line.split("|")[1:-1]] for line in body.split("\n")]
        for name in ("BERT-base", "Llama-3-8B", "T5-base") for body in said(at) if body.startswith(f"| {name} ")
    )  # fmt: skip
    assert bert[2:] == [[words, "109,482,240"] for words in ("6 heads", "12 heads, as published", "24 heads")]
    assert llama[2] == ["16 heads", f"{8_030_261_248 + 32 * 2 * 4096 * 1024:,}"]
    assert t5[4] == ["24 heads", f"{222_903_552 + 12 * (36 * 4 * 768 * 64 + 2 * 32):,}"]


@pytest.mark.parametrize("slug", ROWS)
def test_every_model_comes_up_with_its_own_numbers(slug: str):
    at = ask(model=slug)
    model = ROWS[slug].model
    count = model.attention_total if model.total is None else model.total
    heads = model.attention.heads
    assert title(at).startswith(f"{slug}: {heads} head{'s' if heads > 1 else ''}, {count:,} ")
    assert f"| attention in all | | {model.modules:,} | {ROWS[slug].counts['attention']:,} |" in text(at)
    assert ("whole_model" in charts(at)) == (model.total is not None)
    assert {"matrices", "sharing", "moves", "widths"} <= set(charts(at))


@pytest.mark.parametrize("slug", ["T5-11B", "Gemma-3-27B", "DeepSeek-V2-Lite", "Falcon-7B", "PaLM-540B", "Transformer-A-h1"])
@pytest.mark.parametrize(("further", "chart"), [("costs", "costs"), ("compare", "compared")])
def test_every_kind_of_model_can_be_compared_and_costed(slug: str, further: str, chart: str):
    assert chart in charts(ask(model=slug, further=further))


@pytest.mark.parametrize(("query", "wanted"), [
    ({"model": "Llama-3-8B", "model_heads": 16}, "Llama-3-8B: 16 heads, 8,298,696,704 parameters. 32 heads, 8,030,261,248."),
    ({"model": "Gemma-2B", "model_heads": 4}, "Gemma-2B: 4 heads, 2,430,674,944 parameters. 8 heads, 2,506,172,416."),
    ({"model": "Llama-3-8B", "model_kv_heads": 4},
     "Llama-3-8B: 32 heads on 4, 7,896,043,520 parameters. 32 heads on 8, 8,030,261,248."),
    ({"model": "RoBERTa-blog", "model_heads": 768}, "RoBERTa-blog: 768 heads, 109,514,298 parameters. 12 heads, 109,514,298."),
    ({"model": "RoBERTa-blog", "model_heads": 5}, "RoBERTa-blog: 5 heads do not divide d_model = 768."),
])  # fmt: skip
def test_moved_heads_are_counted_in_the_title(query: dict, wanted: str):
    """Llama-3-8B with 16 heads: attention × 1.2 (1,610,612,736); Gemma-2B with 4: × 0.5556 (94,371,840)."""
    assert title(ask(**query)) == wanted


@pytest.mark.parametrize("heads", [5, 7, 10])
def test_what_hugging_face_refuses_is_said_in_its_words_with_the_nearest_that_it_takes(heads: int):
    at = ask(model="BERT-base", model_heads=heads)
    assert at.code[0].value == f"ValueError: The hidden size (768) is not a multiple of the number of attention heads ({heads})"
    near = {5: "**4** or **6**", 7: "**6** or **8**", 10: "**8** or **12**"}[heads]
    assert f"can have: {near}." in text(at)
    assert "109,482,240" in text(at), "below it stands as published"


def test_where_transformers_rounds_down_it_is_counted_so_and_said():
    at = ask(model="ViT-B-16", model_heads=5)
    assert "5 heads do not divide 768. transformers raises nothing here: d_k = 768 // 5 = 153" in at.info[0].value
    assert f"{12 * (4 * 768 * 765 + 3 * 765 + 768):,}" in text(at)


def test_another_model_starts_with_its_own_heads():
    at = ask(model="Llama-3-8B", model_heads=16, model_kv_heads=4)
    whole(at.selectbox(key="model").set_value("Gemma-2B").run())
    assert title(at).startswith("Gemma-2B: 8 heads, 2,506,172,416")


def test_a_pasted_configuration_is_the_model_and_the_address_keeps_it():
    at = paste(ask(model_heads=4), json.dumps(SMALL | {"id2label": {"0": "x"}}))
    assert "| attention in all | | 3 | 14,400 |" in text(at)
    assert "Left out, so transformers' default: " in text(at)
    assert "`vocab_size` = `32000`" in text(at)
    again = ask(model=settings.OWN, config_json=at.session_state["config_json"])
    assert title(again) == title(at)
    assert "id2label" not in at.session_state["config_json"]


@pytest.mark.parametrize(("body", "words"), [
    ("oops", ["Line 1, column 1", "must be JSON", "`oops`"]),
    ("[" * 9000, ["few levels"]),
    ("x" * 300_000, ["256,000 characters", "300,000"]),
    (json.dumps(SMALL | {"num_attention_heads": "10"}), ["**num_attention_heads**", 'the text "10"']),
    (json.dumps(SMALL | {"num_attention_heads": 0}), ["**num_attention_heads**", "from 1 to 4,096", "`0`"]),
    (json.dumps(SMALL | {"num_attention_heads": 7}), ["7 heads do not divide d_model = 40", "not a multiple"]),
    (json.dumps({"model_type": "new", "hidden_size": 40}), ["**num_attention_heads (or ", "must be there", "no such field"]),
    (json.dumps({"model_type": "llama", "hidden_size": 40}), ["32 heads do not divide d_model = 40"]),
    (json.dumps({"model_type": "llama", "architectures": ["<img src=zqx>"]}), ["**architectures**", "names of classes"]),
    (json.dumps({"model_type": "llava", "text_config": {"model_type": "<b>zqx</b>"}}), ["**text_config.model_type**", "family"]),
    (json.dumps(SMALL | {"hidden_size": "`<b>zqx</b>` **zqx**"}), ["**hidden_size**", "zqx"]),
    (json.dumps({"model_type": "<img src=x onerror=zqx>", "hidden_size": "![zqx](http://127.0.0.1/x.png)"}), ["**hidden_size**"]),
])  # fmt: skip
def test_what_cannot_be_read_is_said_and_the_last_good_model_and_the_text_stay(body: str, words: list[str]):
    at = paste(ask(), json.dumps(SMALL))
    good = title(at)
    at = paste(at, body)
    assert title(at) == good
    assert at.text_area(key="config_text").value == body
    (sentence,) = {warning.value.removesuffix(" The last good configuration stays on screen.") for warning in at.warning}
    assert sum(warning.value.endswith(" The last good configuration stays on screen.") for warning in at.warning) == 1
    assert all(word in sentence for word in words)
    for shown in said(at):
        assert "zqx" not in outside_code(shown)


@pytest.mark.parametrize("config", ["xxx", '{"dim": 8, "dim": 16}', '{"hidden_size": 40, "num_attention_heads": 7}'])
def test_a_configuration_in_the_address_that_cannot_be_read_leaves_the_first_of_the_table_and_says_so(config: str):
    at = ask(model=settings.OWN, config_json=config)
    assert title(at).startswith("BERT-base: ")
    outside = [warning.value for warning in at.warning if warning.value.endswith(" is shown, the first of the table.")]
    fault = at.session_state["config_fault"]
    assert outside == [f"{fault} Until one can be read, BERT-base is shown, the first of the table."]
    assert not any("last good" in words for words in said(at))
    whole(at.selectbox(key="model").set_value("Gemma-2B").run())
    assert not at.warning


def test_a_bad_one_that_is_pasted_beside_a_published_model_leaves_that_model_and_says_which():
    at = paste(ask(model="Gemma-2B"), "xxx")
    assert title(at).startswith("Gemma-2B: 8 heads")
    assert sum(warning.value.endswith(". Gemma-2B stays on screen.") for warning in at.warning) == 1


def test_a_good_one_after_a_bad_one_clears_the_complaint():
    at = paste(paste(ask(), "oops"), json.dumps(SMALL))
    assert not at.warning
    assert title(at).startswith("Your configuration: 10 heads")


def test_guesses_about_an_unknown_family_are_said_on_screen():
    at = paste(ask(), json.dumps({"model_type": "brand-new", "dim": 42, "n_heads": 6, "n_layers": 5}))
    assert "**Assumed**, family unknown" in text(at)
    assert "as many as heads" in text(at)
    assert "d_model / heads" in text(at)
    assert f"{5 * 4 * 42 * 42:,} attention parameters" in title(at)


def test_fields_that_are_not_followed_or_not_known_are_named_as_code():
    body = SMALL | {"per_layer_config": {"0": {}}, "<b>zqx</b>": "`<i>zqx</i>", "hidden_act": "silu"}
    at = paste(ask(), json.dumps(body))
    assert title(at).startswith("Your configuration: 10 heads, 14,400 attention parameters, not exact.")
    assert "**Not exact**, model_type `llama`. Not followed here: `per_layer_config` = `an object with 1 fields`." in text(at)
    assert "`<b>zqx</b>` = " in text(at)
    assert "hidden_act" not in text(at).split("Left out")[0]
    for shown in said(at):
        assert "zqx" not in outside_code(shown)
    again = ask(model=settings.OWN, config_json=at.session_state["config_json"])
    assert title(again) == title(at)


@pytest.mark.parametrize("config", ["[", "{}", '{"hidden_size": "' + "9" * 5000, "<script>zqx</script>", "%", "x" * 9000])
def test_whatever_configuration_the_address_brings_the_page_comes_up(config: str):
    at = ask(model=settings.OWN, config_json=config)
    assert title(at).startswith("BERT-base")
    assert at.warning
    for shown in said(at):
        assert "zqx" not in outside_code(shown)


@pytest.mark.parametrize(("query", "words"), [
    ({"model": "zqx"},
     "**model** must be one of the 61 that the page offers, such as RoBERTa-blog, got `zqx`; showing BERT-base."),
    ({"model_heads": "0"}, "**model_heads** must be a whole number from 1 to 4096, got `0`; showing the model's own."),
    ({"compare": "x"}, "**compare** must be one of the 60 that the page offers"),
    ({"context": "99999999"}, "**context** must be a whole number from 1 to 16777216, got `99999999`; showing 8192."),
    ({"sequences": "none"}, "**sequences** must be a whole number from 1 to 65536, got `none`; showing 1."),
    ({"convention": "blue"}, "**convention** must be all or invariant or pinned or own or latent, got `blue`; showing all."),
])  # fmt: skip
def test_an_address_that_cannot_be_is_said(query: dict, words: str):
    at = ask(**query)
    assert any(words in warning.value for warning in at.warning)
    (sentence,) = [fault.sentence for fault in faults({key: [value] for key, value in query.items()})]
    assert len(sentence) < 200


def test_the_matrices_say_in_words_what_is_drawn():
    """The sizes are Llama-3-8B's own: 32 heads of 128 on 8 key/value heads, 4,096 wide."""
    at = whole(open_page("published_models", model="Llama-3-8B"))
    alt = figures(at)["matrices"]["alt"]
    assert "W_Q 4,096 × 4,096" in alt
    assert "W_K 4,096 × 1,024" in alt


def test_a_configuration_that_names_no_class_says_which_one_is_counted():
    words = "It does not say which class is built (`architectures` is not there)"
    at = paste(ask(), json.dumps(SMALL))
    assert f"{words}, so its family's usual one is counted: `LlamaForCausalLM`." in text(at)
    at = paste(at, json.dumps(SMALL | {"architectures": ["LlamaModel"]}))
    assert words not in text(at)
