"""Attention in pasted Python: each call, its sizes as far as the code says them, its parameters and the paper's. Nothing runs."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from headcount.models.attention import Attention
from headcount.models.reading import D_MODEL, HEAD_SIZE, HEADS, KV_HEADS, MAX_SIZE
from headcount.pasted.finding import Finding, count_of, heads_of, nearest, paper_of
from headcount.pasted.trace import DEPTH, LIBRARY, MOST, Scope, Source, argument_of, class_of, last, parse, spelling

KERAS = ("num_heads", "key_dim", "value_dim", "dropout", "use_bias", "output_shape")
GROUPED = ("head_dim", "num_query_heads", "num_key_value_heads", "dropout", "use_bias")
TORCH = ("embed_dim", "num_heads", "dropout", "bias", "add_bias_kv", "add_zero_attn", "kdim", "vdim")
#: The arguments of each call in their order, by the last part of its name.
CALLS = {
    "MultiHeadAttention": KERAS, "CachedMultiHeadAttention": KERAS, "GroupQueryAttention": GROUPED,
    "GroupedQueryAttention": GROUPED, "MultiheadAttention": TORCH, "TransformerEncoderLayer": ("d_model", "nhead"),
    "TransformerDecoderLayer": ("d_model", "nhead"), "scaled_dot_product_attention": ("query", "key", "value"),
}  # fmt: skip
#: Of these Keras's; a layer of this name in a module `nn` is Flax's, MLX's or Paddle's.
OF_KERAS = {name for name, names in CALLS.items() if names in (KERAS, GROUPED)}
#: What the arguments are called here: Keras's names, PyTorch's, and those of configurations.
ROLES = {
    **dict.fromkeys(("num_query_heads", "nhead", *HEADS), "heads"), **dict.fromkeys(("num_key_value_heads", *KV_HEADS), "kv"),
    **dict.fromkeys(("key_dim", *HEAD_SIZE), "size"), **dict.fromkeys(D_MODEL, "width"), "value_dim": "value",
}  # fmt: skip
#: What people call the width of the input.
WIDTHS = {
    "d_model", "embed_dim", "embedding_dim", "emb_dim", "embed_size", "emb_size", "embedding_size", "d_embed", "n_embd",
    "hidden_size", "hidden_dim", "model_dim", "projection_dim", "project_dim", "embed_dims", "embedding_dims",
}  # fmt: skip
#: Keras's layers that keep the width of what they are called on, and those that have a width, with its place and name.
SAME = re.compile(r"(\w*Normalization|Dropout|Add|PositionEmbedding|MultiHeadAttention)$")
WIDE = {"Dense": ("units",), "Embedding": ("input_dim", "output_dim")}
LET_BE = re.compile(r"#\s*headcount:\s*ok\b")


def read_code(text: str, known: Mapping[str, int] | None = None) -> list[Finding]:
    """What each call of attention is, in the order of the code. `known`: numbers that the code does not say, by their names.
    Unreadable where it is no Python."""
    code, lines = Source(parse(text), known or {}), text.splitlines()
    seen = islice(attention_calls(code), MOST)
    return [
        judge(code, kind, node, scope) for kind, node, scope in seen
        if not any(LET_BE.search(line) for line in lines[node.lineno - 1 : node.end_lineno])
    ]  # fmt: skip


def attention_calls(code: Source) -> Iterator[tuple[str, ast.Call, Scope]]:
    """Calls of attention and of configurations, in the order of the code."""
    wraps = dict(_wrappers(code))
    for node, scope in sorted(code.calls, key=lambda one: (one[0].lineno, one[0].col_offset)):
        name, owned = last(node.func), {*code.defined, *code.foreign}
        arguments = {one.arg for one in node.keywords if one.arg}
        path = spelling(node.func)
        theirs = name not in owned if path == name else LIBRARY.match(path) and not (path.startswith("nn.") and name in OF_KERAS)
        if name in wraps and arguments:
            yield wraps[name], node, scope
        elif name in CALLS and theirs and (node.args or arguments):
            yield name, node, scope
        elif re.fullmatch(r"\w+Config", name) and name not in code.defined and {"heads", "width"} <= {*map(ROLES.get, arguments)}:
            yield "Config", node, scope


def _wrappers(code: Source) -> Iterator[tuple[str, str]]:
    """Classes of the code that hand all of their arguments to one of CALLS, and those derived from them."""
    for node, scope in code.calls:
        owner, name, given = class_of(scope), last(node.func), [one.arg for one in node.keywords]
        if owner and name in CALLS and name not in code.defined and given == [None] and not node.args:
            yield owner.name, name
            for one in code.defined.values():
                own = {getattr(part, "name", "") for part in one.body} if isinstance(one, ast.ClassDef) else {"__init__"}
                if "__init__" not in own and owner.name in map(last, getattr(one, "bases", ())):
                    yield getattr(one, "name", ""), name


def judge(code: Source, kind: str, node: ast.Call, scope: Scope) -> Finding:
    """What one call is: its sizes, its parameters, and whether it looks like a slip."""
    names, of_sdpa = CALLS.get(kind, ()), kind == "scaled_dot_product_attention"
    spelt = (*names, *(one.arg for one in node.keywords if one.arg))
    given = _reshaped(node, scope, code) if of_sdpa else {one: argument_of(node, one, names) for one in spelt}
    part = {ROLES.get(name, name): one for name, one in given.items() if one is not None}
    size = {role: value for role, one in part.items() if isinstance(value := code.value(one, scope), int)}
    keras, head = kind in OF_KERAS, part.get("size")
    title, line = {"MultiheadAttention": "nn.MultiheadAttention", "Config": last(node.func)}.get(kind, kind), node.lineno
    wide = last(head) if keras and head is not None and last(head).lower() in WIDTHS else ""
    if "heads" in part and frozenset((wide, last(part["heads"]))) in code.products:
        wide = ""  # elsewhere the width is that many heads of it
    if "width" not in size:
        over = head.left if isinstance(head, ast.BinOp) and isinstance(head.op, ast.FloorDiv | ast.Div) else head
        known = code.value(over, scope) if over is not head or wide else None
        width = (_width_of_call(code, node, scope) or code.known.get(_input_of(line)) or known) if keras else known
        width = size["heads"] * size["size"] if of_sdpa and {"heads", "size"} <= {*size} else width
        size |= {"width": width} if isinstance(width, int) else {}
    for role, value in size.items():
        if role in (*ROLES.values(), "kdim", "vdim") and not 0 < value <= MAX_SIZE:
            return Finding(title, f"A size of {value:,} makes no layer.", line=line, slip=True)
    asked = [one for role, one in part.items() if role in (*ROLES.values(), "use_bias", "bias") and role not in size]
    asks = tuple(dict.fromkeys(name for one in asked for name in _unknown(code, one, scope)))
    if not asks and keras and "width" not in size and "heads" in size:
        asks = (_input_of(line),)
    layer = None if asks or not {"heads", "width"} <= {*size} else _layer(size, kind in CALLS and not of_sdpa)
    title = f"{title}: {heads_of(layer)}" if layer else title
    if keras and size.get("heads") != 1 and (wide or (layer and layer.d_k == layer.d_model)):
        return Finding(title, _slip("key_dim" if names == KERAS else "head_dim", wide, layer), layer, line, True, asks)
    if layer is None:
        both = {"heads", "size"} <= {*size}
        joined = (
            f"{size['heads']:,} heads of {size['size']:,}: {size['heads'] * size['size']:,} numbers together. " if both else ""
        )
        return Finding(title, f"{joined}The code does not say {' or '.join(asks) or 'its sizes'}.", None, line, False, asks)
    d, h = layer.d_model, layer.heads
    if h % layer.kv_heads or (d % h and not keras and "size" not in size):
        what, by = (h, layer.kv_heads) if h % layer.kv_heads else (d, h)
        return Finding(title, f"{by:,} does not divide {what:,}. {nearest(what, by)}", None, line, True)
    more = d * sum(size[name] - d for name in ("kdim", "vdim") if name in size) + 2 * d * size.get("add_bias_kv", 0)
    more += (size.get("output_shape", d) - d) * (h * layer.d_v + bool(layer.bias))
    return Finding(title, count_of(layer, more), None if more else layer, line)


def _input_of(line: int) -> str:
    return f"the width of the input in line {line}"


def _unknown(code: Source, node: ast.expr, scope: Scope) -> Iterator[str]:
    """The names in an expression whose values are not known."""
    called = {id(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)}
    inner = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    for one in ast.walk(node):
        if id(one) not in called | inner and (name := spelling(one)) and code.value(one, scope) is None:
            yield name


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
        return f"{says} {nearest(layer.d_model, layer.heads)}"
    then = replace(paper, kv_heads=layer.kv_heads)
    return f"{says} You probably meant {argument}={paper.d_k}: {layer.count:,} parameters now, {then.count:,} then."


def _reshaped(node: ast.Call, scope: Scope, code: Source) -> dict[str, ast.expr | None]:
    """Heads and their size out of the view or reshape, to four axes, of what is called with."""
    query = argument_of(node, "query", ("query",))
    found = code.bound.get((scope[-1], query.id), []) if isinstance(query, ast.Name) else []
    for value, _ in reversed(found):
        for one in ast.walk(value) if value is not None and value.lineno <= node.lineno else ():
            axes = one.args if isinstance(one, ast.Call) and last(one.func) in ("view", "reshape") else []
            axes = axes[-1].elts if axes and isinstance(axes[-1], ast.Tuple | ast.List) else axes
            if len(axes) == 4:
                return {"num_heads": axes[2], "head_dim": axes[3]}
    return {}


def _width_of_call(code: Source, node: ast.Call, scope: Scope) -> object:
    """How wide the query is with which the layer is called on the spot."""
    called = next((one for one, _ in code.calls if one.func is node), None)
    return _width(code, called.args[0], scope) if called and called.args else None


def _width(code: Source, node: ast.AST | None, scope: Scope, depth: int = 0) -> object:
    """The last axis, as far as layers of Keras that are called on each other say it."""
    if isinstance(node, ast.Name):
        found = [one for one, _ in code.bound.get((scope[-1], node.id), []) if one is not None and one.lineno < node.lineno]
        node = found[-1] if found else None
    if depth > DEPTH or not isinstance(node, ast.Call | ast.BinOp):
        return None
    if isinstance(node, ast.BinOp):
        return _width(code, node.left, scope, depth + 1) or _width(code, node.right, scope, depth + 1)
    if last(node.func) == "Input" and isinstance(shape := argument_of(node, "shape", ("shape",)), ast.Tuple | ast.List):
        return code.value(shape.elts[-1], scope) if shape.elts else None
    if not isinstance(node.func, ast.Call) or not node.args:
        return None
    if (layer := last(node.func.func)) in WIDE:
        return code.value(argument_of(node.func, WIDE[layer][-1], WIDE[layer]), scope)
    inner = node.args[0].elts[0] if isinstance(node.args[0], ast.List) and node.args[0].elts else node.args[0]
    return _width(code, inner, scope, depth + 1) if SAME.match(layer) else None
