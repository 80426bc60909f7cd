"""Sizes and shapes in a pasted text. Sizes tell a layer, its parameter count, and which heads have a key in common."""

import re

from headcount.config import divisors
from headcount.files.tensors import UnreadableFile
from headcount.models.attention import MAX_HEADS, Attention, BadHeads
from headcount.models.entry import entries
from headcount.models.reading import D_MODEL, HEAD_SIZE, HEADS, KV_HEADS, MAX_SIZE, VALUE_SIZE, parse, read_config
from headcount.names import counted, listed
from headcount.pasted.finding import Finding, count_of, heads_of, table, undivided

#: For each size: its names in libraries, and a pattern of the words that people use for it.
NAMES = {
    "kv": ((*KV_HEADS, "num_query_groups"), r"key[/ ]value heads?|kv[ _]heads?"),
    "heads": ((*HEADS, "nhead", "num_query_heads"), r"(?:attention |query )?heads?|number of heads"),
    "size": ((*HEAD_SIZE, "key_dim", "headdim", "size_per_head"), r"head[ _-]?(?:size|dim(?:ension)?)|size per head|d_k"),
    "value": ((*VALUE_SIZE, "value_dim"), "value size"),
    "width": (D_MODEL, "embedding dimension|hidden size|wide"),
    "group": ((), r"\w{0,20}group[ _]size"),
    "gpus": ((), r"tensor[ _]parallel[ _]size|tp(?:[ _]size)?|mp_size|world_size|(?:GPU|device|rank)s?"),
}  # fmt: skip
#: For each size, a pattern of name and number in either order: "num_heads (12)", "hidden_size is 3200", "6 GPUs".
SPELT = {
    role: re.compile(
        rf"(?<![\w.])(?:{'|'.join((*names, words))})(?:[^\w\n]{{1,4}}(?:is |of )?)(\d{{1,7}})(?![\w.]?\d)"
        rf"|(?<![\w.,=])(\d{{1,7}})[ -](?:{words})\b",
        re.IGNORECASE,
    )
    for role, (names, words) in NAMES.items()
}  # fmt: skip
SHAPE = re.compile(r"[\[(]\s?((?:\d{1,9}|-1|None)(?:\s?[,x×]\s?(?:\d{1,9}|-1|None)){0,7}),?\s?[\])]")


def named_sizes(text: str) -> dict[str, int]:
    """Returns the sizes that a text names. The keys are those of NAMES."""
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))(?![^\[\](){}]{0,40}[\])}])", "", text)  # 1,024 that is no shape
    found: dict[str, int] = {}
    for role, pattern in SPELT.items():
        if (match := pattern.search(text)) and 0 < (size := int(match[1] or match[2])) <= MAX_SIZE:
            found[role] = size
        text = pattern.sub(" ", text) if match else text  # key/value heads are not heads, too
    return found


def sizes_of(text: str) -> dict[str, int]:
    """Returns the sizes that a message names (keys of NAMES). If it names exactly one published model, its sizes are added."""
    plain = re.sub(r"[^a-z0-9.]", "", text.lower())
    named = [one.model.attention for one in entries().values() if re.sub(r"[^a-z0-9.]", "", one.slug.lower()) in plain]
    one = named[0] if len(named) == 1 else None
    model = {"width": one.d_model, "heads": one.heads, "kv": one.kv_heads, "size": one.d_k, "value": one.d_v} if one else {}
    return {**model, **named_sizes(text)}


def shapes_of(text: str) -> list[tuple[int, ...]]:
    """Lists the shapes in a text. An unknown length (None) becomes -1."""
    lengths = (re.findall(r"-?\w+", match[1].replace("x", " ")) for match in SHAPE.finditer(text))
    return [tuple(-1 if one == "None" else int(one) for one in every) for every in lengths]


def read_shapes(text: str) -> list[Finding]:
    """Returns findings about a configuration, sizes (at least width and heads), or a shape of 3 or 4 axes. Other texts give
    []."""
    if text.lstrip().startswith("{"):
        try:
            return [about(read_config(parse(text)).attention)]
        except UnreadableFile as fault:
            return [Finding("A configuration", fault.said(lambda raw: f"`{re.sub('[^ -_a-~]', '?', raw)}`"))]
        except BadHeads as fault:
            return [Finding("A configuration", f"{fault}", slip=True)]
    size, shape = named_sizes(text), next(iter(shapes_of(text)), ()) if SHAPE.sub("", text).strip(" .,;?") == "" else ()
    if {"width", "heads"} <= {*size} and size["heads"] <= MAX_HEADS and ("size" in size or size["width"] % size["heads"] == 0):
        d, h = size["width"], size["heads"]
        d_k, bias = size.get("size", d // h), "" if "kv" in size or "hidden" in text else "qkvo"
        return [about(Attention(d, h, size.get("kv", h), d_k, size.get("value", d_k), False, False, bias))]
    if len(shape) == 3 and shape[-1] > 0:
        title = f"X: {shape[0]} sequences of {shape[1]} tokens, {shape[2]:,} wide"
        return [Finding(title, f"The paper's heads divide the width. {table(shape[2])}")]
    if len(shape) != 4 or min(shape[1:]) <= 0 or max(shape) > MAX_SIZE:
        return []
    found: list[Finding] = []
    for library, heads, tokens in (("PyTorch", *shape[1:3]), ("Keras", *shape[2:0:-1])):
        layer = Attention(heads * shape[3], heads, heads, shape[3], shape[3], False, False)
        title = f"In {library}'s order: {heads_of(layer)}, {counted(tokens, 'token')}"
        found.append(Finding(title, count_of(layer), layer))
    return found


def about(layer: Attention) -> Finding:
    """Returns the finding about a layer: its parameter count, on how many devices its heads can be, and which heads use the same
    key. If its key/value heads do not divide its heads, the finding says only that."""
    h, kv, n = layer.heads, layer.kv_heads, layer.heads // layer.kv_heads
    if h % kv:
        return Finding(heads_of(layer), undivided(h, kv, "key/value head"), slip=True)
    says = f"{count_of(layer)} Its heads can be on {listed([f'{n}' for n in divisors(h)])} devices."
    if kv < h:
        says += f" On more than {kv}, keys and values are copied. {n} heads share each key: heads 1 to {n} the first. One such"
        says += f" group is {n * layer.d_k:,} columns of W_Q."
    return Finding(heads_of(layer), says, layer)
