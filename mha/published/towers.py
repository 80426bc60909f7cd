"""Models around a text model: towers that read pictures, whose own heads stay where those of the text are moved.

And DBRX, whose sizes of attention and feed-forward are objects inside the configuration.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from mha.published import parts
from mha.published.attention import Attention
from mha.published.families import EMBED_DIM, FAMILIES, MULTIPLE, Family, architecture, not_counted
from mha.published.fields import Fields, UnreadableConfig, described
from mha.published.model import Group, Model, Part
from mha.published.parts import Piece

PICTURES = "vision"
#: DBRX and Qwen's tower are built with any heads; their first forward pass fails where they do not divide d_model.
UNSAID = " "


def clip_text(fields: Fields, d: int, layers: int) -> tuple[Piece, Piece]:
    """Words and learnt positions; LayerNorms."""
    width = fields.whole("width", "intermediate_size")
    before = (*parts.words(fields, d), *parts.positions(fields, d, "max_position_embeddings"))
    return before, (*parts.plain(d, width, layers), *parts.norms(d, 2 * layers + 1, bias=True))


def picture(fields: Fields, d: int, layers: int, *, clip: bool) -> tuple[Piece, Piece]:
    """CLIP: a class token, patches without a bias, a norm before the layers. SigLIP: patches with a bias only."""
    patch, side, channels = (fields.whole("width", name) for name in ("patch_size", "image_size", "num_channels"))
    width = fields.whole("width", "intermediate_size")
    token = (Part("class token", d, 1, "embeddings"),) if clip else ()
    return (
        Part("patches to d_model", channels * patch * patch * d + (0 if clip else d), 1, "embeddings"), *token,
        Part("position embeddings", ((side // patch) ** 2 + clip) * d, 1, "embeddings"),
    ), (*parts.plain(d, width, layers), *parts.norms(d, 2 * layers + 1 + clip, bias=True))  # fmt: skip


def siglip(fields: Fields, d: int, layers: int) -> tuple[Piece, Piece]:
    """SigLIP, and the feed-forward of the head that pools its patches."""
    before, after = picture(fields, d, layers, clip=False)
    if not fields.flag("vision_use_head"):
        return before, after
    width = fields.whole("width", "intermediate_size")
    return before, (
        *after, Part("query that pools", d, 1, "output"), *parts.plain(d, width, 1, label="FFN after pooling"),
        *parts.norms(d, 1, bias=True, label="LayerNorm after pooling"),
    )  # fmt: skip


def qwen_vision(fields: Fields, d: int, layers: int, *, newer: bool) -> tuple[Piece, Piece]:
    """Qwen2-VL's pictures and films: patches of `temporal_patch_size` frames; a merger to the width of the text. `newer`: gated
    with biases, RMS norms."""
    patch, frames, channels = (fields.whole("width", name) for name in ("patch_size", "temporal_patch_size", "in_channels"))
    merged = d * fields.whole("width", "spatial_merge_size") ** 2
    out = fields.whole("d_model", "out_hidden_size" if newer else "hidden_size")
    if newer:
        feed = parts.gated(d, fields.whole("width", "intermediate_size"), layers, bias=True)
    else:
        feed = parts.plain(d, d * fields.whole("width", "mlp_ratio"), layers)
    return (Part("patches to d_model", channels * frames * patch * patch * d, 1, "embeddings"),), (
        *feed, *parts.norms(d, 2 * layers + 1, bias=not newer),
        Part("merger to the text", merged * merged + merged + merged * out + out, 1, "output"),
    )  # fmt: skip


CLIP = Family(
    bias="qkvo", refusal=MULTIPLE + ".", cache="", rest=clip_text, prefix="CLIPText", usual="Model",
    classes={"Model": "", "ModelWithProjection": "CLIP projection"},
)  # fmt: skip
CLIP_VISION = replace(CLIP, rest=partial(picture, clip=True), prefix="CLIPVision")
SIGLIP = replace(CLIP, refusal=EMBED_DIM, rest=siglip, prefix="SiglipVision", classes={"Model": ""})
QWEN_VISION = Family(
    ("embed_dim",), ("depth",), ("num_heads",), bias="qkvo", refusal=UNSAID, cache="", rest=partial(qwen_vision, newer=False),
    prefix="Qwen2VisionTransformer", usual="PretrainedModel", classes={"PretrainedModel": ""},
)  # fmt: skip
QWEN_NEWER = replace(
    QWEN_VISION, d_model=("hidden_size",), rest=partial(qwen_vision, newer=True), prefix="Qwen2_5_VisionTransformer"
)
QWEN_TEXT = replace(
    FAMILIES["qwen2"], own=False, refusal=FAMILIES["stablelm"].refusal, prefix="Qwen2VLText", usual="Model", classes={"Model": ""}
)

INSIDE = {
    "clip_text_model": CLIP, "clip_vision_model": CLIP_VISION, "siglip_vision_model": SIGLIP, "qwen2_vl_vision": QWEN_VISION,
    "qwen2_5_vl_vision": QWEN_NEWER, "qwen2_vl_text": QWEN_TEXT, "qwen2_5_vl_text": replace(QWEN_TEXT, prefix="Qwen2_5_VLText"),
}  # fmt: skip


def _inside(
    fields: Fields, name: str, usual: str, *, fixed: bool, flat: bool = False, empty: Mapping[str, object] | None = None
) -> tuple[Model, Fields]:
    """The model of an object inside, as its bare class, and its fields. `fixed`: its `model_type` is not looked at. `flat`: where
    there is no such object its fields stand beside the others. `empty`: what is taken where the object is left out."""
    kind = usual if fixed else fields.inner(name, "", empty).word("model_type", usual)
    family = (FAMILIES | INSIDE).get(kind)
    bare = next((one for one in ("Model", "TextModel", "PretrainedModel") if family and one in (family.classes or {})), None)
    if family is None or bare is None:
        raise UnreadableConfig(f"{name}.model_type", "must be of a family that is read here", described(kind))
    if flat and not fields.has(name):
        inner = fields.flat(kind)
    else:
        inner = fields.inner(name, kind, empty)
        inner.word("model_type")
        fields.keep(name, inner)
    model = family.read(inner, bare)
    return replace(model, groups=(*model.groups, *_pooling(inner))), inner


def _apart(model: Model, label: str) -> Model:
    """As a tower: its parts and groups say so."""
    before, after = (
        tuple(replace(part, label=f"{label}: {part.label}") for part in rows or ()) for rows in (model.before, model.after)
    )
    return replace(model, before=before, after=after, groups=tuple(replace(g, label=label, tower=label) for g in model.groups))


@dataclass(frozen=True, slots=True)
class Around:
    """A text model and a tower for pictures. `text` and `vision`: the `model_type` of each where none is named; `fixed`:
    whatever is named. `joint`: what stands between and after them, of the fields, the text's width and the tower's fields.
    `usual`: counted where no class is named; `heads`: each class, and whether it has an LM head. `flat`: older files have the
    text's fields beside the others. `empty`: the tower where it is left out. `either`: the LM head is tied where the text says
    so, too, as older files do."""

    prefix: str
    text: str
    vision: str
    joint: Callable[[Fields, int, Fields], Piece]
    usual: str = "ForConditionalGeneration"
    heads: Mapping[str, bool] | None = None
    fixed: bool = True
    flat: bool = False
    either: bool = True
    empty: Mapping[str, object] | None = None

    def read(self, fields: Fields) -> Model:
        """Text first, the tower apart from it."""
        named = architecture(fields)
        heads = self.heads or {"Model": False, self.usual: True}
        kind = self.usual if named is None else named.removeprefix(self.prefix)
        counted = kind in heads and (named is None or named in fields.known.classes)
        if not counted:
            fields.assumed.append(not_counted(fields, named or ""))
        text, inner = _inside(fields, "text_config", self.text, fixed=self.fixed, flat=self.flat)
        tower, pictures = _inside(fields, "vision_config", self.vision, fixed=self.fixed, empty=self.empty)
        tower = _apart(tower, PICTURES)
        groups = (*text.groups, *tower.groups)
        if not counted:
            return Model(fields.word("model_type"), groups, notes=tuple(fields.assumed))
        d = text.attention.d_model
        head: Piece = ()
        if fields.raw("tie_word_embeddings")[1] is None:
            raise UnreadableConfig("tie_word_embeddings", "must be true or false", "null")
        # Older files say it inside; the classes take either.
        tied = fields.flag("tie_word_embeddings") or (self.either and inner.flag("tie_word_embeddings"))
        if heads[kind] and not tied:
            head = (Part("LM head", inner.whole("vocabulary", "vocab_size") * d, 1, "output"),)
        return Model(
            fields.word("model_type"), groups, (*(tower.before or ()), *(text.before or ())),
            (*(tower.after or ()), *(text.after or ()), *self.joint(fields, d, pictures), *head),
            counted_as=self.prefix + kind, notes=tuple(fields.assumed),
        )  # fmt: skip


def _pooling(pictures: Fields) -> tuple[Group, ...]:
    """SigLIP's head has one more module."""
    if "vision_use_head" not in pictures.known.fields or not pictures.flag("vision_use_head"):
        return ()
    d, heads = pictures.whole("d_model", "hidden_size"), pictures.whole("heads", "num_attention_heads")
    attention = Attention(d, heads, heads, d // heads, d // heads, True, True, "qkvo", refusal=EMBED_DIM)
    return (Group("pooling", 1, attention),)


def llava_joint(fields: Fields, d: int, pictures: Fields) -> Piece:
    """Two layers from the tower to the text; the features of several of its layers stand side by side."""
    layers = fields.wholes("vision_feature_layer")
    wide = pictures.whole("d_model", "hidden_size") * len(layers)
    bias = 2 * d * fields.flag("multimodal_projector_bias")
    return (Part("projector to the text", wide * d + d * d + bias, 1, "output"),)


def gemma_joint(fields: Fields, d: int, pictures: Fields) -> Piece:
    """A matrix from the tower to the text, and a norm before it."""
    wide = pictures.whole("d_model", "hidden_size")
    return Part("projector to the text", wide * d, 1, "output"), Part("RMS norm of the projector", wide, 1, "norms")


def clip_joint(fields: Fields, d: int, pictures: Fields) -> Piece:
    """Both towers to one space, and the scale of the logits."""
    space = fields.whole("d_model", "projection_dim")
    wide = pictures.whole("d_model", "hidden_size")
    return (
        Part("projection of pictures", wide * space, 1, "output"), Part("projection of text", d * space, 1, "output"),
        Part("scale of the logits", 1, 1, "output"),
    )  # fmt: skip


def _nothing(_fields: Fields, _d: int, _pictures: Fields) -> Piece:
    return ()


def dbrx(fields: Fields) -> Model:
    """DBRX: experts in every layer, LayerNorms without biases."""
    d, heads = fields.whole("d_model", "d_model"), fields.whole("heads", "n_heads")
    if "hidden_size" in fields.used:  # the class would give it to attention and not to the experts
        raise UnreadableConfig("hidden_size", "must be spelt d_model")
    layers = fields.whole("layers", "n_layers")
    inner, feed = (fields.inner(name, f"dbrx/{name}") for name in ("attn_config", "ffn_config"))
    kv_heads = inner.whole("heads", "kv_n_heads")
    attention = Attention(d, heads, kv_heads, d // heads, d // heads, True, False, refusal=UNSAID)
    attention.check()
    number, width = feed.whole("experts", "moe_num_experts"), feed.whole("width", "ffn_hidden_size")
    for name, one in (("attn_config", inner), ("ffn_config", feed)):
        fields.keep(name, one)
    group = Group("", layers, attention, "self")
    named = architecture(fields) or "DbrxForCausalLM"
    kind = named.removeprefix("Dbrx")
    if kind not in ("Model", "ForCausalLM"):
        fields.assumed.append(not_counted(fields, named))
        return Model("dbrx", (group,), notes=tuple(fields.assumed))
    after = (
        *parts.experts(d, width, number, layers), *parts.norms(d, 2 * layers + 1, label="LayerNorms without biases"),
        *parts.ending("LM head" if kind == "ForCausalLM" else "", fields, d),
    )  # fmt: skip
    return Model("dbrx", (group,), parts.words(fields, d), after, counted_as=named, notes=tuple(fields.assumed))


def siglip_alone(fields: Fields) -> Model:
    """SigLIP's tower by itself."""
    model = SIGLIP.read(fields)
    return replace(model, groups=(*model.groups, *_pooling(fields)))


TOWERS: dict[str, Callable[[Fields], Model]] = {
    **{name: family.read for name, family in INSIDE.items()},
    "siglip_vision_model": siglip_alone,
    "clip": Around("CLIP", "clip_text_model", "clip_vision_model", clip_joint, "Model", {"Model": False}).read,
    "llava": Around(
        "Llava", "llama", "clip_vision_model", llava_joint, fixed=False,
        empty={"model_type": "clip_vision_model", "intermediate_size": 4096, "hidden_size": 1024, "patch_size": 14,
               "image_size": 336, "num_hidden_layers": 24, "num_attention_heads": 16},
    ).read,
    "gemma3": Around("Gemma3", "gemma3_text", "siglip_vision_model", gemma_joint, either=False).read,
    "qwen2_vl": Around("Qwen2VL", "qwen2_vl_text", "qwen2_vl_vision", _nothing, flat=True).read,
    "qwen2_5_vl": Around("Qwen2_5_VL", "qwen2_5_vl_text", "qwen2_5_vl_vision", _nothing, flat=True).read,
    "dbrx": dbrx,
}  # fmt: skip
