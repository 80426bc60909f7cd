"""One attention module of a published model: its sizes, its matrices, and the same module with another head count."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mha.names import counted, heads_in_words, noun

#: Largest head count that a page moves to; the widest published model has 128.
MOST_HEADS = 4096


class Refused(ValueError):
    """A head count that this module cannot have. `raised`: what transformers raises, word for word; "" where it raises nothing
    and the sentence says what goes wrong instead."""

    def __init__(self, sentence: str, raised: str = ""):
        super().__init__(sentence)
        self.raised = raised


@dataclass(frozen=True, slots=True)
class Latent:
    """Sizes of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, 2.1): keys and values of all heads come out of one
    latent of `kv_rank` numbers, apart from one rotary key of `rope` numbers shared by all heads; queries out of one of `q_rank`
    (None: straight out of d_model). `nope`: the part of d_k that is not rotary."""

    kv_rank: int
    q_rank: int | None
    nope: int
    rope: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """One projection: rows × cols weights and `bias` more numbers. `moves`: the head count it grows with, "h", "h_kv" or ""."""

    name: str
    rows: int
    cols: int
    bias: int
    moves: str

    @property
    def count(self) -> int:
        return self.rows * self.cols + self.bias


@dataclass(frozen=True, slots=True)
class Attention:
    """Sizes of one module; d_k and d_v for each head.

    `tied`: d_k = d_v = d_model / heads, whatever the heads. `kv_follow`: as many key/value heads as heads, whatever the heads.
    `bias`: which of "qkvo" have one. `norm`: "head" (queries and keys, d_k numbers each) or "wide" (over all heads together).
    `gate`: one more projection as wide as the values of all heads, whose sigmoid scales each head's output (Keras's use_gate).
    `refusal`: what transformers raises where heads do not divide d_model, with {d} and {h}; "" where it rounds d_model / h down.
    `even`: d_k must be even (transformers checks it for the rotary embedding of some families).
    """

    d_model: int
    heads: int
    kv_heads: int
    d_k: int
    d_v: int
    tied: bool
    kv_follow: bool
    bias: str = ""
    norm: str = ""
    sinks: bool = False
    refusal: str = ""
    even: bool = False
    latent: Latent | None = None
    gate: bool = False

    @property
    def inner(self) -> int:
        """h·d_k: how wide all heads are together."""
        return self.heads * self.d_k

    def with_heads(self, heads: int, kv_heads: int | None = None) -> "Attention":
        """The same module with other head counts; key/value heads stay, or follow where they always do. Refused says why not."""
        kv_heads = heads if self.kv_follow else (kv_heads or self.kv_heads)
        d_k, d_v = (self.d_model // heads,) * 2 if self.tied else (self.d_k, self.d_v)
        attention = replace(self, heads=heads, kv_heads=kv_heads, d_k=d_k, d_v=d_v)
        attention.check()
        return attention

    def check(self) -> None:
        """Refused where these heads are no layer that runs."""
        if self.refusal and self.d_model % self.heads:
            raise Refused(
                f"{heads_in_words(self.heads)} {noun(self.heads, 'does', 'do')} not divide d_model = {self.d_model:,}.",
                self.refusal.format(d=self.d_model, h=self.heads, r=self.d_model % self.heads),
            )
        if self.d_k == 0:
            raise Refused(
                f"{heads_in_words(self.heads)} are more than d_model = {self.d_model:,}: a head would have no numbers at all."
            )
        if self.even and self.d_k % 2:
            raise Refused(
                f"{heads_in_words(self.heads)} of {self.d_k}: the rotary embedding turns numbers in pairs, and "
                f"{self.d_k} is odd.",
                f"ValueError: RoPE requires an even rotary dimension, but got `head_dim`={self.d_k}",
            )
        if self.heads % self.kv_heads:
            raise Refused(
                f"{heads_in_words(self.heads)} cannot share {counted(self.kv_heads, 'key/value head')} evenly: the layer can be "
                "built, but its first forward pass fails."
            )

    def matrices(self) -> tuple[Matrix, ...]:
        """The projections, without norms."""
        return tuple(self._latent_matrices() if self.latent else self._plain_matrices())

    def _plain_matrices(self) -> Iterator[Matrix]:
        keys, values, joined = self.kv_heads * self.d_k, self.kv_heads * self.d_v, self.heads * self.d_v
        kv = "h" if self.kv_follow else "h_kv"
        for letter, cols, moves in (("q", self.inner, "h"), ("k", keys, kv), ("v", values, kv)):
            yield Matrix(f"W_{letter.upper()}", self.d_model, cols, cols if letter in self.bias else 0, moves)
        if self.gate:
            yield Matrix("W_G", self.d_model, joined, joined if "q" in self.bias else 0, "h")
        yield Matrix("W_O", joined, self.d_model, self.d_model if "o" in self.bias else 0, "h")

    def _latent_matrices(self) -> Iterator[Matrix]:
        sizes, d = self.latent, self.d_model
        assert sizes is not None  # only called for latent attention
        if sizes.q_rank is None:
            yield Matrix("W_Q", d, self.inner, 0, "h")
        else:
            yield Matrix("W_DQ", d, sizes.q_rank, sizes.q_rank if "q" in self.bias else 0, "")
            yield Matrix("W_UQ", sizes.q_rank, self.inner, 0, "h")
        down = sizes.kv_rank + sizes.rope
        yield Matrix("W_DKV", d, down, down if "k" in self.bias else 0, "")
        yield Matrix("W_UKV", sizes.kv_rank, self.heads * (sizes.nope + self.d_v), 0, "h")
        yield Matrix("W_O", self.heads * self.d_v, d, d if "o" in self.bias else 0, "h")

    @property
    def count(self) -> int:
        """Projection parameters: weights and biases, without norms."""
        return sum(matrix.count for matrix in self.matrices())

    @property
    def norms(self) -> int:
        """Parameters of norms inside the module."""
        if self.latent:
            return (self.latent.q_rank or 0) + self.latent.kv_rank
        wide = (self.heads + self.kv_heads) * self.d_k
        return {"": 0, "head": 2 * self.d_k, "wide": wide}[self.norm]

    @property
    def sink_count(self) -> int:
        """Parameters of attention sinks, one a head."""
        return self.heads * self.sinks

    @property
    def cached(self) -> int:
        """Numbers kept per token while generating: keys and values, or the latent and the shared rotary key."""
        if self.latent:
            return self.latent.kv_rank + self.latent.rope
        return self.kv_heads * (self.d_k + self.d_v)
