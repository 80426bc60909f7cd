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
from mha.published.changed import changed
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
#: Families whose positions are in attention and in no field.
T5 = {"t5", "mt5", "umt5", "longt5", "switch_transformers", "pop2piano", "udop"}
RELATIVE = {*T5, "deberta", "deberta-v2", "xlnet", "mpnet"}
UNSCALED = {*T5, "gpt_neo"}
#: Rotary families beside those of mha.published.changed, by how they pair numbers.
TURNED = {
    **dict.fromkeys(("qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text", "stablelm", "granite", "phi"), "halves"),
    "cohere": "pairs",
}  # fmt: skip
#: Families that turn a part of each head, where no field says how much.
PARTLY = ("phi", "gpt_neox", "gptj", "stablelm", "persimmon", "glm", "glm4", "nemotron", "codegen")
#: How `query_key_value` and `qkv_proj` are packed; Falcon's depends on its fields.
PACKINGS = {
    "gpt_neox": "heads", "gpt_neox_japanese": "heads", "bloom": "heads", "persimmon": "heads", "chatglm": "blocks",
    "codegen": "fourths", "phi3": "blocks",
}  # fmt: skip
#: Families that normalise each query and key before they are turned, with gains as they stand in the file.
NORMED = ("qwen3", "qwen3_moe")
#: Families of parts whose classes' names do not say whether they look back.
LOOK_BACK = {"clip_text_model", "qwen2_vl_text", "qwen2_5_vl_text"}
#: Families whose attention is described here though the table has none of them.
DESCRIBED = {*TURNED, *RELATIVE, *UNSCALED, *PACKINGS, "glm", "dbrx", "mpt", "gptj"}
ROTARY = "positions that turn queries and keys (rotary) in another way than these pages"
ALIBI = "position biases (ALiBi) of another kind"
TABLES, NO_SCALE, OTHER_SCALE = "a relative position bias", "scores that are not divided by √d_k", "another divisor than √d_k"
CLIP = "a clip of queries, keys and values"


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """Of one layer. None: the configuration does not say it. `switches` and `window`: what the pages show of it besides.
    `differs`: in words, what the layer does and the pages do not show."""

    heads: tuple[int, int] | None = None  # of queries, and of keys and values
    packing: str | None = None
    looks_back: bool | None = None
    positions: str | None = None
    scale: str | None = None
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
        part = self.part(name)
        heads = part._heads(width, inner_k, inner_v) or part._heads_of_block(name, inner_k)
        size = inner_k // heads[0] if heads else 0
        switches, positions = (NONE, "") if re.search(CROSS, name) else part._positions(name, size)
        if not (alike(part.kind) or part.kind in DESCRIBED or changed(part.kind)):  # what is not named may be there all the same
            differs = (positions or "positions of a family that is not known here",) if positions or switches else ()
            return LayerFacts(heads, part._packing(), part._causal(name), positions or None, None, differs)
        scale, clip = part._scale(size), CLIP if part.config.get("clip_qkv") is not None else ""
        differs = tuple(filter(None, (positions, scale, clip)))
        return LayerFacts(
            heads, part._packing(), part._causal(name), positions, scale, differs, switches, part._window(name)
        )  # fmt: skip

    def fits(self, name: str, width: int, inner_k: int, inner_v: int) -> bool:
        """Whether its model has a layer of these sizes in that part; True where it names no sizes."""
        part = self.part(name)
        return part.model is None or part._heads(width, inner_k, inner_v) is not None

    def _heads(self, width: int, inner_k: int, inner_v: int) -> tuple[int, int] | None:
        if self.model is None:
            heads, size = self.config.get("num_attention_heads"), self.config.get("attention_head_dim")  # diffusers
            if not isinstance(heads, int) or not isinstance(size, int) or not heads * size == inner_k == inner_v:
                return None
            return heads, heads
        modules = [group.attention for group in self.model.groups]
        found = {
            (a.heads, a.kv_heads) for a in modules
            if (a.d_model, a.heads * a.d_k, a.heads * a.d_v) == (width, inner_k, inner_v) and a.latent is None
        }  # fmt: skip
        return found.pop() if len(found) == 1 else None

    def _heads_of_block(self, name: str, inner: int) -> tuple[int, int] | None:
        """Of diffusers' U-Nets, whose `attention_head_dim` is the number of heads: one, or one for each block on the way down."""
        if self.config.get("_class_name") != "UNet2DConditionModel":
            return None
        said = self.config.get("num_attention_heads") or self.config.get("attention_head_dim")
        each = cast(list[object], said) if isinstance(said, list) else [said]
        block = re.match(r"(down|mid|up)_blocks?(?:\.([0-9]{1,2}))?\.", name)
        place = 0 if block is None or len(each) == 1 else -1 if block[1] == "mid" else int(block[2] or 0)
        place = len(each) - 1 - place if block is not None and block[1] == "up" and len(each) > 1 else place
        heads = each[place] if -len(each) <= place < len(each) else None
        return (heads, heads) if isinstance(heads, int) and heads > 0 and inner % heads == 0 else None

    def _packing(self) -> str | None:
        if self.kind != "falcon":
            return PACKINGS.get(self.kind)
        if self.config.get("new_decoder_architecture"):
            return "heads"
        return "blocks" if self.config.get("multi_query", True) else "heads"

    def _causal(self, name: str) -> bool | None:
        """By the family: an encoder does not look back, what keeps a cache does; in an encoder and a decoder, the decoder's
        layers do."""
        if re.search(CROSS, name):
            return False
        words = re.split(r"[./_]", name)
        family = alike(self.kind)
        if any(len(entry.groups) > 1 for entry in family) or self.config.get("is_encoder_decoder") is True:
            return "decoder" in words if {"encoder", "decoder"} & {*words} else None
        generates = not family and (changed(self.kind) or self.kind in TURNED)  # all of those that the table does not have
        if self.config.get("is_decoder") is True or self.kind in LOOK_BACK or generates:
            return True
        if not family:
            return False if self.kind.endswith("vision_model") else None
        return any(entry.groups[0].cache for entry in family)

    def _positions(self, name: str, d_k: int) -> tuple[Switches, str]:
        """As the pages have them; or, in words, what they do not show."""
        kind, usual = self.kind, changed(self.kind)
        cap = self.config.get("attn_logit_softcapping", usual.soft_cap) if usual.soft_cap else 0.0
        switches = replace(NONE, soft_cap=float(cap) if isinstance(cap, int | float) else 0.0)
        if kind in NORMED and self.config.get("rms_norm_eps", EPSILON) == EPSILON:
            switches = replace(switches, qk_norm="rms")
        if kind == "bloom":
            return replace(switches, alibi=True), ""
        if self.config.get("alibi") is True or kind == "mpt":
            return NONE, ALIBI
        if kind in RELATIVE or str(self.config.get("position_embedding_type", "")).startswith("relative"):
            return NONE, TABLES
        rope = self._rope(name)
        known = usual.rotary if usual.rotary != "none" else TURNED.get(kind, "none")
        named = bool(rope or {"rope_theta", "rotary_dim", "rotary_pct"} & {*self.config}) or kind in (*PARTLY, "roformer", "dbrx")
        if known == "none" and not named and self.config.get("position_embedding_type") not in ("rotary", "rope"):
            return switches, ""
        share = rope.get("partial_rotary_factor", self.config.get("partial_rotary_factor", self.config.get("rotary_pct")))
        width = self.config.get("rotary_dim", d_k if share is None and kind not in PARTLY else (share or 0) * d_k)  # type: ignore[operator]
        bases = (rope.get("rope_theta"), self.config.get("rope_theta"), self.config.get("rotary_emb_base"), 10_000.0)
        base = next(one for one in bases if one is not None)
        plain = rope.get("rope_type", rope.get("type", "default")) == "default" and not d_k % 2
        if known == "none" or width != d_k or not plain or not isinstance(base, int | float) or not 1 <= base <= MOST_BASE:
            return NONE, ROTARY
        return replace(switches, rotary=known, rotary_base=float(base)), ""

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

    def _scale(self, d_k: int) -> str:
        """In words; "" for √d_k."""
        if self.kind in UNSCALED:
            return NO_SCALE
        one, other = self.config.get("attention_multiplier"), self.config.get("query_pre_attn_scalar")
        if one is None and self.kind == "granite":
            one = 1.0  # the default of its class
        if other is None and self.kind in ("gemma2", "gemma3_text"):
            other = 256  # the default of their classes
        factor = one if isinstance(one, int | float) else other**-0.5 if isinstance(other, int | float) and other > 0 else None
        if factor is not None and (not d_k or abs(factor - d_k**-0.5) > 1e-9):
            return OTHER_SCALE
        if self.config.get("scale_attn_weights") is False:
            return NO_SCALE
        return OTHER_SCALE if self.config.get("scale_attn_by_inverse_layer_idx") is True else ""


def read_beside(config: Mapping[str, object]) -> Beside:
    """UnreadableFile where the configuration is one of transformers and cannot be read, with the field."""
    named = isinstance(config.get("model_type"), str) or any(name in config for name in D_MODEL[:3])
    if not named or "_class_name" in config:
        return Beside(config, None)
    try:
        return Beside(config, read_config(config))
    except UnreadableConfig as fault:
        found = "" if fault.actual is None else ", found {}"
        names = () if fault.actual is None else (fault.actual,)
        raise UnreadableFile(f"config.json: {fault.field} {fault.allowed}{found}.", *names) from None
    except Refused as fault:
        raise UnreadableFile(f"config.json: {fault}") from None
