"""Conventions of published models: head sizes, the effect of more heads, and other changes to attention."""

from headcount.config import divisors
from headcount.models.attention import Attention
from headcount.names import counted
from headcount.switches import NONE, Switches, in_words

#: Conventions for the sizes of heads, each with its description on screen.
CONVENTIONS = {
    "invariant": "heads share one width", "pinned": "fixed number of key/value heads", "own": "each head has a width of its own",
    "latent": "heads unpack one short summary",
}  # fmt: skip
#: Ways in which heads share keys and values, with their names on screen.
SHARING = {"MHA": "multi-head", "GQA": "grouped-query", "MQA": "multi-query", "MLA": "multi-head latent"}


def convention(attention: Attention) -> str:
    """Returns the convention for the sizes of a module's heads, a key of CONVENTIONS."""
    if attention.latent:
        return "latent"
    if not attention.tied:
        return "own"
    return "invariant" if attention.kv_follow else "pinned"


def sharing(attention: Attention) -> str:
    """Returns how heads share keys and values, a key of SHARING: MHA, MQA (arXiv:1911.02150), GQA (arXiv:2305.13245) or MLA."""
    if attention.latent:
        return "MLA"
    if attention.kv_heads == attention.heads:
        return "MHA"
    return "MQA" if attention.kv_heads == 1 else "GQA"


def sentence(a: Attention) -> str:
    """Describes a module's convention in Markdown, with the module's sizes."""
    d, kv = f"{a.d_model:,}", counted(a.kv_heads, "key/value head")
    rank = counted(a.latent.kv_rank if a.latent else 0, "number")
    means = {
        "invariant": f"Each head is d_k = {d} / h wide, so more heads only cut the same matrices into narrower slices.",
        "pinned": f"Each head is d_k = {d} / h wide, but the model keeps {kv}. W_Q and W_O keep their size; W_K and W_V are "
        "h_kv · d_k wide, so more heads make them smaller.",
        "own": f"A head is {a.d_k} wide, whatever d_model is. W_Q and W_O grow with the heads, W_K and W_V with "
        f"the key/value heads (here {a.kv_heads:,}).",
        "latent": f"The summary (latent) has {rank} for each token. One more head adds weights that unpack the summary, weights "
        "for its queries, and rows of W_O. The weights that pack the summary stay the same.",
    }
    return f"**{CONVENTIONS[convention(a)].capitalize()}.** {means[convention(a)]}"


def head_counts(a: Attention, most: int = 1024) -> list[int]:
    """Lists the slider's numbers of heads: the module's own, and other possible ones. If `tied`, the others divide d_model."""
    powers = (n for k in range(11) for n in (2**k, 3 * 2**k) if n <= min(most, 4 * a.heads))
    shared = () if a.kv_follow else (a.kv_heads * n for n in (1, 2, 4, 8) if a.kv_heads * n <= most)
    tried = {*(divisors(a.d_model, most) if a.tied else powers), *shared}
    return sorted({*(h for h in tried if not (a.tied and a.d_model % h) and a.refused(h) is None), a.heads})


_ROTARY, _PAIRS, _ROTARY_AND_NORM = Switches("halves"), Switches("pairs"), Switches("halves", qk_norm="rms")
#: Changes to attention by family (model_type in transformers). A family that is not listed may have others.
CHANGED = dict.fromkeys(
    ("llama", "mistral", "mixtral", "gemma", "qwen2", "phi3", "falcon", "gpt_neox", "olmo", "starcoder2", "modernbert",
     "qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text", "stablelm", "granite", "phi"), _ROTARY
) | {
    "gptj": _PAIRS, "cohere": _PAIRS, "qwen3": _ROTARY_AND_NORM, "qwen3_moe": _ROTARY_AND_NORM, "gemma3_text": _ROTARY_AND_NORM,
    "olmo2": Switches(rotary="halves", qk_norm="rms_wide"), "gemma2": Switches(rotary="halves", soft_cap=50.0),
    "gpt_oss": Switches(rotary="halves", sinks=True), "bloom": Switches(alibi=True),
}  # fmt: skip
#: Families whose scores are not divided by √d_k.
UNSCALED = ("t5", "mt5", "umt5", "gpt_neo")
#: Families that rotate only a part of each head.
PARTLY = ("gpt_neox", "gptj", "phi", "stablelm")


def changed_words(model_type: str) -> list[str]:
    """Returns phrases for the known changes to attention in models of this type. Changed sizes are left out."""
    unscaled = ["scores that are not divided by √d_k"] if model_type in UNSCALED else []
    return in_words(CHANGED.get(model_type, NONE)) + unscaled
