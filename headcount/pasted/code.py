"""Attention in pasted Python: each call, its sizes as far as the code says them, its parameters and the paper's. Nothing runs."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from headcount.models.attention import Attention
from headcount.models.reading import D_MODEL, HEAD_SIZE, HEADS, KV_HEADS, MAX_SIZE
from headcount.names import counted
from headcount.pasted.finding import Finding, count_of, heads_of, nearest, paper_of
from headcount.pasted.trace import LIBRARY, MOST, Source, argument_of, last, parse, spelling

KERAS = ("num_heads", "key_dim", "value_dim", "dropout", "use_bias", "output_shape")
GROUPED = ("head_dim", "num_query_heads", "num_key_value_heads", "dropout", "use_bias")
TORCH = ("embed_dim", "num_heads", "dropout", "bias", "add_bias_kv", "add_zero_attn", "kdim", "vdim")
#: The arguments of each call in their order, by the last part of its name.
CALLS = {
    "MultiHeadAttention": KERAS, "CachedMultiHeadAttention": KERAS, "GroupQueryAttention": GROUPED,
    "GroupedQueryAttention": GROUPED, "MultiheadAttention": TORCH, "TransformerEncoderLayer": ("d_model", "nhead"),
    "TransformerDecoderLayer": ("d_model", "nhead"), "scaled_dot_product_attention": ("query", "key", "value"),
}  # fmt: skip
#: Keras's calls among these. A layer of this name in a module `nn` is Flax's, MLX's or Paddle's.
OF_KERAS = {name for name, names in CALLS.items() if names in (KERAS, GROUPED)}
#: What the arguments are called here: Keras's names, PyTorch's, and those of configurations.
ROLES = {
    **dict.fromkeys(("num_query_heads", "nhead", *HEADS), "heads"), **dict.fromkeys(("num_key_value_heads", *KV_HEADS), "kv"),
    **dict.fromkeys(("key_dim", *HEAD_SIZE), "size"), **dict.fromkeys(D_MODEL, "width"), "value_dim": "value",
}  # fmt: skip
SIZES = {*ROLES.values(), "kdim", "vdim"}
#: What people call the width of the input.
WIDTHS = {
    "d_model", "embed_dim", "embedding_dim", "emb_dim", "embed_size", "emb_size", "embedding_size", "d_embed", "n_embd",
    "hidden_size", "hidden_dim", "model_dim", "projection_dim", "project_dim", "embed_dims", "embedding_dims",
}  # fmt: skip
#: The arguments of Keras's layers up to the one that is the width.
WIDE = {"Dense": ("units",), "Embedding": ("input_dim", "output_dim")}
LET_BE = re.compile(r"#\s*headcount:\s*ok\b")


def read_code(text: str, known: Mapping[str, int] | None = None) -> list[Finding]:
    """A finding for each call of attention, in the order of the code. `known`: numbers that the code does not say, by their
    names. Raises Unreadable if it is no Python."""
    code, lines = Source(parse(text), known or {}), text.splitlines()
    calls = sorted(attention_calls(code), key=lambda one: (one[1].lineno, one[1].col_offset))[:MOST]
    return [
        judge(code, kind, node) for kind, node in calls
        if not any(LET_BE.search(line) for line in lines[node.lineno - 1 : node.end_lineno])
    ]  # fmt: skip


def attention_calls(code: Source) -> Iterator[tuple[str, ast.Call]]:
    """Calls of attention and of configurations; a class that hands all on to one of CALLS is called as that is."""
    ours, own = {*code.classes, *code.foreign}, {of for of, one in code.functions if one.name == "__init__"}
    wraps = {one.name: kind for one in code.classes.values() if (kind := _wrapped(one)) not in ("", *ours)}
    for name, one in code.classes.items():
        base = next((base for base in map(last, one.bases) if base in wraps and name not in own), name)
        wraps |= {name: wraps[base]} if base in wraps else {}
    for node in code.calls:
        name, path, given = last(node.func), spelling(node.func), {one.arg for one in node.keywords if one.arg}
        theirs = name not in ours if path == name else LIBRARY.match(path) and not (path.startswith("nn.") and name in OF_KERAS)
        if name in wraps and given:
            yield wraps[name], node
        elif name in CALLS and theirs and (node.args or given):
            yield name, node
        elif re.fullmatch(r"\w+Config", name) and name not in code.classes and {"heads", "width"} <= {*map(ROLES.get, given)}:
            yield "Config", node


def _wrapped(one: ast.ClassDef) -> str:
    """The call of CALLS to which a class passes all of its arguments; "" if there is none."""
    calls = (node for part in one.body if getattr(part, "name", "") == "__init__" for node in ast.walk(part))
    return next((last(node.func) for node in calls if isinstance(node, ast.Call) and last(node.func) in CALLS
                 and not node.args and [each.arg for each in node.keywords] == [None]), "")  # fmt: skip


def judge(code: Source, kind: str, node: ast.Call) -> Finding:
    """The finding for one call: its sizes, its parameters, and whether it looks like a slip."""
    names, keras, of_sdpa = CALLS.get(kind, ()), kind in OF_KERAS, kind == "scaled_dot_product_attention"
    spelt = (*names, *(one.arg for one in node.keywords if one.arg))
    given = _reshaped(node, code) if of_sdpa else {one: argument_of(node, one, names) for one in spelt}
    part = {ROLES.get(name, name): one for name, one in given.items() if one is not None}
    size = {role: value for role, one in part.items() if (value := code.value(one)) is not None}
    title, line = {"MultiheadAttention": "nn.MultiheadAttention", "Config": last(node.func)}.get(kind, kind), node.lineno
    head = part.get("size")
    wide = last(head) if keras and head is not None and last(head).lower() in WIDTHS else ""
    if "heads" in part and frozenset((wide, last(part["heads"]))) in code.products:
        wide = ""  # elsewhere the width is that many heads of it
    asked = f"the width of the input in line {line}"
    if "width" not in size:
        whole = head.left if isinstance(head, ast.BinOp) and isinstance(head.op, ast.FloorDiv | ast.Div) else None
        width = code.value(whole or (head if wide else None))
        width = (_width_of_call(code, node) or code.read.get(asked) or width) if keras else width
        width = size["heads"] * size["size"] if of_sdpa and {"heads", "size"} <= {*size} else width
        size |= {"width": width} if width is not None else {}
    if wrong := [one for role, one in size.items() if role in SIZES and not 0 < one <= MAX_SIZE]:
        return Finding(title, f"A size of {wrong[0]:,} makes no layer.", None, line, True)
    unsaid = [one for role, one in part.items() if role in (*SIZES, "use_bias", "bias") and role not in size]
    asks = tuple(dict.fromkeys(name for one in unsaid for name in _unknown(code, one)))
    if not asks and keras and "width" not in size and "heads" in size:
        asks = (asked,)
    layer = None if asks or not {"heads", "width"} <= {*size} else _layer(size, kind in CALLS and not of_sdpa)
    call, title = title, f"{title}: {heads_of(layer)}" if layer else title
    if keras and size.get("heads") != 1 and (wide or (layer and layer.d_k == layer.d_model)):
        return Finding(title, _slip("key_dim" if names == KERAS else "head_dim", wide, layer), layer, line, True, asks)
    if layer is None:
        h, d_k = size.get("heads"), size.get("size")
        joined = f"{h:,} heads of {d_k:,}: {h * d_k:,} numbers together. " if h and d_k else ""
        return Finding(title, f"{joined}The code does not say {' or '.join(asks) or 'its sizes'}.", None, line, False, asks)
    d, h = layer.d_model, layer.heads
    if h % layer.kv_heads or (d % h and not keras and "size" not in size):
        what, by, of = (h, layer.kv_heads, "key/value head") if h % layer.kv_heads else (d, h, "head")
        return Finding(call, f"{counted(by, of)} do not divide {what:,}. {nearest(what, by)}", None, line, True)
    more = d * sum(size[name] - d for name in ("kdim", "vdim") if name in size) + 2 * d * size.get("add_bias_kv", 0)
    more += (size.get("output_shape", d) - d) * (h * layer.d_v + bool(layer.bias))
    return Finding(title, count_of(layer, more), None if more else layer, line)


def _unknown(code: Source, node: ast.expr) -> Iterator[str]:
    """The names in an expression whose numbers are not known."""
    parts = [*ast.walk(node)]
    apart = {id(one.func) for one in parts if isinstance(one, ast.Call)}
    apart |= {id(one.value) for one in parts if isinstance(one, ast.Attribute | ast.Subscript)}
    yield from (last(one) for one in parts if id(one) not in apart and last(one) and code.value(one) is None)


def _layer(size: Mapping[str, int], biased: bool) -> Attention:
    """The layer of these sizes."""
    d, h = size["width"], size["heads"]
    d_k = size.get("size") or max(1, d // h)
    bias = "qkvo" if biased and size.get("use_bias", size.get("bias", True)) else ""
    return Attention(d, h, size.get("kv", h), d_k, size.get("value", d_k), False, False, bias, gate=bool(size.get("use_gate")))


def _slip(argument: str, wide: str, layer: Attention | None) -> str:
    """The usual slip: the size of a head as wide as the input."""
    looks = f"`{wide}` looks like the width of the input" if wide else f"the input is {layer.d_model:,} wide" if layer else ""
    says = f"`{argument}` is the size of each head, and {looks}."
    if layer is None:
        return f"{says} With several heads you probably meant `{wide} // num_heads`."
    if (paper := paper_of(layer)) is None:
        return f"{says} {counted(layer.heads, 'head')} do not divide {layer.d_model:,}. {nearest(layer.d_model, layer.heads)}"
    then = replace(paper, kv_heads=layer.kv_heads)
    return f"{says} You probably meant {argument}={paper.d_k}: {layer.count:,} parameters now, {then.count:,} then."


def _reshaped(node: ast.Call, code: Source) -> dict[str, ast.expr | None]:
    """Heads and their size out of the view or reshape, to four axes, of what is called with."""
    query = argument_of(node, "query", ("query",))
    for value in code.said[last(query) if query else ""][:MOST]:
        for one in ast.walk(value) if value is not None else ():
            axes = one.args if isinstance(one, ast.Call) and last(one.func) in ("view", "reshape") else []
            axes = axes[-1].elts if axes and isinstance(axes[-1], ast.Tuple | ast.List) else axes
            if len(axes) == 4:
                return {"num_heads": axes[2], "head_dim": axes[3]}
    return {}


def _width_of_call(code: Source, node: ast.Call) -> int | None:
    """The width of the input with which a layer is called on the spot, if an Input, a Dense or an Embedding says it."""
    called = next((one for one in code.calls if one.func is node and one.args), None)
    said = code.said[last(called.args[0])] if called else []
    widths = {_width(code, one) for one in said[:MOST]}
    return widths.pop() if len(widths) == 1 else None


def _width(code: Source, node: ast.expr | None) -> int | None:
    if isinstance(node, ast.Call) and last(node.func) == "Input":
        shape = argument_of(node, "shape", ("shape",))
        return code.value(shape.elts[-1]) if isinstance(shape, ast.Tuple | ast.List) and shape.elts else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and (names := WIDE.get(last(node.func.func))):
        return code.value(argument_of(node.func, names[-1], names))
    return None
