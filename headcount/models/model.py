"""A whole model as sizes: its attention modules, all other components, and parameter counts."""

from dataclasses import dataclass, replace

from headcount.models.attention import Attention, BadHeads

#: Kinds of components, which the ledger colours and adds up.
KINDS = ("embeddings", "attention", "feed-forward", "mixer", "norms", "output")


@dataclass(frozen=True, slots=True)
class Part:
    """One row of the ledger: `times` components of `each` parameters."""

    label: str
    each: int
    times: int
    kind: str

    @property
    def count(self) -> int:
        return self.each * self.times


@dataclass(frozen=True, slots=True)
class Group:
    """Attention modules of one kind. `modules` counts those with weights of their own, and `layers` those that run (in ALBERT 12
    layers use 1 module). `cache` says what generation caches: "" (nothing), "self" or "cross". `sliding` counts the layers that
    see at most `window` tokens. `tower` names a part that reads pictures as `tokens` tokens; its heads stay if those of the text
    change."""

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
    """A whole model. `rest` is everything but attention, as its class names it, or None if no class has counted it. `buckets` is
    the number of rows of T5's tables of relative position biases, which have a column per head. `counted_as` is the class of
    these parameters. `positions` is the most tokens that its learned positions allow; 0 if it has none, or if that is unknown.

    `whole` is False for a visitor's configuration that describes only a single layer, the one group. `unsaid` then names the
    missing sizes.
    """

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
        """The attention module of the first group. In almost all models all modules are equal."""
        return self.groups[0].attention

    @property
    def modules(self) -> int:
        return sum(group.modules for group in self.groups)

    @property
    def kept(self) -> tuple[tuple[int, int, int], ...] | None:
        """Lists layers that cache alike: their count, numbers per token, window in tokens (0: all). None if that is not known."""
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
        """Counts attention projections of the whole model."""
        return sum(group.modules * group.attention.count for group in self.groups)

    @property
    def extras(self) -> int:
        """Counts the other parameters of attention: norms inside it, sinks, tables of relative biases."""
        return sum(group.modules * group.attention.extras for group in self.groups) + self.buckets * self.attention.heads

    @property
    def attention_total(self) -> int:
        return self.projections + self.extras

    @property
    def total(self) -> int | None:
        """Counts all parameters; None if no class has counted the rest."""
        return None if self.rest is None else sum(part.count for part in self.ledger())

    @property
    def share(self) -> float | None:
        return None if self.total is None else self.attention_total / self.total

    def ledger(self) -> tuple[Part, ...]:
        """Lists every component, embeddings first; attention only if the rest is not known."""
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
        """Returns the model with other head counts, without change to its towers. Raises BadHeads if there is no such model."""
        moved = (group if group.tower else replace(group, attention=group.attention.with_heads(heads, kv_heads))
                 for group in self.groups)  # fmt: skip
        return replace(self, groups=tuple(moved))

    def refused(self, heads: int) -> BadHeads | None:
        """Says why there is no such model; None if there is one."""
        return next(filter(None, (group.attention.refused(heads) for group in self.groups if not group.tower)), None)
