"""What a `config.json` dropped with weights says of their layers, and weights do not: heads, packing, mask, positions, scale."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from mha.config import SCALINGS, read_scaling
from mha.files.fit import Measured
from mha.files.names import CROSS
from mha.files.tensors import UnreadableFile
from mha.models.attention import Refused
from mha.models.conventions import CHANGED, PARTLY, UNSCALED
from mha.models.model import Model
from mha.models.reading import D_MODEL, WINDOWS, alike, read_config
from mha.names import BY_CODE
from mha.switches import EPSILON, NONE, Switches

#: The largest base of rotary angles that the pages take.
MAX_BASE = 1e9
POSITIONS, SCALE = "positions in another way than these pages show", "another divisor than √d_k"
CLIP = "a clip of queries, keys and values"


@dataclass(frozen=True, slots=True)
class Beside:
    """A configuration, and the model that it is of."""

    config: Mapping[str, object]
    model: Model

    @property
    def kind(self) -> str:
        kind = self.config.get("model_type")
        return kind if isinstance(kind, str) else ""

    def applied(self, sizes: Measured, name: str) -> Measured:
        """The layer with this name and these sizes, with what the configuration says of it."""
        heads = self.heads(sizes)
        cross, size = bool(re.search(CROSS, name)), sizes.inner_k // heads if heads else 0
        switches = NONE if cross else self._switches(name, size)
        known = bool(alike(self.kind) or self.kind in (*CHANGED, *UNSCALED))
        back = False if cross else self._looks_back(name)
        differs = {POSITIONS: switches is None, SCALE: known and self._divides_otherwise(size),
                   CLIP: self.config.get("clip_qkv") is not None}  # fmt: skip
        return replace(
            sizes, num_heads=sizes.num_heads or heads, looks_back=bool(back), said=known and back is not None,
            switches=switches or NONE, extras=(*sizes.extras, *(words for words, there in differs.items() if there)),
            sliding_window=sizes.sliding_window or (self._window(name) if known else None),
        )  # fmt: skip

    def heads(self, sizes: Measured) -> int | None:
        """Head count of the model's layers of these sizes; None where there is no such layer, or several head counts fit."""
        wanted = sizes.query_width, sizes.inner_k, sizes.inner_g, sizes.inner_v
        found = {
            a.heads for a in (group.attention for group in self.model.groups)
            if (a.d_model, a.heads * a.d_k, a.kv_heads * a.d_k, a.heads * a.d_v) == wanted and a.latent is None
        }  # fmt: skip
        return found.pop() if len(found) == 1 else None

    @property
    def packing(self) -> str | None:
        """How query, key and value lie in one array: "blocks", "heads" (each head's part after the other's); None: not said."""
        if self.kind == "falcon" and self.config.get("multi_query", True) and not self.config.get("new_decoder_architecture"):
            return "blocks"
        return "heads" if self.kind in ("bloom", "falcon", "gpt_neox", "gpt_neox_japanese") else None

    def _looks_back(self, name: str) -> bool | None:
        """Whether the layer is causal, by its family: an encoder is not, what keeps a cache is; in an encoder and a decoder, the
        decoder's layers are. None: unknown."""
        words, family = re.split(r"[./_]", name), alike(self.kind)
        if any(len(entry.groups) > 1 for entry in family) or self.config.get("is_encoder_decoder") is True:
            return "decoder" in words if {"encoder", "decoder"} & {*words} else None
        if self.config.get("is_decoder") is True or self.kind == "clip_text_model":
            return True
        return any(entry.groups[0].cache for entry in family) if family else self.kind in CHANGED or None

    def _switches(self, name: str, d_k: int) -> Switches | None:
        """Positions, norms and cap as the pages have them; None where the layer has positions of another kind."""
        said, usual, rope = self.config.get, CHANGED.get(self.kind, NONE), self._rope(name)
        cap = said("attn_logit_softcapping", usual.soft_cap) if usual.soft_cap else 0.0
        # Gemma 3's gains are 1 more than its file says.
        normed = usual.qk_norm == "rms" and self.kind != "gemma3_text" and said("rms_norm_eps", EPSILON) == EPSILON
        switches = replace(
            usual, soft_cap=float(cap) if isinstance(cap, int | float) else 0.0, qk_norm="rms" if normed else "none", sinks=False
        )
        learned = str(said("position_embedding_type", "absolute"))
        if usual.rotary == "none":
            turned = rope or {"rope_theta", "rotary_dim", "rotary_pct"} & {*self.config} or learned in ("rotary", "rope")
            return None if turned or said("alibi") is True or learned.startswith("relative") else switches
        share = rope.get("partial_rotary_factor", said("partial_rotary_factor", said("rotary_pct")))
        width = said("rotary_dim", d_k if share is None and self.kind not in PARTLY else (share or 0) * d_k)  # type: ignore[operator]
        bases = (rope.get("rope_theta"), said("rope_theta"), said("rotary_emb_base"), 10_000.0)
        base = next(one for one in bases if one is not None)
        scaling = _scaling(rope)
        plain = scaling is not None and not d_k % 2 and said("alibi") is not True
        if width != d_k or not plain or not isinstance(base, int | float) or not 1 <= base <= MAX_BASE:
            return None
        return replace(switches, rotary_base=float(base), rotary_scaling=scaling)

    def _rope(self, name: str) -> Mapping[str, object]:
        """Reads the layer's `rope_parameters`, those of its kind where they differ by kind, or the older `rope_scaling`."""
        found = self.config.get("rope_parameters") or self.config.get("rope_scaling")
        rope = cast(dict[str, object], found) if isinstance(found, Mapping) else dict[str, object]()
        if any(isinstance(one, Mapping) for one in rope.values()):
            mine = rope.get(self._kind_of_layer(name))
            return cast(Mapping[str, object], mine) if isinstance(mine, Mapping) else {"rope_type": "unknown"}
        if self.kind == "modernbert" and not rope:
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
        scalar = said("query_pre_attn_scalar", 256 if self.kind == "gemma2" else d_k)  # the classes' default
        multiplied = said("attention_multiplier", 1.0 if self.kind == "granite" else None) not in (None, d_k**-0.5 if d_k else 0)
        by_layer = said("scale_attn_weights") is False or said("scale_attn_by_inverse_layer_idx") is True
        return self.kind in UNSCALED or scalar != d_k or multiplied or by_layer


def _scaling(rope: Mapping[str, object]) -> str | None:
    """How angles are slowed, as `mha.config.read_scaling` reads it; None for a way that the pages do not have."""
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


def read_beside(config: Mapping[str, object]) -> Beside | None:
    """Reads a config.json of transformers; None for any other. UnreadableFile, with the field, where it cannot be read."""
    named = isinstance(config.get("model_type"), str) or any(name in config for name in D_MODEL[:3])
    if not named or "_class_name" in config:
        return None
    try:
        return Beside(config, read_config(config))
    except UnreadableFile as fault:
        raise UnreadableFile(f"config.json: {fault.sentence}", *fault.names) from None
    except Refused as fault:
        raise UnreadableFile(f"config.json: {fault}") from None
