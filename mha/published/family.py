"""How a family of stacked layers, all alike, spells its sizes, and what it makes of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from mha.published.attention import Attention, Latent
from mha.published.fields import Fields, Unreadable
from mha.published.model import Group, Model, Part
from mha.published.rest import Parts, latent_experts

Rest = Callable[[Fields, int, int], Parts]


@dataclass(frozen=True, slots=True)
class Family:
    """One `model_type`, as transformers 5.23 builds it.

    `kv`: "" (as many key/value heads as heads, always), "pinned" (`num_key_value_heads`; left out: `kv_default`, or as many as
    heads), "multi_query" (one or all), "falcon". `head_dim`: None (always d_model / h), 0 (its own where the field is given),
    or the size that is taken where the field is not given. `bias`: which of "qkvo"; `flag` adds the letters in `flagged`.
    `full_every`: of so many layers one attends in full and the others slide; 1: all slide; 0: none (`window`: where the field
    is not given). `shared_by`: the field that says how many blocks of weights all layers share. `rest`: everything else.
    """

    d_model: tuple[str, ...] = ("hidden_size",)
    layers: tuple[str, ...] = ("num_hidden_layers",)
    heads: tuple[str, ...] = ("num_attention_heads",)
    kv: str = ""
    kv_default: int | None = None
    head_dim: int | None = None
    bias: str = ""
    flag: str = ""
    flagged: str = "qkvo"
    flag_default: bool = False
    norm: str = ""
    norm_flag: str = ""
    sinks: bool = False
    refusal: str = ""
    even: bool = False
    cache: str = "self"
    full_every: int = 0
    window: int = 0
    shared_by: str = ""
    rest: Rest | None = None
    counted_as: str = ""

    def read(self, fields: Fields) -> Model:
        """The model of these fields. Unreadable names the field; Refused says why such heads are no layer."""
        d, heads = fields.whole("d_model", *self.d_model), fields.whole("heads", *self.heads)
        layers = fields.whole("layers", *self.layers)
        attention = self._attention(fields, d, heads)
        attention.check()
        modules = fields.whole("layers", self.shared_by, default=1) if self.shared_by else layers
        group = Group("", modules, attention, self.cache, layers, *self._window(fields, layers))
        before, after, counted_as = self._rest(fields, d, modules)
        return Model(fields.word("model_type"), (group,), before, after, 0, counted_as, tuple(fields.assumed))

    def _attention(self, fields: Fields, d: int, heads: int) -> Attention:
        kv_heads, follow = self._kv_heads(fields, heads)
        tied = self.head_dim is None or (self.head_dim == 0 and not fields.has("head_dim"))
        size = d // heads if tied else fields.whole("head size", "head_dim", default=self.head_dim or None, why="is the default")
        bias = self.bias + (self.flagged if self.flag and fields.flag(self.flag, default=self.flag_default) else "")
        norm = self.norm if not self.norm_flag or fields.flag(self.norm_flag, default=False) else ""
        return Attention(d, heads, kv_heads, size, size, tied, follow, bias, norm, self.sinks, self.refusal, self.even)

    def _kv_heads(self, fields: Fields, heads: int) -> tuple[int, bool]:
        """Key/value heads, and whether they follow the heads."""
        if self.kv == "pinned":
            if fields.has("num_key_value_heads"):
                return fields.whole("heads", "num_key_value_heads"), False
            if self.kv_default:
                return fields.whole("heads", "num_key_value_heads", default=self.kv_default, why="is the default"), False
        elif self.kv == "falcon" and fields.flag("new_decoder_architecture", default=False):
            if fields.has("num_kv_heads"):
                return fields.whole("heads", "num_kv_heads"), False
        elif self.kv and fields.flag("multi_query", default=True):
            return 1, False
        return heads, True

    def _window(self, fields: Fields, layers: int) -> tuple[int, int]:
        """How many layers slide, and over how many tokens."""
        if not self.full_every:
            return 0, 0
        nothing = fields.raw("sliding_window")[1] is None  # null is none; only left out is the default
        window = 0 if nothing else fields.whole("positions", "sliding_window", default=self.window, least=0)
        name, kinds = fields.raw("layer_types")
        if isinstance(kinds, list):
            listed = cast(list[object], kinds)
            if len(listed) != layers:
                raise Unreadable(name, f"must name {layers} layers", f"a list of {len(listed)}")
            sliding = listed.count("sliding_attention")
        else:
            every = fields.whole("layers", "sliding_window_pattern", default=self.full_every)
            sliding = layers - (layers // every if every > 1 else 0)
        return (sliding, window) if window else (0, 0)

    def _rest(self, fields: Fields, d: int, modules: int) -> tuple[tuple[Part, ...] | None, tuple[Part, ...] | None, str]:
        """Everything else and the class that it is counted as; nothing of it where a field that it needs is not there."""
        if self.rest is None:
            return None, None, ""
        try:
            return (*self.rest(fields, d, modules), self.counted_as)
        except Unreadable as fault:
            if fault.found != "no such field":
                raise
            fields.assumed.append(f"{fault.field} is not there: only attention is counted, no total")
            return None, None, ""


def read(fields: Fields, refusal: str, counted_as: str) -> Model:
    """The model of these fields; `q_lora_rank` null or left out: queries come straight out of d_model."""
    d, heads = fields.whole("d_model", "hidden_size"), fields.whole("heads", "num_attention_heads")
    layers = fields.whole("layers", "num_hidden_layers")
    rank = fields.whole("rank", "q_lora_rank") if fields.has("q_lora_rank") else None
    nope, rope = fields.whole("head size", "qk_nope_head_dim"), fields.whole("head size", "qk_rope_head_dim")
    latent = Latent(fields.whole("rank", "kv_lora_rank"), rank, nope, rope)
    bias = "qko" if fields.flag("attention_bias", default=False) else ""
    value = fields.whole("head size", "v_head_dim")
    attention = Attention(d, heads, heads, nope + rope, value, False, True, bias, refusal=refusal, latent=latent)
    attention.check()
    before = after = None
    try:
        before, after = latent_experts(fields, d, layers)
    except Unreadable as fault:
        if fault.found != "no such field":
            raise
        fields.assumed.append(f"{fault.field} is not there: only attention is counted, no total")
    groups, named = (Group("", layers, attention, "self"),), counted_as if before else ""
    return Model(fields.word("model_type"), groups, before, after, 0, named, tuple(fields.assumed))
