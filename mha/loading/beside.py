"""What a `config.json` dropped with weights says of their layers: heads, packing, mask, positions, scale.

The weights of most libraries do not hold these. A family that transformers builds otherwise than the pages do is named so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from mha.loading.tensors import UnreadableFile
from mha.names import BY_CODE
from mha.published.attention import Refused
from mha.published.changed import changed
from mha.published.fields import UnreadableConfig
from mha.published.model import Model
from mha.published.names import D_MODEL
from mha.published.reading import alike, read_config

#: Parts of a model that have a configuration of their own: its field, and the modules' names.
PARTS = {
    "vision_config": r"(vision|visual|image_encoder|vision_tower)\w*", "text_config": r"(text|language)\w*",
    "audio_config": r"audio\w*",
}  # fmt: skip
ROTARY_FIELDS = {"rope_parameters", "rope_theta", "rotary_dim", "rotary_pct"}
#: Families whose positions are in attention and in none of those fields.
T5 = {"t5", "mt5", "umt5", "longt5", "switch_transformers", "pop2piano", "udop"}
RELATIVE = {*T5, "deberta", "deberta-v2", "xlnet", "mpnet"}
UNSCALED = {*T5, "gpt_neo"}
#: Families with rotary positions that no field names.
TURNED = {"phi", "qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text", "olmo2", "cohere", "stablelm", "granite", "deepseek_v3"}
#: How `query_key_value` and `qkv_proj` are packed; Falcon's depends on its fields.
PACKINGS = {
    "gpt_neox": "heads", "gpt_neox_japanese": "heads", "bloom": "heads", "persimmon": "heads", "chatglm": "blocks",
    "codegen": "fourths",
}  # fmt: skip
#: Families of parts whose classes' names do not say whether they look back.
LOOK_BACK = {"clip_text_model", "qwen2_vl_text", "qwen2_5_vl_text"}
#: Families whose attention is described here though the table has none of them.
DESCRIBED = {*TURNED, *RELATIVE, *UNSCALED, *PACKINGS, "bloom", "glm", "dbrx", "mpt", "gptj"}
CROSS = r"encoder_attn|EncDecAttention|cross_?attn|cross_?attention|attn2|inter_attention"
ROTARY, ALIBI = "positions that turn queries and keys (rotary)", "position biases (ALiBi)"
TABLES, NO_SCALE, OTHER_SCALE = "a relative position bias", "scores that are not divided by √d_k", "another divisor than √d_k"
WINDOW, CAP, CLIP = "a sliding window", "a soft cap on the scores", "a clip of queries, keys and values"


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """Of one layer. None: the configuration does not say it. `differs`: in words, what the layer does and the pages do not
    show."""

    heads: tuple[int, int] | None = None  # of queries, and of keys and values
    packing: str | None = None
    looks_back: bool | None = None
    positions: str | None = None
    scale: str | None = None
    differs: tuple[str, ...] = ()


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
        if not (alike(part.kind) or part.kind in DESCRIBED):
            positions = part._positions() or None  # what is named is there; what is not may be there all the same
            return LayerFacts(heads, part._packing(), part._causal(name), positions, None, tuple(filter(None, (positions,))))
        positions, scale = part._positions(), part._scale(inner_k // heads[0] if heads else 0)
        if re.search(CROSS, name):  # what is looked at is another sequence
            positions = ""
        differs = (positions, scale, *part._further())
        return LayerFacts(heads, part._packing(), part._causal(name), positions, scale, tuple(filter(None, differs)))

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
        if self.config.get("is_decoder") is True or self.kind in LOOK_BACK:
            return True
        if not family:
            return False if self.kind.endswith("vision_model") else None
        return any(entry.groups[0].cache for entry in family)

    def _positions(self) -> str:
        """In words; "" where positions are not in attention."""
        inner = self.config.get("attn_config")
        if self.kind == "bloom" or self.config.get("alibi") is True:
            return ALIBI
        if self.kind in RELATIVE or str(self.config.get("position_embedding_type", "")).startswith("relative"):
            return TABLES
        turned = changed(self.kind).rotary != "none" or self.kind in TURNED or bool(ROTARY_FIELDS & {*self.config})
        if turned or (isinstance(inner, Mapping) and "rope_theta" in inner) or self.kind in ("dbrx", "roformer"):
            return ROTARY
        return ROTARY if self.config.get("position_embedding_type") in ("rotary", "rope") else ""

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

    def _further(self) -> list[str]:
        longest = BY_CODE["query_len"].most
        window = self.config.get("sliding_window", self.config.get("local_attention", self.config.get("window_size")))
        cuts = isinstance(window, int) and 0 < window < longest and self.config.get("use_sliding_window") is not False
        caps = self.config.get("attn_logit_softcapping", 50.0 if self.kind == "gemma2" else None)
        return [words for there, words in (
            (cuts, WINDOW), (caps is not None and self.kind.startswith("gemma2"), CAP),
            (self.config.get("clip_qkv") is not None, CLIP),
        ) if there]  # fmt: skip


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
