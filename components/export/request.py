"""What a figure is asked for: the layer, and what its page lets one choose, under the names that the address gives them."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from components.export.options import OPTIONS
from components.settings import DEFAULTS, SEED_MOST
from mha import Config, Trace, run
from mha.config import whole
from mha.cost import too_large
from mha.names import BY_CODE

#: Head counts that the heads slider of an offline file stops at, where they are layers.
STOPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MOST_LETTERS = 14


class Unavailable(Exception):
    """There is no such figure for these settings; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Request:
    """`paper`: whether head sizes follow d_model / h. `options`: pairs of an option's key and a value that is not its default."""

    cfg: Config
    paper: bool = True
    options: tuple[tuple[str, int | str], ...] = ()

    def __getitem__(self, key: str) -> int | str:
        """The value of an option; its default where none was chosen."""
        return dict(self.options).get(key, OPTIONS[key].default)

    @property
    def head(self) -> int:
        """The chosen head, 0-based: the last one where there are fewer."""
        return min(self["head"], self.cfg.num_heads) - 1

    @property
    def tokens(self) -> tuple[str, ...]:
        """Words for rows and columns; what cannot be printed (nor stand in an SVG) is a question mark."""
        plain = "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(self["tokens"]).split()))
        return tuple(word[:MOST_LETTERS] for word in plain.split())[: max(self.cfg.query_len, self.cfg.key_len)]

    def trace(self) -> Trace:
        """The layer's numbers; Unavailable where they are too many to compute."""
        if too_large(self.cfg):
            raise Unavailable("This layer is too large to compute its numbers. Choose smaller sizes.")
        return run(self.cfg)

    def at_stops(self) -> dict[int, "Request"]:
        """The same request for every head count of a slider, the present one among them."""
        counts = sorted({*(h for h in STOPS if not self.paper or self.cfg.d_model % h == 0), self.cfg.num_heads})
        layers = {h: self.cfg if h == self.cfg.num_heads else self.cfg.with_heads(h, paper=self.paper) for h in counts}
        return {h: replace(self, cfg=layer) for h, layer in layers.items()}

    def link(self, page: str, keys: tuple[str, ...], of_layer: bool = True) -> str:
        """The address that shows a figure's page with these settings, from the root of the site. `keys`: its options."""
        query = self._layer_query() if of_layer else {}
        query |= {key: value for key, value in self.options if key in keys}
        return f"/{page}" + (f"?{urlencode(query)}" if query else "")

    def _layer_query(self) -> dict[str, int | str]:
        """What is off its default, as the address spells it."""
        follow = ("key_dim", "value_dim") if self.paper else ()
        query = {name: getattr(self.cfg, name) for name in DEFAULTS if name not in follow}
        query = {name: value for name, value in query.items() if value != DEFAULTS[name]}
        query |= {} if self.paper else {"split": "free"}
        query |= {} if self.cfg.mask == "none" else {"mask": self.cfg.mask}
        query |= {} if self.cfg.use_bias else {"use_bias": "false"}
        return query | ({"seed": self.cfg.seed} if self.cfg.seed else {})

    def sizes_in_words(self) -> str:
        """The layer in one line of a figure's label language."""
        cfg = self.cfg
        parts = [f"d_{{model}} {cfg.d_model}", f"h {cfg.num_heads}", f"d_{{k}} {cfg.key_dim}", f"d_{{v}} {cfg.value_dim}"]
        parts += [f"T {cfg.query_len}", f"S {cfg.key_len}"]
        parts += ["causal"] * (cfg.mask == "causal") + ["no biases"] * (not cfg.use_bias) + [f"seed {cfg.seed}"]
        return ", ".join(parts)


def request_of(query: dict[str, object]) -> Request:
    """From settings by name, as the address spells them; what is left out has its default.

    ValueError names the field, the value and what is allowed.
    """
    sizes = {name: int(query.get(name, DEFAULTS[name])) for name in DEFAULTS}
    for name, value in sizes.items():
        known = BY_CODE[name]
        if not known.least <= value <= known.most:
            raise ValueError(f"{name} must be a whole number from {known.least} to {known.most}, got {value}")
    whole("seed", query.get("seed", 0), 0, SEED_MOST)
    paper = query.get("split", "paper") == "paper"
    if paper:
        if sizes["d_model"] % sizes["num_heads"]:
            raise ValueError(f"num_heads must divide d_model={sizes['d_model']} with split=paper, got {sizes['num_heads']}")
        sizes["key_dim"] = sizes["value_dim"] = sizes["d_model"] // sizes["num_heads"]
    cfg = Config(**sizes, **{key: query[key] for key in ("mask", "use_bias", "seed") if key in query})
    return Request(cfg, paper, chosen({key: query[key] for key in OPTIONS if key in query}))


def chosen(values: dict[str, object]) -> tuple[tuple[str, int | str], ...]:
    """Options that are off their defaults, in the order of the table. ValueError where one is not allowed."""
    for key, value in values.items():
        OPTIONS[key].check(key, value)
    return tuple((key, values[key]) for key, option in OPTIONS.items() if values.get(key, option.default) != option.default)
