"""Attention module of a published model: its sizes, its weight matrices, and variants with other numbers of heads."""

from dataclasses import dataclass, replace

from headcount.names import counted, heads_in_words, noun

#: Largest head count. The published model with the most heads has 128.
MAX_HEADS = 4096


class BadHeads(ValueError):
    """Error: this module cannot have this number of heads. `raised`: the error in transformers, or "" if there is none."""

    def __init__(self, sentence: str, raised: str = ""):
        super().__init__(sentence)
        self.raised = raised


@dataclass(frozen=True, slots=True)
class Latent:
    """Sizes of multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, 2.1). Keys and values come from a latent vector of
    `kv_rank` numbers. Queries come from a latent vector of `q_rank` numbers, or from the input if `q_rank` is None. The sizes
    `rope` and `nope` are the parts of d_k with and without rotary positions. All heads have one rotary key in common."""

    kv_rank: int
    q_rank: int | None
    nope: int
    rope: int


@dataclass(frozen=True, slots=True)
class Projection:
    """One weight matrix of `rows` × `cols` weights, with `bias` bias parameters."""

    name: str
    rows: int
    cols: int
    bias: int

    @property
    def count(self) -> int:
        return self.rows * self.cols + self.bias


@dataclass(frozen=True, slots=True)
class Attention:
    """The sizes of one attention module. d_k and d_v are sizes of one head.
    - `tied`: whether d_k = d_v = d_model / heads for every number of heads. `even`: whether d_k must be even.
    - `kv_follow`: whether each head always has its own key/value head. `bias`: the letters of "qkvo" that have a bias.
    - `norm` of queries and keys: "" (none), "head" (d_k gains each) or "wide" (over all heads). `gate`: Keras's use_gate.
    - `refusal`: transformers' error, with {d}, {h} and {r}, if d_model / h is no whole number. With "", d_k is rounded down."""

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
        """The width h·d_k of the queries of all heads together."""
        return self.heads * self.d_k

    def with_heads(self, heads: int, kv_heads: int | None = None) -> "Attention":
        """Returns the module with another number of heads. If `kv_follow`, each head has its own key/value head. If not,
        `kv_heads` is used, by default the module's own number of key/value heads. Raises BadHeads with the reason."""
        kv_heads = heads if self.kv_follow else (kv_heads or self.kv_heads)
        d_k, d_v = (self.d_model // heads,) * 2 if self.tied else (self.d_k, self.d_v)
        attention = replace(self, heads=heads, kv_heads=kv_heads, d_k=d_k, d_v=d_v)
        attention.check()
        return attention

    def refused(self, heads: int) -> BadHeads | None:
        """Returns the error if the module cannot have this number of heads. Returns None if the module can."""
        try:
            self.with_heads(heads)
        except BadHeads as refused:
            return refused
        return None

    def check(self) -> None:
        """Raises BadHeads if the module cannot run with its number of heads."""
        d, h = self.d_model, self.heads
        heads = heads_in_words(h)
        if self.refusal and d % h:
            raised = self.refusal.format(d=d, h=h, r=d % h)
            raise BadHeads(f"{heads} {noun(h, 'does', 'do')} not divide d_model = {d:,}.", raised)
        if self.d_k == 0:
            raise BadHeads(f"{heads} are more than d_model = {d:,}: a head would have no numbers at all.")
        if self.even and self.d_k % 2:
            raise BadHeads(
                f"{heads} of {self.d_k}: the rotary embedding turns numbers in pairs, and {self.d_k} is odd.",
                f"ValueError: RoPE requires an even rotary dimension, but got `head_dim`={self.d_k}",
            )
        if h % self.kv_heads:
            raise BadHeads(f"{heads} cannot share {counted(self.kv_heads, 'key/value head')} evenly: a forward pass would fail.")

    def matrices(self) -> tuple[Projection, ...]:
        """Lists the weight matrices with their biases, without norms."""
        d, joined, sizes = self.d_model, self.heads * self.d_v, self.latent

        def matrix(name: str, rows: int, cols: int, letter: str = "") -> Projection:
            return Projection(name, rows, cols, cols if letter and letter in self.bias else 0)

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
        """The parameter count of weight matrices and biases, without norms."""
        return sum(matrix.count for matrix in self.matrices())

    @property
    def extras(self) -> int:
        """The parameter count of the norms inside the module and of attention sinks."""
        if self.latent:
            return (self.latent.q_rank or 0) + self.latent.kv_rank
        wide = (self.heads + self.kv_heads) * self.d_k
        return {"": 0, "head": 2 * self.d_k, "wide": wide}[self.norm] + self.heads * self.sinks

    @property
    def cached(self) -> int:
        """The count of numbers that generation caches per token: keys and values, or latent vector and common rotary key."""
        if self.latent:
            return self.latent.kv_rank + self.latent.rope
        return self.kv_heads * (self.d_k + self.d_v)
