"""The settings, the search results and the record of the page Models."""

from collections.abc import Iterator

from components.page import Item, Page, address
from headcount import Config
from headcount.cost import multiply_adds
from headcount.models.attention import MAX_HEADS
from headcount.models.cost import MAX_CONTEXT, MAX_SEQUENCES
from headcount.models.entry import entries, row
from headcount.settings import Whole, by_code, text, word
from headcount.text_bounds import MAX_CONFIG_NAME

#: Names in the address of two models beside the published ones: the layer of the other pages, and the visitor's configuration.
THIS_LAYER, OWN_CONFIG = "this-layer", "your-config.json"
FIRST_MODEL = "BERT-base"
MODEL_HEADS = ("model_heads", "model_kv_heads")


def _own_count(code: str, label: str) -> Whole[int | None]:
    return Whole(code=code, default=None, least=1, most=MAX_HEADS, label=label, default_label="the model's own")


BY_CODE = by_code((
    word(
        "model", (*dict.fromkeys((FIRST_MODEL, *entries())), THIS_LAYER, OWN_CONFIG), "Model",
        "Type to search. The last two entries are yours: the layer of the other pages, and a configuration that you paste.",
    ),
    word("further", ("all-models", "ledger", "costs"), "Look further"),
    _own_count(MODEL_HEADS[0], "Heads h"),
    _own_count(MODEL_HEADS[1], "Key/value heads"),
    Whole(code="context", default=8192, least=1, most=MAX_CONTEXT, label="Context T (tokens)"),
    Whole(code="sequences", default=1, least=1, most=MAX_SEQUENCES, label="Sequences B"),
    Whole(code="model_layers", default=1, least=1, most=1000, label="Layers", help="All layers have the same sizes."),
    text("config_name", MAX_CONFIG_NAME, "Configuration"),
    text("search", 100, "Search"),
))  # fmt: skip


def items() -> Iterator[Item]:
    for slug, entry in entries().items():
        facts = " ".join(f"{key} {value:,}" if isinstance(value, int) else f"{value}" for key, value in row(slug).items())
        text = f"{entry.name} {entry.model.model_type} parameters heads {facts}"
        yield Item("model", slug, address("models", {"model": slug}), text)


PAGE = Page(
    "models", "Models", "if you choose or run one", lab=False, settings=tuple(BY_CODE.values()),
    asked="GQA, MQA and MHA, KV cache, GPU memory, flops calculation, FLOPs, num_key_value_heads, config.json, head_dim",
    text=f"what it costs: {sum(multiply_adds(Config()).values()):,} multiply-adds, FLOPs, memory, KV cache",
    seen_with={"model_layers": {"model": THIS_LAYER}}, listed=("model",), items=items,
)  # fmt: skip
