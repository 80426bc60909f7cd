"""What each case of the masks says, with the numbers that the real layer gave, and its pictures."""

import numpy as np

from components.figures.pictures.keras_layer import rows
from components.figures.pictures.keras_layer.maps import Case, allowed_only
from components.pages.keras_layer.words import absent, apart, trailing
from components.widgets.stage import show_scene
from mha.keras.layer import KerasLayer
from mha.keras.question import Reply
from mha.names import counted

#: Shapes in letters, and how Keras reads each.
SHAPES = (
    ("BTS", "each sample its own"),
    ("B1S", "each sample, all queries alike"),
    ("TS", "all samples and heads alike"),
    ("B11S", "the same with the heads' axis"),
    ("BhTS", "each sample and head its own"),
)
Told = tuple[str, list[list[Case]]]


def spelt(letters: str) -> str:
    return f"({', '.join(letters)})"


def two_axes(layer: KerasLayer) -> str:
    """What becomes of a (B, S) mask, which Keras takes for (T, S)."""
    samples, queries = layer.query_shape[:2]
    return "read right with one sample" if samples == 1 else "misread" if samples == queries else "refused"


def shapes(layer: KerasLayer, reply: Reply) -> Told:
    samples, queries, keys = layer.query_shape[0], layer.query_shape[1], layer.value_shape[1]
    sentence = "A mask is spread over (B, h, T, S). Five shapes are read as one would think; **(B, S) is taken for (T, S)**."
    found, flat = reply.parts("results", 2)
    if not found.found:
        return f"{sentence}{trailing(found)}", []
    cases = []
    for (letters, reading), one in zip(SHAPES, found.parts("cases", len(SHAPES)), strict=True):
        if one.found:
            note = f"{reading}; off by {apart(one['apart'])}"
            cases.append(Case(spelt(letters), note, allowed_only(one["scores"], one["reading"] > 0), labels=False))
    drawn = " Below: samples under each other, heads side by side."
    as_is, square = flat.part("as_is"), flat.part("square")
    if as_is.state == "refused":
        sentence += f" With B = {samples}, T = {queries}, S = {keys} the layer refuses it: {absent(as_is)}."
    elif as_is.found and samples == 1:
        sentence += f" With one sample that is what was meant: off by {apart(as_is['apart'])}."
    misread = f" With as many samples as queries (B = T = {queries}) it is silently misread"
    if not square.found and queries > 1:
        sentence += f"{misread}: {absent(square)}."
    elif square.found and square["apart"] > 0:
        off = apart(square["apart"])
        sentence += f"{misread}: the output is off by **{off}**."
        taken, meant = allowed_only(square["scores"]), allowed_only(square["meant"])
        cases.append(Case("(B, S) with B = T", "lengths of samples taken for queries", taken, labels=False))
        cases.append(Case("meant: (B, 1, S)", f"output {off} away", meant, labels=False))
    return sentence + drawn, [cases[:3], cases[3:5], cases[5:]]


def polarity(layer: KerasLayer, reply: Reply) -> Told:
    sentence = (
        "PyTorch's `nn.MultiheadAttention` documents True as *blocked* in its boolean `attn_mask` and `key_padding_mask`; "
        "`scaled_dot_product_attention` is as Keras."
    )
    if not reply.found:
        return f"{sentence}{trailing(reply)}", []
    off, keys = apart(reply["apart"]), layer.value_shape[1]
    return f"{sentence} Carried over unchanged, such a mask moves the output by **{off}**.", [[
        Case(f"True for {(keys + 1) // 2} of {counted(keys, 'key')}", "as Keras means it", allowed_only(reply["scores"])),
        Case("the same mask inverted", f"output off by {off}", allowed_only(reply["inverted"])),
    ]]  # fmt: skip


def causal(layer: KerasLayer, reply: Reply) -> Told:
    queries, keys = layer.query_shape[1], layer.value_shape[1]
    most = "" if queries <= keys else f" (at most {keys})"
    meet = f"{counted(queries, 'query')} meet{'s' if queries == 1 else ''} {counted(keys, 'key')}"
    sentence = f"With `use_causal_mask` query t sees keys 1 … t{most}, also where {meet}."
    if not reply.found:
        return f"{sentence}{trailing(reply)}", []
    wrong = apart(reply["bottom_right"])
    other = (
        "A cache of earlier keys needs the triangle at the other end" if queries < keys
        else f"Aligned at the other end it would leave {counted(queries - keys, 'query')} without a key"
    )  # fmt: skip
    return f"{sentence} {other}: **{wrong}** away in the output.", [[
        Case("use_causal_mask=True", f"off by {apart(reply['top_left'])} from top-left", allowed_only(reply["scores"])),
        Case("triangle bottom-right", f"output off by {wrong}", allowed_only(reply["bottom"])),
    ]]  # fmt: skip


def empty_row(layer: KerasLayer, reply: Reply) -> Told:
    sentence = "Which one comes depends on whether scores are asked for."
    if not reply.found:
        return f"{sentence}{trailing(reply)}", []
    bias = "the output's bias" if layer.use_bias else "zeros"
    others = f"; all other queries {apart(reply['others'])}" if layer.query_shape[1] > 1 else ""
    which = "the last query sees nothing" if others else "the only query sees nothing"
    return (
        f"{sentence} With `return_attention_scores=True` its weights are all 0 and its output is {bias} "
        f"(off by {apart(reply['bias'])}); without, it is what equal weights give (off by {apart(reply['mean'])}). "
        f"The two are **{apart(reply['apart'])}** apart{others}."
    ), [[Case(which, "its row is all 0", allowed_only(reply["scores"]))]]


def show_two_answers(reply: Reply, drawn_by: str) -> None:
    """The row's output, once with the scores asked for and once without."""
    made = {"scores asked for": reply["asked"], "not asked for": reply["unasked"]}
    alt = f"Output of the query that sees nothing, twice; the two are {apart(reply['apart'])} apart."
    show_scene(rows.scene({label: np.asarray(values) for label, values in made.items()}, alt), drawn_by, key="two_answers")


def additive(layer: KerasLayer, reply: Reply) -> Told:
    sentence = "Meant to be added to the scores, it is taken for True and False instead: any number but 0 is True."
    if not reply.found:
        return f"{sentence}{trailing(reply)}", []
    return (
        f"{sentence} The output is off by **{apart(reply['apart'])}** from what was meant, and by {apart(reply['inverted'])} "
        "from the inverted mask: the layer looks exactly where it should not. No error, no warning."
    ), [[
        Case("meant: 0 may look", "as True and False", allowed_only(reply["meant"])),
        Case("given as numbers", f"output off by {apart(reply['apart'])}", allowed_only(reply["scores"])),
    ]]  # fmt: skip
