"""Which of four conventions a model follows, and what that means for one more head."""

from dataclasses import dataclass, replace

from mha.config import divisors
from mha.names import counted, noun
from mha.published.attention import Attention, Refused
from mha.published.model import Model

#: Convention: how it is called on the screen.
CONVENTIONS = {
    "invariant": "heads share one width", "pinned": "fixed number of key/value heads", "own": "each head brings its own width",
    "latent": "heads unpack one short summary",
}  # fmt: skip
#: Who shares keys and values: how it is called on the screen.
SHARING = {"MHA": "multi-head", "GQA": "grouped-query", "MQA": "multi-query", "MLA": "multi-head latent"}


def convention(attention: Attention) -> str:
    """A key of CONVENTIONS."""
    if attention.latent:
        return "latent"
    if not attention.tied:
        return "own"
    return "invariant" if attention.kv_follow else "pinned"


def sharing(attention: Attention) -> str:
    """A key of SHARING."""
    if attention.latent:
        return "MLA"
    if attention.kv_heads == attention.heads:
        return "MHA"
    return "MQA" if attention.kv_heads == 1 else "GQA"


def sentence(attention: Attention) -> str:
    """The convention in one sentence, with this model's sizes."""
    d, h, kv = f"{attention.d_model:,}", attention.heads, attention.kv_heads
    heads = counted(kv, "key/value head")
    if attention.latent:
        return (
            f"Heads unpack one short summary: {counted(attention.latent.kv_rank, 'number')} a token (its paper says latent). "
            "Another head brings its own way to unpack them and its own rows of W_O; what packs them stays."
        )
    if not attention.tied:
        stays = "" if attention.kv_follow else f" W_K and W_V grow with the {heads} only."
        grows = "and all four matrices grow with the heads" if attention.kv_follow else "and W_Q and W_O grow with the heads."
        return f"Each head brings its own width: it is {attention.d_k} wide whatever d_model is, {grows}{stays or '.'}"
    if attention.kv_follow:
        return (
            f"Heads share one width: each is d_k = {d} / h wide, so the same matrices are only cut into more and narrower "
            "pieces."
        )
    extra = " Move both together and nothing changes." if kv == h else ""
    return (
        f"Fixed number of key/value heads: each head is d_k = {d} / h wide, but {heads} {noun(kv, 'stays', 'stay')}. W_Q and W_O "
        f"keep their size; W_K and W_V are h_kv · d_k wide, so more heads make them smaller.{extra}"
    )


@dataclass(frozen=True, slots=True)
class Change:
    """One matrix before and after a move. `verdict`: "stays", "grows" or "shrinks"."""

    name: str
    then: tuple[int, int]
    now: tuple[int, int]
    counts: tuple[int, int]

    @property
    def verdict(self) -> str:
        before, after = self.counts
        return "stays" if before == after else "grows" if after > before else "shrinks"


def changes(then: Attention, now: Attention) -> tuple[Change, ...]:
    """Every projection of a module, as published and with the heads moved."""
    return tuple(
        Change(a.name, (a.rows, a.cols), (b.rows, b.cols), (a.count, b.count))
        for a, b in zip(then.matrices(), now.matrices(), strict=True)
    )


def head_counts(attention: Attention, most: int = 1024) -> list[int]:
    """The slider's stops: head counts of layers that run, the model's own among them. Tied sizes: the divisors of d_model."""
    if attention.tied:
        tried = divisors(attention.d_model, most)
    else:
        powers = [n for k in range(11) for n in (2**k, 3 * 2**k)]
        tried = [n for n in powers if n <= min(most, 4 * attention.heads)]
    kv = attention.kv_heads
    tried = {*tried, *(() if attention.kv_follow else (kv * n for n in (1, 2, 4, 8) if kv * n <= most))}
    return sorted({*(h for h in tried if _runs(attention, h)), attention.heads})


def _runs(attention: Attention, heads: int) -> bool:
    if attention.tied and attention.d_model % heads:
        return False
    try:
        attention.with_heads(heads)
    except Refused:
        return False
    return True


def heads_to_compare(model: Model) -> int | None:
    """A head count to compare with: half as many, or twice, or the nearest one that runs. None where there is no other."""
    attention = model.attention
    stops = [h for h in head_counts(attention) if h != attention.heads]
    wanted = attention.heads / 2 if attention.heads > 1 else 2
    return min(stops, key=lambda h: abs(h - wanted), default=None)


def with_key_size(attention: Attention, d_k: int) -> Attention:
    """The same heads with another size, as if it were a setting."""
    latent = replace(attention.latent, nope=max(d_k - attention.latent.rope, 0)) if attention.latent else None
    return replace(attention, d_k=d_k, d_v=attention.d_v if attention.latent else d_k, tied=False, latent=latent)
