"""What each case of the masks says, with the numbers that the real layer gave, and its pictures."""

import numpy as np

from components.figures.keras_layer import rows
from components.figures.keras_layer.maps import Case, allowed_only
from components.keras_layer.words import WAITS, apart, code
from components.stage import show_scene
from mha.keras_layer import KerasLayer
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


def shapes(layer: KerasLayer, reply: dict | None) -> Told:
    sentence = "A mask is spread over (B, h, T, S). Five shapes are read as one would think; **(B, S) is not**."
    if reply is None:
        return f"{sentence} {WAITS}", []
    found, flat = reply["results"]
    if "error" in found:
        return f"{sentence} {code(found['error'])}", []
    cases = []
    for (letters, reading), one in zip(SHAPES, found["cases"], strict=True):
        if "error" not in one:
            note = f"{reading}; off by {apart(one['apart'])}"
            cases.append(Case(spelt(letters), note, allowed_only(one["scores"], one["reading"] > 0), labels=False))
    if "error" in flat:
        return sentence, [cases[:3], cases[3:]]
    lengths = f"B = {layer.query_shape[0]}, T = {layer.query_shape[1]}, S = {layer.value_shape[1]}"
    if "error" in flat["as_is"]:
        sentence += f" With {lengths} the layer refuses it: {code(flat['as_is']['error'])}."
    if "error" not in flat["square"]:
        square = flat["square"]
        sentence += (
            f" With as many samples as queries (B = T = {layer.query_shape[1]}) it is silently taken for (T, S): "
            f"the output is off by **{apart(square['apart'])}**."
        )
        cases.append(
            Case("(B, S) with B = T", "lengths of samples taken for queries", allowed_only(square["scores"]), labels=False)
        )
        cases.append(
            Case("meant: (B, 1, S)", f"output {apart(square['apart'])} away", allowed_only(square["meant"]), labels=False)
        )
    return f"{sentence} Below: samples under each other, heads side by side.", [cases[:3], cases[3:5], cases[5:]]


def polarity(layer: KerasLayer, reply: dict | None) -> Told:
    sentence = (
        "PyTorch's `nn.MultiheadAttention` documents True as *blocked* in its boolean `attn_mask` and `key_padding_mask`; "
        "`scaled_dot_product_attention` is as Keras."
    )
    if reply is None:
        return f"{sentence} {WAITS}", []
    off = apart(reply["apart"])
    return f"{sentence} Carried over unchanged, such a mask moves the output by **{off}**.", [[
        Case("True for half of the keys", "as Keras means it", allowed_only(reply["scores"])),
        Case("the same mask inverted", f"output off by {off}", allowed_only(reply["inverted"])),
    ]]  # fmt: skip


def causal(layer: KerasLayer, reply: dict | None) -> Told:
    queries, keys = layer.query_shape[1], layer.value_shape[1]
    meeting = f"{counted(queries, 'query meets', 'queries meet')} {counted(keys, 'key')}"
    sentence = f"With `use_causal_mask` query t sees keys 1 … t, also where {meeting}."
    if reply is None:
        return f"{sentence} {WAITS}", []
    wrong = apart(reply["bottom_right"])
    return f"{sentence} A cache of earlier keys needs the triangle at the other end: **{wrong}** away in the output.", [[
        Case("use_causal_mask=True", f"off by {apart(reply['top_left'])} from top-left", allowed_only(reply["scores"])),
        Case("triangle bottom-right", f"output off by {wrong}", allowed_only(reply["bottom"])),
    ]]  # fmt: skip


def empty_row(layer: KerasLayer, reply: dict | None) -> Told:
    sentence = "Which one comes depends on whether scores are asked for."
    if reply is None:
        return f"{sentence} {WAITS}", []
    bias = "the output's bias" if layer.use_bias else "zeros"
    return (
        f"{sentence} With `return_attention_scores=True` its weights are all 0 and its output is {bias} "
        f"(off by {apart(reply['bias'])}); without, it is what equal weights give (off by {apart(reply['mean'])}). "
        f"The two are **{apart(reply['apart'])}** apart; all other queries {apart(reply['others'])}."
    ), [[Case("the last query sees nothing", "its row is all 0", allowed_only(reply["scores"]))]]


def show_two_answers(reply: dict, drawn_by: str) -> None:
    """The row's output, once with the scores asked for and once without."""
    made = {"scores asked for": reply["asked"], "not asked for": reply["unasked"]}
    alt = f"Output of the query that sees nothing, twice; the two are {apart(reply['apart'])} apart."
    show_scene(rows.scene({label: np.asarray(values) for label, values in made.items()}, alt), drawn_by, key="two_answers")


def additive(layer: KerasLayer, reply: dict | None) -> Told:
    sentence = "Meant to be added to the scores, it is taken for True and False instead: any number but 0 is True."
    if reply is None:
        return f"{sentence} {WAITS}", []
    return (
        f"{sentence} The output is off by **{apart(reply['apart'])}** from what was meant, and by {apart(reply['inverted'])} "
        "from the inverted mask: the layer looks exactly where it should not. No error, no warning."
    ), [[
        Case("meant: 0 may look", "as True and False", allowed_only(reply["meant"])),
        Case("given as numbers", f"output off by {apart(reply['apart'])}", allowed_only(reply["scores"])),
    ]]  # fmt: skip
