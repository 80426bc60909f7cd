"""One attention module of a published model: its sizes, its matrices, and the same module with another head count."""

from dataclasses import dataclass, replace

from headcount.names import counted, heads_in_words, noun

#: Largest head count; the widest published model has 128.
MAX_HEADS = 4096


class Refused(ValueError):
    """A head count that this module cannot have. `raised`: what transformers raises, word for word; "" where it raises nothing
    and the sentence says what goes wrong instead."""

    def __init__(self, sentence: str, raised: str = ""):
        super().__init__(sentence)
        self.raised = raised


@dataclass(frozen=True, slots=True)
class Latent:
    """Sizes of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, 2.1): keys and values come out of one latent of
    `kv_rank` numbers and one rotary key of `rope` numbers for all heads, queries out of one of `q_rank` (None: out of d_model).
    `nope`: the part of d_k that is not rotary."""

    kv_rank: int
    q_rank: int | None
    nope: int
    rope: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """One projection: rows × cols weights and `bias` more numbers."""

    name: str
    rows: int
    cols: int
    bias: int

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
        """Returns the module with other head counts; key/value heads stay, or follow where they always do. Refused says why
        not."""
        kv_heads = heads if self.kv_follow else (kv_heads or self.kv_heads)
        d_k, d_v = (self.d_model // heads,) * 2 if self.tied else (self.d_k, self.d_v)
        attention = replace(self, heads=heads, kv_heads=kv_heads, d_k=d_k, d_v=d_v)
        attention.check()
        return attention

    def refused(self, heads: int) -> Refused | None:
        """Why there is no such module; None where there is one."""
        try:
            self.with_heads(heads)
        except Refused as refused:
            return refused
        return None

    def check(self) -> None:
        """Raises Refused where these heads are no layer that runs."""
        d, h = self.d_model, self.heads
        heads = heads_in_words(h)
        if self.refusal and d % h:
            raised = self.refusal.format(d=d, h=h, r=d % h)
            raise Refused(f"{heads} {noun(h, 'does', 'do')} not divide d_model = {d:,}.", raised)
        if self.d_k == 0:
            raise Refused(f"{heads} are more than d_model = {d:,}: a head would have no numbers at all.")
        if self.even and self.d_k % 2:
            raise Refused(
                f"{heads} of {self.d_k}: the rotary embedding turns numbers in pairs, and {self.d_k} is odd.",
                f"ValueError: RoPE requires an even rotary dimension, but got `head_dim`={self.d_k}",
            )
        if h % self.kv_heads:
            raise Refused(f"{heads} cannot share {counted(self.kv_heads, 'key/value head')} evenly: a forward pass would fail.")

    def matrices(self) -> tuple[Matrix, ...]:
        """The projections, without norms."""
        d, joined, sizes = self.d_model, self.heads * self.d_v, self.latent

        def matrix(name: str, rows: int, cols: int, letter: str = "") -> Matrix:
            return Matrix(name, rows, cols, cols if letter and letter in self.bias else 0)

        output = matrix("W_O", joined, d, "o")
        if sizes is None:
            queries = matrix("W_Q", d, self.inner, "q")
            others = (("W_K", self.kv_heads * self.d_k, "k"), ("W_V", self.kv_heads * self.d_v, "v"))
            gate = (matrix("W_G", d, joined, "q"),) if self.gate else ()
            return queries, *(matrix(name, d, cols, letter) for name, cols, letter in others), *gate, output
        down = matrix("W_DKV", d, sizes.kv_rank + sizes.rope, "k")
        up = matrix("W_UKV", sizes.kv_rank, self.heads * (sizes.nope + self.d_v))
        if sizes.q_rank is None:
            return matrix("W_Q", d, self.inner), down, up, output
        return matrix("W_DQ", d, sizes.q_rank, "q"), matrix("W_UQ", sizes.q_rank, self.inner), down, up, output

    @property
    def count(self) -> int:
        """Projection parameters: weights and biases, without norms."""
        return sum(matrix.count for matrix in self.matrices())

    @property
    def extras(self) -> int:
        """Parameters of norms inside the module, and of attention sinks, one a head."""
        if self.latent:
            return (self.latent.q_rank or 0) + self.latent.kv_rank
        wide = (self.heads + self.kv_heads) * self.d_k
        return {"": 0, "head": 2 * self.d_k, "wide": wide}[self.norm] + self.heads * self.sinks

    @property
    def cached(self) -> int:
        """Numbers kept per token while generating: keys and values, or the latent and the shared rotary key."""
        if self.latent:
            return self.latent.kv_rank + self.latent.rope
        return self.kv_heads * (self.d_k + self.d_v)
