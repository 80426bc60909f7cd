"""The record of the start page, Heads, and the search results that lead to this page."""

from collections.abc import Iterator

from components.page import Item, Page, address
from headcount import Config, count_parameters
from headcount.config import divisors
from headcount.plots.time import LENGTH, MEASURED
from headcount.settings import STOPS

#: Error messages of PyTorch and transformers, word for word, whose reason this page shows.
MESSAGES = (
    "AssertionError: embed_dim must be divisible by num_heads",
    "ValueError: The hidden size is not a multiple of the number of attention heads",
)


def items() -> Iterator[Item]:
    for message in MESSAGES:
        yield Item("message", message, address("", {"d_model": 16, "num_heads": 3}), "error")


def of_counts(query: str, words: list[str]) -> Iterator[Item]:
    """Search results for a query that is one whole number: layers with this parameter count in the paper's convention."""
    if len(words) != 1 or not words[0].isascii() or not words[0].isdigit() or len(words[0]) > 12:
        return
    for width in STOPS["d_model"]:
        for use_bias in (True, False):
            cfg = Config(width, 1, use_bias=use_bias)
            if count_parameters(cfg) == int(words[0]):
                heads = max(h for h in divisors(width) if h <= 8)
                biases = "with biases" if use_bias else "without biases"
                chosen = {"d_model": width, "num_heads": heads} | ({} if use_bias else {"use_bias": "false"})
                name = f"{count_parameters(cfg):,} parameters: every head count that divides d_model {width}, {biases}"
                yield Item("layer", name, address("", chosen), words[0])


PAGE = Page(
    "heads", "Heads",
    text=f"{count_parameters(Config()):,} parameters, number of heads, same count, total size, paper, PyTorch, Hugging Face or "
    "Keras convention",
    settings=(MEASURED, LENGTH), items=items, items_for=of_counts,
)  # fmt: skip
