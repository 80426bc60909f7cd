"""What a `config.json` dropped with weights says of their layers: heads, packing, mask, positions, scale.

The weights of most libraries do not hold these. A family that transformers builds otherwise than the pages do is named so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from mha.loading.names import CROSS
from mha.loading.tensors import UnreadableFile
from mha.names import BY_CODE
from mha.published.attention import Refused
from mha.published.changed import PARTLY, UNSCALED, changed
from mha.published.fields import UnreadableConfig
from mha.published.model import Model
from mha.published.names import D_MODEL
from mha.published.reading import WINDOWS, alike, read_config
from mha.switches import EPSILON, NONE, Switches

#: Parts of a model that have a configuration of their own: its field, and the modules' names.
PARTS = {
    "vision_config": r"(vision|visual|image_encoder|vision_tower)\w*", "text_config": r"(text|language)\w*",
    "audio_config": r"audio\w*",
}  # fmt: skip
#: The largest base of rotary angles that the pages take.
MOST_BASE = 1e9
#: Rotary families beside those of mha.published.changed.
TURNED = {
    **dict.fromkeys(("qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text", "stablelm", "granite", "phi"), Switches(rotary="halves")),
    "cohere": Switches(rotary="pairs"),
}  # fmt: skip
#: Families whose positions are in attention, in another way than the pages show, and in no field.
OTHER = {"t5", "mt5", "umt5", "longt5", "switch_transformers", "pop2piano", "udop", "deberta", "deberta-v2", "xlnet", "mpnet",
         "mpt", "roformer", "persimmon", "glm", "glm4", "nemotron", "codegen", "dbrx"}  # fmt: skip
#: How `query_key_value` is packed; Falcon's depends on its fields.
PACKINGS = {**dict.fromkeys(("gpt_neox", "gpt_neox_japanese", "bloom"), "heads"), "chatglm": "blocks"}
#: Families that normalise each query and key before they are turned, with gains as they stand in the file.
NORMED = ("qwen3", "qwen3_moe")
#: Families of parts whose classes' names do not say whether they look back.
LOOK_BACK = {"clip_text_model", "qwen2_vl_text", "qwen2_5_vl_text"}
POSITIONS, SCALE = "positions in another way than these pages show", "another divisor than √d_k"
CLIP = "a clip of queries, keys and values"


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """Of one layer. None: the configuration does not say it. `switches` and `window`: what the pages show of it besides; `said`:
    positions and scale are known. `differs`: in words, what the layer does and the pages do not show."""

    heads: tuple[int, int] | None = None  # of queries, and of keys and values
    packing: str | None = None
    looks_back: bool | None = None
    said: bool = False
    differs: tuple[str, ...] = ()
    switches: Switches = NONE
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Beside:
    """A configuration; `model` is None where it names no sizes (timm's, diffusers')."""

    config: Mapping[str, object]
    model: Model | None

    @property
    def kind(self) -> str:
        kind = self.config.get("model_type")
        return kind if isinstance(kind, str) else ""

    def part(self, name: str) -> "Beside":
        """That of the part of the model in which the layer `name` lies."""
        words = re.split(r"[./]", name)
        for field, pattern in PARTS.items():
            inner = self.config.get(field)
            if isinstance(inner, Mapping) and any(re.fullmatch(pattern, word) for word in words):
                settings = dict(cast(Mapping[str, object], inner))
                if "model_type" not in settings and alike(kind := f"{self.kind}_{field.split('_')[0]}_model"):
                    settings["model_type"] = kind
                return read_beside(settings)
        return self

    def facts_of(self, name: str, width: int, inner_k: int, inner_v: int) -> LayerFacts:
        """Of the layer with this name and these sizes: of the input, h·d_k and h·d_v."""
        part, cross = self.part(name), bool(re.search(CROSS, name))
        heads = part.heads(width, inner_k, inner_v)
        size = inner_k // heads[0] if heads else 0
        switches = NONE if cross else part._switches(name, size)
        known = bool(alike(part.kind) or changed(part.kind) or part.kind in {*TURNED, *OTHER, *PACKINGS, *UNSCALED})
        if not known and switches:
            switches = None
        reasons = {POSITIONS: switches is None, SCALE: known and part._divides_otherwise(size),
                   CLIP: part.config.get("clip_qkv") is not None}  # fmt: skip
        window = part._window(name) if known else None
        back = False if cross else part._looks_back(name)
        differs = tuple(words for words, there in reasons.items() if there)
        return LayerFacts(heads, part._packing(), back, known, differs, switches or NONE, window)

    def heads(self, width: int, inner_k: int, inner_v: int) -> tuple[int, int] | None:
        """Those of the model's layers of these sizes; None where there is none, or it is not said which."""
        found = {
            (a.heads, a.kv_heads) for a in (group.attention for group in (self.model.groups if self.model else ()))
            if (a.d_model, a.heads * a.d_k, a.heads * a.d_v) == (width, inner_k, inner_v) and a.latent is None
        }  # fmt: skip
        return found.pop() if len(found) == 1 else None

    def _packing(self) -> str | None:
        if self.kind != "falcon":
            return PACKINGS.get(self.kind)
        multi = self.config.get("multi_query", True) and not self.config.get("new_decoder_architecture")
        return "blocks" if multi else "heads"

    def _looks_back(self, name: str) -> bool | None:
        """By the family: an encoder does not, what keeps a cache does; in an encoder and a decoder, the decoder's layers do."""
        words, family = re.split(r"[./_]", name), alike(self.kind)
        if any(len(entry.groups) > 1 for entry in family) or self.config.get("is_encoder_decoder") is True:
            return "decoder" in words if {"encoder", "decoder"} & {*words} else None
        if self.config.get("is_decoder") is True or self.kind in {*LOOK_BACK, *TURNED} or (changed(self.kind) and not family):
            return True
        if not family:
            return False if self.kind.endswith("vision_model") else None
        return any(entry.groups[0].cache for entry in family)

    def _switches(self, name: str, d_k: int) -> Switches | None:
        """Positions, norms and cap as the pages have them; None where the layer has positions of another kind."""
        said, usual = self.config.get, changed(self.kind) or TURNED.get(self.kind, NONE)
        cap = said("attn_logit_softcapping", usual.soft_cap) if usual.soft_cap else 0.0
        normed = self.kind in NORMED and said("rms_norm_eps", EPSILON) == EPSILON
        switches = replace(
            usual, soft_cap=float(cap) if isinstance(cap, int | float) else 0.0, qk_norm="rms" if normed else "none", sinks=False
        )
        learned = str(said("position_embedding_type", "absolute"))
        if self.kind in OTHER or said("alibi") is True or learned.startswith("relative"):
            return None
        rope = self._rope(name)
        if usual.rotary == "none":
            named = rope or {"rope_theta", "rotary_dim", "rotary_pct"} & {*self.config} or learned in ("rotary", "rope")
            return None if named else switches
        share = rope.get("partial_rotary_factor", said("partial_rotary_factor", said("rotary_pct")))
        width = said("rotary_dim", d_k if share is None and self.kind not in PARTLY else (share or 0) * d_k)  # type: ignore[operator]
        bases = (rope.get("rope_theta"), said("rope_theta"), said("rotary_emb_base"), 10_000.0)
        base = next(one for one in bases if one is not None)
        plain = rope.get("rope_type", rope.get("type", "default")) == "default" and not d_k % 2
        if width != d_k or not plain or not isinstance(base, int | float) or not 1 <= base <= MOST_BASE:
            return None
        return replace(switches, rotary_base=float(base))

    def _rope(self, name: str) -> Mapping[str, object]:
        """Of `rope_parameters`, of this layer's kind where they differ by kind; or of the older `rope_scaling`."""
        found = self.config.get("rope_parameters") or self.config.get("rope_scaling")
        rope = cast(dict[str, object], found) if isinstance(found, Mapping) else dict[str, object]()
        if any(isinstance(one, Mapping) for one in rope.values()):
            mine = rope.get(self._kind_of_layer(name))
            return cast(Mapping[str, object], mine) if isinstance(mine, Mapping) else {"rope_type": "unknown"}
        if self.kind in ("modernbert", "gemma3_text") and not rope:
            return {"rope_type": "unknown"}  # two bases, and no field that says whose
        return rope

    def _kind_of_layer(self, name: str) -> str:
        """What `layer_types` says of the layer; "" where it says nothing."""
        kinds, number = self.config.get("layer_types"), re.search(r"(?:^|[./])([0-9]{1,4})[./]", name)
        place = int(number[1]) if number else -1
        listed = cast(list[object], kinds) if isinstance(kinds, list) else []
        return str(listed[place]) if 0 <= place < len(listed) else ""

    def _window(self, name: str) -> int | None:
        """Positions less than so many away are seen; None where the layer sees all that the pages can show."""
        window = next((self.config[key] for key in WINDOWS if self.config.get(key) is not None), None)
        kind = self._kind_of_layer(name)
        full = "full" in kind or "global" in kind or self.config.get("use_sliding_window") is False
        if full or type(window) is not int or window < 1:
            return None
        window = window // 2 + 1 if self.kind == "modernbert" else window  # so many on both sides together
        return window if window < BY_CODE["query_len"].most else None

    def _divides_otherwise(self, d_k: int) -> bool:
        """Whether scores are divided by anything else than √d_k."""
        said = self.config.get
        one = said("attention_multiplier", 1.0 if self.kind == "granite" else None)  # the defaults of the classes
        other = said("query_pre_attn_scalar", 256 if self.kind in ("gemma2", "gemma3_text") else None)
        factor = one if isinstance(one, int | float) else other**-0.5 if isinstance(other, int | float) and other > 0 else None
        if factor is not None and (not d_k or abs(factor - d_k**-0.5) > 1e-9):
            return True
        by_layer = said("scale_attn_by_inverse_layer_idx") is True
        return self.kind in UNSCALED or said("scale_attn_weights") is False or by_layer


def read_beside(config: Mapping[str, object]) -> Beside:
    """UnreadableFile where the configuration is one of transformers and cannot be read, with the field."""
    named = isinstance(config.get("model_type"), str) or any(name in config for name in D_MODEL[:3])
    if not named or "_class_name" in config:
        return Beside(config, None)
    try:
        return Beside(config, read_config(config))
    except UnreadableConfig as fault:
        names = () if fault.actual is None else (fault.actual,)
        raise UnreadableFile(f"config.json: {fault.field} {fault.allowed}{', found {}' if names else ''}.", *names) from None
    except Refused as fault:
        raise UnreadableFile(f"config.json: {fault}") from None
