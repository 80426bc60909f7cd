"""Names of sizes, choices and arrays: Keras's in code and in the address, the paper's symbols on screen."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """Names and bounds of one size: `code` in Python and the address, `symbol` in the paper (LaTeX), `letter` in an einsum."""

    code: str
    symbol: str
    letter: str
    label: str
    least: int
    most: int
    help: str


SIZES = (
    Name("d_model", r"d_{model}", "m", "Width", 1, 4096,
         "How many numbers each token has in the input and in the output. Keras reads this width from the input's last axis."),
    Name("num_heads", "h", "h", "Heads", 1, 256, "The number of heads, h in the paper. Each head makes one attention map."),
    Name("key_dim", "d_k", "k", "Key size", 1, 4096,
         "How many numbers each query and each key has in **each** head. In the paper, this size is d_k = d_model / h."),
    Name("value_dim", "d_v", "v", "Value size", 1, 4096,
         "How many numbers each value has in **each** head. In the paper, this size is d_v = d_model / h."),
    Name("query_len", "n_q", "t", "Queries (T)", 1, 512,
         "The number of tokens that look at the keys. Each token has one query in each head."),
    Name("key_len", "n_k", "s", "Keys (S)", 1, 512,
         "The number of tokens that can be looked at. Each token has one key and one value in each head. With S = T, the tokens "
         "of one sequence look at each other (self-attention). With S ≠ T, they look at those of another (cross-attention)."),
)  # fmt: skip

BY_CODE = {name.code: name for name in SIZES}
BY_LETTER = {name.letter: name for name in SIZES}
MASKS = ("none", "causal")
#: How rotary positions pair the numbers of a head: j with j + d_k / 2 (Llama, GPT-NeoX), or 2j with 2j + 1 (GPT-J).
ROTARY = ("none", "halves", "pairs")
#: Ways to normalise q and k: root mean square per head (Qwen3), over all heads (OLMo 2), or LayerNorm per head.
QK_NORMS = ("none", "rms", "rms_wide", "layer")


def noun(count: int, one: str, many: str = "") -> str:
    """Returns the noun for a count: `one` for 1, otherwise `many`. Without `many`, the regular plural of `one` is used."""
    regular = f"{one[:-1]}ies" if one.endswith("y") and one[-2] not in "aeiou" else f"{one}s"
    return one if count == 1 else many or regular


def counted(count: int, one: str, many: str = "") -> str:
    """Returns a count with its noun: "1 query", "1,234 queries"."""
    return f"{count:,} {noun(count, one, many)}"


def decimals(value: float, places: int = 2, thousands: str = "") -> str:
    """Formats a number with `places` decimals, a true minus sign and no "−0". `thousands`: the separator of thousands."""
    return f"{value:z{thousands}.{places}f}".replace("-", "−")


def as_share(value: float, places: int = 3) -> str:
    """Formats a number from 0 to 1 with `places` decimals. A number below 1 is never rounded to 1."""
    return decimals(value if value >= 1 else min(value, 1 - 10**-places), places)


def at_position(words: Sequence[str], place: int) -> str:
    """Names a 0-based position: its word in quotation marks, or "position 13" (from 1) if the word is missing or this number."""
    word = words[place] if place < len(words) else ""
    return f"“{word}”" if word not in ("", str(place + 1)) else f"position {place + 1}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns the end of a sentence that suggests the known name most similar to `word`. Returns "" if no name is similar."""
    bare = {name.lstrip("-"): name for name in known}  # two dashes make any two options alike
    near = difflib.get_close_matches(word.lower().lstrip("-"), bare, n=1)
    return f": did you mean {bare[near[0]]}?" if near else ""


def listed(words: Sequence[str], last: str = "and") -> str:
    """Joins words to a list such as "a, b and c". `last`: the conjunction before the last word."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def begun(text: str) -> str:
    """Returns the text with a capital first letter, as a sentence begins."""
    return text[:1].upper() + text[1:]


def heads_in_words(count: int) -> str:
    return counted(count, "head")


#: What sentences call each array.
LABELS = {
    "x_query": "X", "x_key": "X (keys)", "w_q": "W_Q", "w_k": "W_K", "w_v": "W_V", "w_o": "W_O", "b_q": "b_Q", "b_k": "b_K",
    "b_v": "b_V", "b_o": "b_O", "q": "Q", "k": "K", "v": "V", "scores": "QKᵀ", "scaled": "QKᵀ/√d_k", "masked": "masked scores",
    "weights": "A", "context": "Z", "concat": "Concat", "output": "output", "share": "Z·W_O share",
    "q_normed": "norm(Q)", "k_normed": "norm(K)", "q_rotated": "rotated Q", "k_rotated": "rotated K",
    "capped": "capped scores", "biased": "scores with ALiBi", "n_q": "γ_Q", "n_k": "γ_K", "wide_q": "γ_Q", "wide_k": "γ_K",
    "m_q": "β_Q", "m_k": "β_K", "sinks": "sinks",
    "w_g": "W_G", "b_g": "b_G", "g": "G", "gate": "σ(G)", "gated": "Z ⊙ σ(G)", "dropped": "A after dropout",
}  # fmt: skip
