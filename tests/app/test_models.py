"""The page Models: its sentences follow from the sizes, and it survives any typed text."""

import csv
import io
import json

import pytest

from components.address import moved_to, translate
from components.pages.models import BY_CODE, OWN_CONFIG, THIS_LAYER
from components.pages.models import further as every
from headcount.models.cost import longest_context
from headcount.models.entry import entries
from headcount.names import heads_in_words
from tests.app.driver import charts, component, figures, open_page, outside_code, said, schematics, text, title, whole

PAGE = "models"
SMALL = {"model_type": "llama", "hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 10, "num_key_value_heads": 5}


def ask(**query: object):
    return whole(open_page(PAGE, **query))


def paste(at, body: str):
    return whole(at.text_area(key="config_text").set_value(body).run())


def test_the_blogs_model_is_109_514_298_with_a_ledger_its_divisors_its_refusals_and_the_other_counts():
    at = ask(model="RoBERTa-blog", further="ledger")
    assert title(at) == "RoBERTa-blog: 12 heads × 64 = 768, the model's width."
    lines = next(body for body in said(at) if "| **sum** |" in body).split("\n")
    counts = [int(line.split("|")[-2].replace(",", "")) for line in lines[2:-2]]
    assert sum(counts) == 109_514_298
    assert "**109,514,298**" in lines[-1]
    wanted = "The whole model has 12 layers and 109,514,298 parameters. One head more is not possible: 13 heads do not divide "
    assert any(body.startswith(wanted) for body in said(at))
    assert "All 18 divisors of 768 give **109,514,298**: h = 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, " in text(at)
    (code,) = at.code
    assert [line.split("heads ")[-1] for line in code.value.split("\n")] == ["(5)", "(7)", "(10)"]
    for count in ("**109,514,298**", "**124,696,665**", "**124,697,433**"):
        assert any(f"| {count} |" in body for body in said(at))


def test_it_opens_with_bert_and_with_its_own_table_alone_and_no_button_is_filled():
    """In a popover, Streamlit writes white on white on a filled button."""
    at = ask()
    assert title(at) == "BERT-base: 12 heads × 64 = 768, the model's width."
    assert not any("| T5-base" in body for body in said(at))
    (alt,) = schematics(at)
    count = "28,348,416 attention parameters in 12 layers. One module has W_Q 768 × 768, "
    assert f"12 heads, 64 wide each, as published, with {count}" in alt
    assert f"16 heads, 48 wide each, no parameter more or fewer, with {count}" in alt
    (button,) = [button for button in at.button if button.label == "Read it"]
    assert button.proto.type == "secondary"


@pytest.mark.parametrize(("query", "wanted"), [
    ({"model": "T5-11B"}, "T5-11B: 128 heads × 128 = 16,384, 16 × the model's width."),
    ({"model": "Gemma-3-27B"}, "Gemma-3-27B: 32 heads × 128 = 4,096, 0.762 × the model's width."),
    # 36 modules of four matrices 768 × 64, and 32 distances in each of two tables.
    ({"model": "T5-base", "model_heads": 13}, f"T5-base, 12 → 13 heads: {36 * 4 * 768 * 64 + 2 * 32:,} parameters more."),
    # In 61 layers a head unpacks 192 numbers of 1,536 for its query, 256 of 512 for key and value, and brings 128 rows of W_O.
    ({"model": "DeepSeek-V3", "model_heads": 129},
     f"DeepSeek-V3, 128 → 129 heads: {61 * (1536 * 192 + 512 * 256 + 128 * 7168):,} parameters more."),
    # It names 32 key/value heads, as many as heads: with 64 heads it has 64, and the count stays.
    ({"model": "Llama-2-7B", "model_heads": 64}, "Llama-2-7B, 32 → 64 heads: no parameter more or fewer."),
    # Attention × 1.2 (1,610,612,736), and × 0.5556 (94,371,840).
    ({"model": "Llama-3-8B", "model_heads": 16}, "Llama-3-8B, 32 → 16 heads: 268,435,456 parameters more."),
    ({"model": "Gemma-2B", "model_heads": 4}, "Gemma-2B, 8 → 4 heads: 75,497,472 parameters fewer."),
    ({"model": "Llama-3-8B", "model_kv_heads": 4}, "Llama-3-8B, 32 on 8 → 32 heads on 4: 134,217,728 parameters fewer."),
    ({"model": "RoBERTa-blog", "model_heads": 768}, "RoBERTa-blog, 12 → 768 heads: no parameter more or fewer."),
    ({"model": "RoBERTa-blog", "model_heads": 5}, "RoBERTa-blog: 5 heads do not divide d_model = 768."),
    ({"model": THIS_LAYER, "d_model": 16, "num_heads": 3}, "3 heads do not divide 16."),
])  # fmt: skip
def test_the_title_says_how_wide_all_heads_are_or_what_the_heads_that_are_chosen_cost(query: dict, wanted: str):
    assert title(ask(**query)) == wanted


def test_weights_cache_and_what_fits_are_the_first_table_of_the_costs_below_the_matrices():
    """Llama-3-8B: 8,030,261,248 weights, and 32 · 8 · 256 numbers of cache for each token; in bf16 and int4 within 24 GiB. With
    64 heads of 64 in place of 32 of 128, on 8 key/value heads, W_K has 512 columns in place of 1,024."""
    at = ask(model="Llama-3-8B", context=1000, sequences=3, further="costs")
    table = next(body for body in said(at) if body.startswith("|"))
    assert "| weights | 8,030,261,248 | 29.9 GiB | 15 GiB | 7.48 GiB | 3.74 GiB |" in table
    assert f"| KV cache, T = 1,000, B = 3 | {3 * 1000 * 65_536:,} |" in table
    bf16, int4 = (((24 << 30) - 8_030_261_248 * one) // (3 * 65_536 * one) for one in (2, 0.5))
    assert f"| **tokens that fit in 24 GiB beside the weights** | | **none** | **{bf16:,}** |" in table
    assert f" | **{int(int4):,}** |" in table
    (alt,) = schematics(at)
    assert (
        "32 heads, 128 wide each, as published, with 1,342,177,280 attention parameters in 32 layers. One module has W_Q 4,096"
        in alt
    )
    assert "64 heads, 64 wide each, 134,217,728 parameters fewer, with 1,207,959,552 attention parameters in 32 layers." in alt
    assert "W_K 4,096 × 512," in alt


def test_the_layer_of_the_other_pages_is_a_model_of_so_many_layers():
    """16 wide, 4 heads of 4: 4 · (16 · 16 + 16) for each layer. 6 tokens: 4 · 6 · 16² + 2 · 6² · 16 = 7,296 multiply-adds."""
    at = ask(model=THIS_LAYER, context=6, further="costs")
    assert title(at) == "This layer: 4 heads × 4 = 16, the model's width."
    (alt,) = schematics(at)
    assert "4 heads, 4 wide each, as it is, with 1,088 attention parameters" in alt
    assert "| KV cache, T = 6 | 192 |" in text(at)
    assert "| **multiply-adds** | **7,296** | 7,296 |" in text(at)
    at = ask(model=THIS_LAYER, context=6, further="costs", model_layers=12)
    assert "12 heads" not in text(at)
    assert "87,552" in text(at)
    free = {"model": THIS_LAYER, "split": "free", "num_heads": 3, "key_dim": 5, "value_dim": 7, "use_gate": "true"}
    assert (
        title(ask(**free, model_heads=4))
        == f"This layer, 3 → 4 heads: {16 * (5 + 5 + 7 + 7 + 7) + 5 + 5 + 7 + 7} attention parameters more."
    )


def test_a_window_and_shared_keys_cost_the_layer_less():
    """11 tokens and 4 heads of 4 on 2 key/value heads: W_K and W_V lose half. Under a causal window of 3 each token sees 3."""
    query = {"model": THIS_LAYER, "context": 11, "further": "costs", "mask": "causal", "sliding_window": 3}
    at = ask(**query, model_kv_heads=2)
    assert title(at) == f"This layer, 4 on 4 → 4 heads on 2: {2 * (16 * 8 + 8)} attention parameters fewer."
    assert f"{11 * 16 * (16 + 8 + 8 + 16) + 2 * 11 * 3 * 16:,}" in text(at)


def test_old_settings_of_costs_are_of_all_layers_where_they_said_so_and_no_other_address_moves():
    assert translate({"load_scope": ["all"]}) == {"load_scope": None, "model_layers": "12"}
    assert translate({"load_scope": ["all"], "load_layers": ["7"]})["model_layers"] == "7"
    assert {moved_to(path, "x=1") for path in ("", "models", "costs/more")} == {None}


def test_the_start_page_leads_there_with_the_number():
    at = whole(open_page("heads", query_len=6, key_len=6))
    assert any("7,296 multiply-adds" in link.proto.label for link in at.get("page_link"))


@pytest.mark.parametrize(
    "slug", ["T5-11B", "Gemma-3-27B", "DeepSeek-V2-Lite", "Falcon-7B", "PaLM-540B", "Transformer-A-h1", "ALBERT-base-v2"]
)
def test_a_model_of_every_kind_comes_up_with_its_own_numbers_and_costs(slug: str):
    at = ask(model=slug, further="ledger")
    model = entries()[slug].model
    count = model.attention_total if model.total is None else model.total
    heads = model.attention.heads
    assert title(at).startswith(f"{slug}: {heads} head{'s' if heads > 1 else ''} × {model.attention.d_k:,} = ")
    assert (f"The whole model has {model.layers} layers and {count:,} parameters." in text(at)) == (model.total is not None)
    assert f"| all attention | | {model.modules:,} | {entries()[slug].counts['attention']:,} |" in text(at)
    assert ("whole_model" in charts(at)) == (model.total is not None)
    assert "sweep" in charts(at)
    matrices, shares = schematics(at)
    assert matrices.startswith("The weight matrices of attention are drawn to one scale.")
    assert heads_in_words(heads) in shares
    at = whole(at.segmented_control(key="further").set_value("costs").run())
    assert "sweep" in charts(at)


def test_what_hugging_face_refuses_is_said_in_its_words_with_the_nearest_that_it_takes():
    at = ask(model="BERT-base", model_heads=10)
    assert at.code[0].value == "ValueError: The hidden size (768) is not a multiple of the number of attention heads (10)"
    assert "The nearest possible number of heads is **8** or **12**." in text(at)
    assert "109,482,240" in text(at), "below it stands as published"


def test_where_transformers_rounds_down_it_is_counted_so_and_said():
    at = ask(model="ViT-B-16", model_heads=5, further="ledger")
    assert "5 heads do not divide 768. transformers raises nothing here: d_k = 768 // 5 = 153" in at.info[0].value
    assert f"{12 * (4 * 768 * 765 + 3 * 765 + 768):,}" in text(at)


def test_another_model_starts_with_its_own_heads_and_its_own_count_leaves_the_address():
    at = ask(model="RoBERTa-blog", model_heads=5)
    at = whole(at.number_input(key="model_heads_typed").set_value(12).run())
    assert (title(at), "model_heads" in at.query_params) == ("RoBERTa-blog: 12 heads × 64 = 768, the model's width.", False)
    at = ask(model="Llama-3-8B", model_heads=16, model_kv_heads=4)
    whole(at.selectbox(key="model").set_value("Gemma-2B").run())
    assert title(at).startswith("Gemma-2B: 8 heads × ")


def test_a_pasted_or_an_uploaded_configuration_is_the_model_and_the_address_keeps_its_name():
    """No text of a file, such as its name, is markup. A link has only the name, so it asks for the text again."""
    strange = {"attention_<b>zqx</b>": "`<i>zqx</i>", "architectures": ["**zqx**"]}
    body = json.dumps(SMALL | {"id2label": {"0": "x"}} | strange)
    at = paste(ask(model_heads=4, further="ledger"), body)
    assert title(at) == "Your configuration: 10 heads × 4 = 40, the model's width."
    assert not any("zqx" in outside_code(shown) for shown in said(at))
    assert "| all attention | | 3 | 14,400 |" in text(at)
    assert at.session_state["config_name"] == "**zqx**"
    again = ask(model=OWN_CONFIG, config_name="**zqx**")
    assert title(again).startswith("BERT-base: ")
    (words,) = [info.value for info in again.info]
    assert words.startswith("A link keeps the name of a configuration (`**zqx**`), not its text. Paste or upload one ")
    uploaded = ask(model="Llama-3-8B", model_heads=16)
    for data, words in (
        (b" " * 300_000, "256,000 characters, found `300000`"), (b"\xff{}", "in UTF-8"), (("\ufeff" + body).encode(), ""),
    ):  # fmt: skip
        uploaded = whole(uploaded.file_uploader(key="config_file").upload("config.json", data, "application/json").run())
        assert [words in warning.value for warning in uploaded.warning] == [True] * 2 * bool(words)
    assert title(uploaded) == title(at)


@pytest.mark.parametrize(("body", "words"), [
    ("oops", ["not JSON at line 1, column 1", "`oops`"]),
    ("[" * 200_000, ["a few levels"]),
    ("x" * 300_000, ["256,000 characters", "300000"]),
    (json.dumps(SMALL | {"num_attention_heads": 7}), ["7 heads do not divide d_model = 40", "not a multiple"]),
    (json.dumps(SMALL | {"hidden_size": "`<b>zqx</b>` **zqx**"}), ["hidden_size must", "zqx"]),
    (json.dumps({"model_type": "<img src=x onerror=zqx>", "hidden_size": "![zqx](http://127.0.0.1/x)"}), ["hidden_size must"]),
])  # fmt: skip
def test_what_cannot_be_read_is_said_and_the_last_good_model_and_the_text_stay(body: str, words: list[str]):
    at, stays = paste(ask(), json.dumps(SMALL)), " The last good configuration stays on screen."
    good = title(at)
    at = paste(at, body)
    assert (title(at), at.text_area(key="config_text").value) == (good, body)
    (sentence,) = {warning.value.removesuffix(stays) for warning in at.warning}
    assert sum(warning.value.endswith(stays) for warning in at.warning) == 1
    assert all(word in sentence for word in words)
    for shown in said(at):
        assert "zqx" not in outside_code(shown)


@pytest.mark.parametrize("query", [
    {"config_json": json.dumps(SMALL)}, {"config_json": "<script>zqx</script>"}, {"config_name": "<b>zqx</b>"},
    {"config_name": "x" * 9000},
])  # fmt: skip
def test_a_link_to_a_configuration_shows_the_first_of_the_table_and_says_what_it_lacks(query: dict):
    """An old link had the text. The address now keeps only its name."""
    at = ask(model=OWN_CONFIG, **query)
    assert title(at).startswith("BERT-base: ")
    assert "Until then the first of the table is shown." in text(at)
    assert "config_json" not in at.query_params
    assert not any("zqx" in outside_code(words) for words in said(at))
    whole(at.selectbox(key="model").set_value("Gemma-2B").run())
    assert "A link keeps the name" not in text(at)


def test_a_bad_one_that_is_pasted_beside_a_published_model_leaves_that_model_until_a_good_one_comes():
    at = paste(ask(model="Gemma-2B"), "xxx")
    assert title(at).startswith("Gemma-2B: 8 heads × ")
    assert sum(warning.value.endswith(". Gemma-2B stays on screen.") for warning in at.warning) == 1
    at = paste(at, json.dumps(SMALL))
    assert not at.warning
    assert title(at).startswith("Your configuration: 10 heads × 4 ")


def test_of_an_unknown_family_heads_sizes_and_one_layers_matrices_are_shown_and_no_total():
    at = paste(ask(further="costs"), json.dumps({"model_type": "new", "dim": 42, "n_heads": 6, "n_layers": 5, "n_kv_heads": 3}))
    assert title(at) == "Your configuration: 6 heads on 3, 42 wide."
    (alt,) = schematics(at)
    assert "W_Q 42 × 42, W_K 42 × 21, W_V 42 × 21, W_O 42 × 42." in alt
    assert "The file names no head size: the picture has d_model / heads, as in the paper." in text(at)
    assert "key/value heads:" not in text(at)
    assert "Costs cannot be had from this file: it does not say all that its class does." in text(at)
    assert not any(word in text(at).replace("cannot", "") for word in ("parameters", "KV cache", "weights |", "fits in"))
    assert {"hide_model_heads_choice", "hide_model_kv_heads_choice", "hide_load_choice"} <= {
        getattr(one, "key", "") for one in at.sidebar
    }


def test_a_file_that_gives_attention_a_shape_of_its_own_has_no_picture():
    shaped = {"model_type": "zamba2", "hidden_size": 40, "num_attention_heads": 4, "attention_hidden_size": 80}
    at = paste(ask(), json.dumps(shaped))
    assert schematics(at) == []
    assert "The file gives attention a shape of its own in `attention_hidden_size`" in text(at)


def test_the_table_is_searched_by_name_convention_and_kind():
    assert len(every.matching("")) == 60
    assert [entry.slug for entry in every.matching("short summary")] == ["DeepSeek-V2-Lite", "DeepSeek-V3", "Kimi-K2"]
    assert {entry.slug for entry in every.matching("gqa llama")} == {"Llama-3-8B", "Llama-3-70B", "Llama-3.1-405B"}
    assert every.matching("no such model") == []
    at = ask(search="mla deepseek")
    ((_, data),) = component(at, "tables")
    (table,) = json.loads(data)
    assert [model for model, *_ in table["rows"]] == ["DeepSeek-V2-Lite", "DeepSeek-V3", "Kimi-K2"]
    assert dict(zip(table["heads"], table["rows"][1], strict=True))["all attention"] == "11,413,547,008"
    assert "No model fits." in ask(search="nothing of the kind").info[0].value


def test_the_csv_has_every_row_with_the_tables_counts_and_sources():
    rows = list(csv.DictReader(io.StringIO(every.as_csv(entries().values()))))
    assert [row["model"] for row in rows] == list(entries())
    for row in rows:
        entry = entries()[row["model"]]
        counts = entry.counts
        assert int(row["attention"]) == counts["attention"]
        assert row["total"] == str(counts.get("total") or "")
        assert row["source"] == entry.source
    assert {row["counted"] for row in rows if row["model"] in ("BERT-base", "PaLM-540B")} == {"BertModel", "formula only"}


def test_costs_are_those_of_the_typed_context_and_batch():
    """Llama-3-8B: 131,072 bytes a token; 32 layers, 32 heads of 128."""
    at = ask(model="Llama-3-8B", context=1000, sequences=3, further="costs")
    assert f"| **cache, 1,000 tokens** | **375 MiB** | {131_072 * 3000:,} B |" in text(at)
    assert f"{32 * 3 * 1000 * 1000 * 4096:,}" in text(at)
    assert f"{2 * 32 * 3 * 1000 * 1000:,} B" in text(at)
    at.number_input(key="context").set_value(500).run()
    assert f"{131_072 * 1500:,} B" in text(whole(at))


@pytest.mark.parametrize(("slug", "tokens"), [
    ("BERT-base", 512), ("RoBERTa-base", 512), ("RoBERTa-blog", 510), ("ALBERT-base-v2", 512), ("GPT-2-124M", 1024),
    ("GPT-3-175B", 2048), ("Whisper-tiny", 448),
])  # fmt: skip
def test_a_model_reads_no_more_tokens_than_it_has_positions_for(slug: str, tokens: int):
    """The limit is the number of rows in its table of positions in the ledger. RoBERTa's positions begin at 2."""
    model = entries()[slug].model
    rows = [
        part.count for part in model.rest or () if part.label.endswith(("position_embeddings", "wpe", "decoder.embed_positions"))
    ]
    width = 128 if slug.startswith("ALBERT") else model.attention.d_model
    assert rows == [(tokens + 2 * slug.startswith("RoBERTa")) * width]
    at = ask(model=slug, further="costs")
    assert f"T is {tokens:,} here: {slug} has positions for {tokens:,} tokens." in text(at)
    layers = sum(group.layers for group in model.groups if group.cache)
    if layers:
        assert f"| **cache, {tokens:,} tokens** |" in text(at)
        assert longest_context(model, 1 << 50) == tokens
    at.number_input(key="context").set_value(100).run()
    assert "has positions for" not in text(whole(at))


def test_gpt_2_fits_with_all_the_tokens_that_it_can_read_and_no_more():
    table = next(body for body in said(ask(model="GPT-2-124M", further="costs")) if body.startswith("|"))
    assert "| KV cache, T = 1,024 |" in table
    assert table.count("**1,024**") == 4


@pytest.mark.parametrize(("query", "shown"), [
    ({}, False), ({"further": "costs"}, True), ({"further": "ledger"}, True), ({"model": "Llama-3-8B"}, False),
])  # fmt: skip
def test_context_and_sequences_are_seen_where_they_change_what_is_shown(query: dict, shown: bool):
    """No number depends on them before the ledger or the costs are opened."""
    few, many = (ask(**query, context=tokens) for tokens in (64, 65))
    assert ((text(few), figures(few)) != (text(many), figures(many))) == shown
    assert ("hide_load_choice" in {getattr(one, "key", "") for one in ask(**query).sidebar}) != shown


def test_a_file_name_with_a_star_is_written_as_it_is():
    assert r"inference/configs/\*.json (these files read)." in text(ask(model="DeepSeek-V3", further="ledger"))


def test_what_is_not_shown_keeps_its_fields_and_so_its_place_in_the_address():
    at = ask(context=77, search="gemma")
    for further in BY_CODE["further"].choices:
        at = whole(at.segmented_control(key="further").set_value(further).run())
        assert at.number_input(key="context").value == 77
        assert at.text_input(key="search").value == "gemma"


def test_the_table_and_the_dots_count_the_same_models():
    at = whole(ask())
    dots = sum(entry.row in ("model", "formula only") for entry in entries().values())
    table = f"{dots} published models, and variants from the Transformer paper and a blog"
    for words in (f"of {dots} models, heads × key size = width", table):
        assert words in text(at)
