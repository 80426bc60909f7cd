"""The page of models below its first screen: the table, costs."""

import csv
import io
import json

from components.page_settings import BY_CODE
from components.pages.models import further as every
from mha.models.table import entries
from tests.app.driver import component, open_page, text, whole

PAGE = "models"
ROWS = {entry.slug: entry for entry in entries().values()}


def ask(**query: object):
    return whole(open_page(PAGE, **query))


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
        counts = ROWS[row["model"]].counts
        assert int(row["attention"]) == counts["attention"]
        assert row["total"] == str(counts.get("total") or "")
        assert row["source"] == ROWS[row["model"]].source
    assert {row["counted"] for row in rows if row["model"] in ("BERT-base", "PaLM-540B")} == {"BertModel", "formula only"}


def test_costs_are_those_of_the_typed_context_and_batch():
    """Llama-3-8B: 131,072 bytes a token; 32 layers, 32 heads of 128."""
    at = ask(model="Llama-3-8B", context=1000, sequences=3, further="costs")
    assert f"| **cache, 1,000 tokens** | **375 MiB** | {131_072 * 3000:,} B |" in text(at)
    assert f"{32 * 3 * 1000 * 1000 * 4096:,}" in text(at)
    assert f"{2 * 32 * 3 * 1000 * 1000:,} B" in text(at)
    at.number_input(key="context").set_value(500).run()
    assert f"{131_072 * 1500:,} B" in text(whole(at))


def test_what_is_not_shown_keeps_its_fields_and_so_its_place_in_the_address():
    at = ask(context=77, search="gemma")
    for further in BY_CODE["further"].choices:
        at = whole(at.segmented_control(key="further").set_value(further).run())
        assert at.number_input(key="context").value == 77
        assert at.text_input(key="search").value == "gemma"
