"""Reader of the `config.json` of a transformers model. The file may tell heads, packing, mask, positions and scale."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from headcount.config import SCALINGS, read_scaling
from headcount.files.fit import LayerSizes
from headcount.files.names import CROSS
from headcount.files.tensors import UnreadableFile
from headcount.models.attention import BadHeads
from headcount.models.conventions import CHANGED, PARTLY, UNSCALED
from headcount.models.model import Model
from headcount.models.reading import D_MODEL, WINDOWS, alike, read_config
from headcount.names import BY_CODE
from headcount.switches import EPSILON, NONE, Switches

#: The largest base of rotary angles that the pages accept.
MAX_BASE = 1e9
#: Matches parts of a field's name or value which show that attention is changed.
CHANGES = re.compile(
    r"(?<![a-z])(rel|rope|local|qk|lsh|sr)(?![a-z])|relative|rotary|alibi|window|sliding|sparse|sink|soft_?cap|latent|compress|"
    r"[qk]v?_lora|bucket|hash|landmark|chunked|(attention|attn)_chunk|clip_qkv|pos_att|global_a|num_global|random_block|head_ratio|"
    r"linear_att|(att|attn|attention)\w*_(gate|temperature)|talking|sampling_factor|autocorrelation|approx|spatial|disentangled|"
    r"query_pre_attn_scalar|attention_multiplier|scale_attn_by_inverse"
)
#: Matches names that CHANGES matches although they are of other layers: experts, output, readers of pictures and sound.
APART = re.compile(
    r"expert|mlp|sparse_(pred|step|\w*layers)|final_|sinkhorn|resampler|spatial_(merge|pool|target|tuning)|latent_|[bp]sampling|compress$"
)
#: CHOOSES matches fields whose text chooses a kind of attention, and READ those that are read for rotary positions and windows.
CHOOSES = re.compile(r"att|pos|layer_types")
READ = re.compile(
    r"(\w+_)?rope_theta|rope_(scaling|parameters|local_base_freq)|rotary_\w+|partial_rotary_factor|\w*sliding_window\w*|layer_types|"
    r"max_window_layers|(local|global)_att\w+|\w+_soft_?capping"
)
#: Matches fields with a factor that multiplies scores.
SCALES = re.compile("query_pre_attn_scalar|attention_multiplier")
#: Families whose attention differs although no field says so, with the difference.
OTHERWISE = dict.fromkeys(UNSCALED, "scores are not divided by √d_k") | {
    "gemma3_text": "the gains of its norms are 1 + γ", "olmo2": "its norms are over all heads at once"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Beside:
    """A config.json, parsed, and the model that it describes."""

    config: Mapping[str, object]
    model: Model

    @property
    def kind(self) -> str:
        kind = self.config.get("model_type")
        return kind if isinstance(kind, str) else ""

    @property
    def known(self) -> bool:
        """Whether this project knows how models of this family compute attention."""
        return bool(alike(self.kind) or self.kind in (*CHANGED, *UNSCALED))

    def applied(self, sizes: LayerSizes, name: str) -> LayerSizes:
        """Returns the sizes of a layer, completed from the configuration. `name` is the name of the layer's query array."""
        heads = self.heads(sizes)
        size = sizes.inner_k // heads if heads else 0
        switches, changes, back = CHANGED.get(self.kind, NONE), [*self._changes(name, size)], self._looks_back(name)
        if re.search(CROSS, name):
            switches, back = NONE, False
        elif switches:
            switches, further = self._switches(switches, name, size)
            changes += further
        return replace(
            sizes, num_heads=sizes.num_heads or heads, looks_back=bool(back), said=self.known and back is not None,
            switches=switches, changes=(*sizes.changes, *changes),
            sliding_window=sizes.sliding_window or (self._window(name) if self.known else None),
        )  # fmt: skip

    def heads(self, sizes: LayerSizes) -> int | None:
        """Returns the number of heads of the model's layers with these sizes. Returns None if there is no such layer, if such
        layers differ in their numbers of heads, or if they have latent attention."""
        wanted = sizes.query_width, sizes.inner_k, sizes.inner_g, sizes.inner_v
        found = {
            a.heads for a in (group.attention for group in self.model.groups)
            if (a.d_model, a.heads * a.d_k, a.kv_heads * a.d_k, a.heads * a.d_v) == wanted and a.latent is None
        }  # fmt: skip
        return found.pop() if len(found) == 1 else None

    def of_another(self, layers: Iterable[LayerSizes]) -> str:
        """Returns a clause on why this configuration belongs to another model than `layers`. Returns "" if a layer fits, or if
        there are no layers. A layer fits if `heads` finds its heads. In an unknown family, an equal d_model is enough."""
        there, own = self.model.attention, [*layers]
        if not own or any(self.heads(one) or (not self.known and one.query_width == there.d_model) for one in own):
            return ""
        return (
            f"it is of another model: d_model = {there.d_model:,}, h·d_k = {there.inner:,} and h_kv·d_k = "
            f"{there.kv_heads * there.d_k:,}; the weights have {own[0].query_width:,}, {own[0].inner_k:,} and {own[0].inner_g:,}."
        )

    @property
    def packing(self) -> str | None:
        """The order in an array of all projections: "blocks" (queries, keys, values) or "heads" (the three for each key/value
        head in turn). None if it is unknown."""
        one_key = self.config.get("multi_query", True) and not self.config.get("new_decoder_architecture")
        if self.kind == "phi3" or (self.kind == "falcon" and one_key):
            return "blocks"
        return "heads" if self.kind in ("bloom", "falcon", "gpt_neox", "gpt_neox_japanese") else None

    def _looks_back(self, name: str) -> bool | None:
        """Returns whether a layer is causal. Its name, the configuration or the family tells. Returns None if it is not known."""
        words, family = re.split(r"[./_]", name), alike(self.kind)
        if any(len(entry.groups) > 1 for entry in family) or self.config.get("is_encoder_decoder") is True:
            return "decoder" in words if {"encoder", "decoder"} & {*words} else None
        if self.config.get("is_decoder") is True or self.kind == "clip_text_model":
            return True
        return any(entry.groups[0].cache for entry in family) if family else self.kind in CHANGED or None

    def _changes(self, name: str, d_k: int) -> Iterator[str]:
        """Yields what seems to change this layer's attention but is not drawn: fields with values, and families in OTHERWISE."""
        turned, plain = CHANGED.get(self.kind, NONE).rotary != "none", (d_k, d_k and d_k**-0.5)
        usual: Mapping[str, object] = {"gemma2": {"query_pre_attn_scalar": 256}, "granite": {"attention_multiplier": 1.0}}.get(
            self.kind, {}
        )
        for field, value in _fields({**usual, **self.config}, "text" if "vision" in name else "vision"):
            if (
                not (turned and READ.fullmatch(field))
                and not (SCALES.fullmatch(field) and value in plain)
                and _changing(field, value)
            ):
                yield _said(field, value)
        if self.kind in OTHERWISE:
            yield f"model_type: {self.kind} ({OTHERWISE[self.kind]})"

    def _switches(self, usual: Switches, name: str, d_k: int) -> tuple[Switches, list[str]]:
        """Returns the family's changes to attention, with numbers from the configuration. Also lists what cannot be shown."""
        said, rope, kind, changes = self.config.get, self._rope(name), f"model_type: {self.kind}", list[str]()
        cap = said("attn_logit_softcapping", usual.soft_cap) if usual.soft_cap else 0.0
        switches = replace(usual, soft_cap=float(cap) if isinstance(cap, int | float) else 0.0, sinks=False)
        if usual.qk_norm == "rms" and (epsilon := said("rms_norm_eps", EPSILON)) != EPSILON:
            changes.append(_said("rms_norm_eps", epsilon))
        if usual.rotary == "none":
            return switches, changes
        share = rope.get("partial_rotary_factor", said("partial_rotary_factor", said("rotary_pct")))
        width = said("rotary_dim", d_k if share is None and self.kind not in PARTLY else (share or 0) * d_k)  # type: ignore[operator]
        bases = (rope.get("rope_theta"), said("rope_theta"), said("rotary_emb_base"), 10_000.0)
        base, scaling = next(one for one in bases if one is not None), _scaling(rope)
        if width != d_k or d_k % 2:
            changes.append(f"{kind} (of each head's {d_k} numbers it turns {width})")
        if scaling is None:
            changes.append(_said("rope_parameters", rope))
        elif not isinstance(base, int | float) or not 1 <= base <= MAX_BASE:
            changes.append(_said("rope_theta", base))
        if changes:
            return switches, changes
        return replace(switches, rotary_base=float(cast(float, base)), rotary_scaling=scaling), changes

    def _rope(self, name: str) -> Mapping[str, object]:
        """Returns a layer's `rope_parameters` (formerly `rope_scaling`). If the layer's are unknown, `rope_type` says so."""
        found = self.config.get("rope_parameters") or self.config.get("rope_scaling")
        rope = cast(dict[str, object], found) if isinstance(found, Mapping) else dict[str, object]()
        if any(isinstance(one, Mapping) for one in rope.values()):
            mine = rope.get(self._kind_of_layer(name))
            return cast(Mapping[str, object], mine) if isinstance(mine, Mapping) else {"rope_type": "one for each kind of layer"}
        if self.kind == "modernbert" and not rope:
            return {"rope_type": "two, and no field says whose"}
        return rope

    def _kind_of_layer(self, name: str) -> str:
        """Returns a layer's kind from the field `layer_types`. The layer's number is in its `name`. Returns "" if unknown."""
        kinds, number = self.config.get("layer_types"), re.search(r"(?:^|[./])([0-9]{1,4})[./]", name)
        place = int(number[1]) if number else -1
        listed = cast(list[object], kinds) if isinstance(kinds, list) else []
        return str(listed[place]) if 0 <= place < len(listed) else ""

    def _window(self, name: str) -> int | None:
        """Returns a layer's sliding window, or None. With a window of w, a query sees only positions fewer than w away."""
        window = next((self.config[key] for key in WINDOWS if self.config.get(key) is not None), None)
        kind = self._kind_of_layer(name)
        full = "full" in kind or "global" in kind or self.config.get("use_sliding_window") is False
        if full or type(window) is not int or window < 1:
            return None
        window = window // 2 + 1 if self.kind == "modernbert" else window  # the window's size covers both sides
        return window if window < BY_CODE["query_len"].most else None


def _said(field: str, value: object) -> str:
    return f"{field}: {json.dumps(value)}"[:60]


def _fields(config: Mapping[str, object], apart: str) -> Iterator[tuple[str, object]]:
    """Yields the fields of a configuration and of its inner configurations, except those whose names begin with `apart`."""
    for name, value in config.items():
        if name.endswith("_config") and isinstance(value, Mapping):
            yield from () if name.startswith(apart) else _fields(cast(Mapping[str, object], value), apart)
        else:
            yield name, value


def _changing(field: str, value: object) -> bool:
    """Returns whether a field's name or value says that attention is changed. Most fields deny it with false, 0, -1 or "none"."""
    if field == "rotary_value" or (field == "scale_attn_weights" and value is False):  # RoFormer's false rotates all but values
        return True
    if not value or value in (-1, "none") or APART.search(field):
        return False
    return bool(CHANGES.search(field) or (CHOOSES.search(field) and CHANGES.search(json.dumps(value))))


def _scaling(rope: Mapping[str, object]) -> str | None:
    """Returns the scaling of rotary angles as text for `read_scaling`: "" for no scaling, None if pages cannot show it."""
    kind = str(rope.get("rope_type", rope.get("type", "default")))
    if kind == "default":
        return ""
    usual = {"beta_fast": 32, "beta_slow": 1, "attention_factor": 0, "truncate": True}
    given = [rope.get(name) if rope.get(name) is not None else usual.get(name) for name in SCALINGS.get(kind, ())]
    if not given or {"mscale", "mscale_all_dim"} & {*rope} or not all(isinstance(value, int | float) for value in given):
        return None
    text = " ".join([kind, *(f"{float(cast(float, value)):.12g}" for value in given)])
    try:
        read_scaling(text)
    except ValueError:
        return None
    return text


def read_beside(config: Mapping[str, object]) -> Beside:
    """Reads a parsed config.json of transformers. Raises UnreadableFile, with the reason, if it cannot be read."""
    named = isinstance(config.get("model_type"), str) or any(name in config for name in D_MODEL[:3])
    if not named or "_class_name" in config:
        raise UnreadableFile(f"it is of no model of transformers: model_type or {D_MODEL[0]} must be there.")
    try:
        return Beside(config, read_config(config))
    except BadHeads as fault:
        raise UnreadableFile("{}", fault) from None
