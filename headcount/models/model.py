"""Sizes of a whole model: its attention modules, all other components, and parameter counts."""

from dataclasses import dataclass, replace

from headcount.models.attention import Attention, BadHeads

#: Kinds of components. The ledger of parameters has a colour and a sum for each.
KINDS = ("embeddings", "attention", "feed-forward", "mixer", "norms", "output")


@dataclass(frozen=True, slots=True)
class Part:
    """One row of a model's ledger of parameters. `times`: the number of equal components. `each`: the parameter count of one."""

    label: str
    each: int
    times: int
    kind: str

    @property
    def count(self) -> int:
        return self.each * self.times


@dataclass(frozen=True, slots=True)
class Group:
    """Attention modules of one kind:
    - `modules`: the number of modules with their own weights. `layers`: the number of layers that run (ALBERT: 1 and 12).
    - `cache`: what generation caches: "" (nothing), "self" or "cross". `sliding`: how many layers see only `window` tokens.
    - `tower`: the name of a part that reads pictures as `tokens` tokens, or "". `Model.with_heads` does not change a tower."""

    modules: int
    attention: Attention
    cache: str = ""
    layers: int = 0
    sliding: int = 0
    window: int = 0
    tower: str = ""
    tokens: int = 0

    def __post_init__(self):
        object.__setattr__(self, "layers", self.layers or self.modules)


@dataclass(frozen=True, slots=True)
class Model:
    """A whole model. `positions`: the largest number of tokens that learned positions allow, or 0.
    - `rest`: everything but attention, or None if no class has counted it. `counted_as`: the class that counted it.
    - `buckets`: the number of rows in T5's tables of relative position biases.
    - `whole`: False if only one layer is known. `unsaid`: names of what is then not known."""

    model_type: str
    groups: tuple[Group, ...]
    rest: tuple[Part, ...] | None = None
    buckets: int = 0
    counted_as: str = ""
    whole: bool = True
    unsaid: tuple[str, ...] = ()
    positions: int = 0

    @property
    def attention(self) -> Attention:
        """The attention module of the first group. Other groups may have other sizes."""
        return self.groups[0].attention

    @property
    def modules(self) -> int:
        return sum(group.modules for group in self.groups)

    @property
    def kept(self) -> tuple[tuple[int, int, int], ...] | None:
        """The layers with a cache, as (layers, numbers per token, window in tokens or 0). None if only one layer is known."""
        if not self.whole:
            return None
        groups = (group for group in self.groups if group.cache)
        split = ((g.attention.cached, (g.layers - g.sliding, 0), (g.sliding, g.window)) for g in groups)
        return tuple((layers, each, window) for each, *kinds in split for layers, window in kinds if layers)

    @property
    def layers(self) -> str:
        """The number of layers as text: "12", or "6+6" for encoder and decoder."""
        return "+".join(str(group.layers) for group in self.groups if group.cache != "cross")

    @property
    def projections(self) -> int:
        """The parameter count of the weight matrices and biases of attention."""
        return sum(group.modules * group.attention.count for group in self.groups)

    @property
    def extras(self) -> int:
        """The parameter count of attention's other parts: norms, sinks, and tables of relative position biases."""
        return sum(group.modules * group.attention.extras for group in self.groups) + self.buckets * self.attention.heads

    @property
    def attention_total(self) -> int:
        return self.projections + self.extras

    @property
    def total(self) -> int | None:
        """The parameter count of the whole model. None if no class has counted the parts other than attention."""
        return None if self.rest is None else sum(part.count for part in self.ledger())

    @property
    def share(self) -> float | None:
        return None if self.total is None else self.attention_total / self.total

    def ledger(self) -> tuple[Part, ...]:
        """Lists every component, embeddings first. If `rest` is None, lists only attention."""
        rows: dict[tuple[str, int], int] = {}
        for group in self.groups:
            for matrix in group.attention.matrices():
                label = matrix.name + (f", b{matrix.name[1:]}" if matrix.bias else "")
                label += f" ({group.tower})" if group.tower else ""
                rows[label, matrix.count] = rows.get((label, matrix.count), 0) + group.modules
        tables = self.buckets * self.attention.heads
        extras = {"norms and sinks inside attention": self.extras - tables, "relative position biases": tables}
        parts = [Part(label, each, times, "attention") for (label, each), times in rows.items()]
        parts += [Part(label, count, 1, "attention") for label, count in extras.items() if count]
        rest = self.rest or ()
        first = tuple(part for part in rest if part.kind == "embeddings")
        return (*first, *parts, *(part for part in rest if part not in first))

    def with_heads(self, heads: int, kv_heads: int | None = None) -> "Model":
        """Returns the model with another number of heads. Towers do not change. Raises BadHeads if there is no such model."""
        moved = (group if group.tower else replace(group, attention=group.attention.with_heads(heads, kv_heads))
                 for group in self.groups)  # fmt: skip
        return replace(self, groups=tuple(moved))

    def refused(self, heads: int) -> BadHeads | None:
        """Returns the error if the model cannot have this number of heads. Returns None if the model can."""
        return next(filter(None, (group.attention.refused(heads) for group in self.groups if not group.tower)), None)
