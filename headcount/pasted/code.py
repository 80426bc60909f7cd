"""Attention calls in pasted Python code, which is never run. A finding has the sizes that the code tells. If the sizes suffice,
it also has the parameter count of the layer and of the paper's layer."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from headcount.models.attention import Attention
from headcount.models.reading import MAX_SIZE
from headcount.pasted.finding import Finding, count_of, heads_of, paper_of, undivided
from headcount.pasted.shapes import NAMES
from headcount.pasted.trace import LIBRARY, MOST, PastedCode, arguments, last, members, parse

KERAS = ("num_heads", "key_dim", "value_dim", "dropout", "use_bias", "output_shape")
GROUPED = ("head_dim", "num_query_heads", "num_key_value_heads", "dropout", "use_bias")
TORCH = ("embed_dim", "num_heads", "dropout", "bias", "add_bias_kv", "add_zero_attn", "kdim", "vdim")
#: The arguments of each call in order, by the last part of the call's name.
CALLS = {
    "MultiHeadAttention": KERAS, "CachedMultiHeadAttention": KERAS, "GroupQueryAttention": GROUPED,
    "GroupedQueryAttention": GROUPED, "MultiheadAttention": TORCH, "TransformerEncoderLayer": ("d_model", "nhead"),
    "TransformerDecoderLayer": ("d_model", "nhead"), "scaled_dot_product_attention": ("query", "key", "value"),
}  # fmt: skip
#: The calls in CALLS that are Keras's. In a module called `nn`, they are of Flax, MLX or Paddle instead.
OF_KERAS = {name for name, names in CALLS.items() if names in (KERAS, GROUPED)}
#: For the name of an argument, the size that it sets: "heads", "width", …
ROLES = {name: role for role, (names, _) in NAMES.items() for name in names}
SIZES = {*NAMES, "kdim", "vdim"}
#: Common names of the width (d_model) of the input.
WIDTH = re.compile(r"d_model|d_embed|n_embd|(emb|embed|embedding|hidden|model|project|projection)_(dims?|size)", re.IGNORECASE)
LET_BE = re.compile(r"#\s*headcount:\s*ok\b")


def read_code(text: str, known: Mapping[str, int] | None = None) -> list[Finding]:
    """Returns a finding for each of the first MOST attention calls, in the order of the code. Calls marked `# headcount: ok` are
    left out. `known` has numbers by name that the code does not tell. Raises Unreadable if the text is not Python."""
    code, lines = PastedCode(parse(text), known or {}), text.splitlines()
    calls = sorted(attention_calls(code), key=lambda one: (one[1].lineno, one[1].col_offset))[:MOST]
    return [
        judge(code, kind, node) for kind, node in calls
        if not any(LET_BE.search(line) for line in lines[node.lineno - 1 : node.end_lineno])
    ]  # fmt: skip


def attention_calls(code: PastedCode) -> Iterator[tuple[str, ast.Call]]:
    """Yields the kind and the syntax node of each call of a known attention layer or of a model's configuration. If the code
    passes `**` arguments on to Keras's layer, calls of its own classes with heads and head size count too."""
    ours = code.classes | code.foreign
    handed = {last(one.func) for one in code.calls if not one.args and [each.arg for each in one.keywords] == [None]}
    for node in code.calls:
        name, root, roles = last(node.func), node.func, {ROLES.get(one.arg or "") for one in node.keywords}
        while isinstance(root, ast.Attribute):
            root = root.value
        module, bare = last(root), root is node.func
        theirs = name not in ours if bare else LIBRARY.fullmatch(module) and not (module == "nn" and name in OF_KERAS)
        if name in code.classes and {"heads", "size"} <= roles and (kinds := handed & OF_KERAS - ours):
            yield min(kinds), node
        elif name in CALLS and theirs and (node.args or any(one.arg for one in node.keywords)):
            yield name, node
        elif re.fullmatch(r"\w+Config", name) and name not in code.classes and {"heads", "width"} <= roles:
            yield "Config", node


def judge(code: PastedCode, kind: str, node: ast.Call) -> Finding:
    """Returns the finding for one call: the sizes and parameter count if known, and whether the call looks like a mistake."""
    names, keras, of_sdpa, line = CALLS.get(kind, ()), kind in OF_KERAS, kind == "scaled_dot_product_attention", node.lineno
    given = _reshaped(node, code) if of_sdpa else arguments(node, names)
    part = {ROLES.get(name, name): one for name, one in given.items()}
    size = {role: value for role, one in part.items() if (value := code.value(one)) is not None}
    title = {"MultiheadAttention": "nn.MultiheadAttention", "Config": last(node.func)}.get(kind, kind)
    head, heads = part.get("size"), part.get("heads")
    wide = last(head) if keras and head is not None and WIDTH.fullmatch(last(head)) else ""
    if heads is not None and frozenset((wide, last(heads))) in code.products:
        wide = ""  # elsewhere the width is that many heads of it
    asked = f"the width of the input in line {line}"
    if keras and "width" not in size:
        of = head.left if isinstance(head, ast.BinOp) and isinstance(head.op, ast.FloorDiv | ast.Div) else head if wide else None
        width = _input_width(code, node) or code.read.get(asked) or code.value(of)
        size |= {"width": width} if width is not None else {}
    if wrong := [one for role, one in size.items() if role in SIZES and not 0 < one <= MAX_SIZE]:
        return Finding(title, f"A size of {wrong[0]:,} makes no layer.", None, line, True)
    unsaid = [one for role, one in part.items() if role in (*SIZES, "use_bias", "bias") and role not in size]
    asks = tuple(dict.fromkeys(name for one in unsaid for name in _unknown(code, one)))
    if not asks and keras and "width" not in size and "heads" in size:
        asks = (asked,)
    layer = None
    if not asks and {"heads", "width"} <= {*size}:
        d, h = size["width"], size["heads"]
        d_k, gate = size.get("size") or max(1, d // h), bool(size.get("use_gate"))
        bias = "qkvo" if kind in CALLS and not of_sdpa and size.get("use_bias", size.get("bias", True)) else ""
        layer = Attention(d, h, size.get("kv", h), d_k, size.get("value", d_k), False, False, bias, gate=gate)
    named = f"{title}: {heads_of(layer)}" if layer else title
    if keras and size.get("heads") != 1 and (wide or (layer and layer.d_k == layer.d_model)):
        return Finding(named, _slip("key_dim" if names == KERAS else "head_dim", wide, layer), layer, line, True, asks)
    if layer is None:
        h, d_k = size.get("heads", 0), size.get("size", 0)
        joined = f"{h:,} heads of {d_k:,}: {h * d_k:,} numbers together. " if h > 1 and d_k else ""
        return Finding(title, f"{joined}The code does not say {' or '.join(asks) or 'its sizes'}.", None, line, False, asks)
    d, h = layer.d_model, layer.heads
    if h % layer.kv_heads:
        return Finding(title, undivided(h, layer.kv_heads, "key/value head"), None, line, True)
    if d % h and not keras and "size" not in size:
        return Finding(title, undivided(d, h), None, line, True)
    more = d * sum(size[name] - d for name in ("kdim", "vdim") if name in size) + 2 * d * size.get("add_bias_kv", 0)
    more += (size.get("output_shape", d) - d) * (h * layer.d_v + bool(layer.bias))
    return Finding(named, count_of(layer, more), None if more else layer, line)


def _unknown(code: PastedCode, node: ast.expr) -> Iterator[str]:
    parts = [*ast.walk(node)]
    apart = {id(one.func) for one in parts if isinstance(one, ast.Call)}
    apart |= {id(one.value) for one in parts if isinstance(one, ast.Attribute | ast.Subscript)}
    yield from (last(one) for one in parts if id(one) not in apart and last(one) and code.value(one) is None)


def _slip(argument: str, wide: str, layer: Attention | None) -> str:
    """Returns sentences on the usual mistake: the size of each head is as large as the width of the input."""
    looks = f"`{wide}` looks like the width of the input" if wide else f"the input is {layer.d_model:,} wide" if layer else ""
    says = f"`{argument}` is the size of each head, and {looks}."
    if layer is None:
        return f"{says} With several heads you probably meant `{wide} // num_heads`."
    if (paper := paper_of(layer)) is None:
        return f"{says} {undivided(layer.d_model, layer.heads)}"
    then = replace(paper, kv_heads=layer.kv_heads)
    return f"{says} You probably meant {argument}={paper.d_k}: {layer.count:,} parameters now, {then.count:,} then."


def _reshaped(node: ast.Call, code: PastedCode) -> dict[str, ast.expr]:
    """Returns heads, head size and product if the code reshapes the query of an attention call to four axes; otherwise {}."""
    query = arguments(node, ("query",)).get("query")
    for one in (one for value in code.said[last(query) if query else ""][:MOST] if value for one in ast.walk(value)):
        if isinstance(one, ast.Call) and last(one.func) in ("view", "reshape") and one.args:
            axes = members(one.args[-1]) or one.args
            if len(axes) == 4:
                return {"num_heads": axes[2], "head_dim": axes[3], "d_model": ast.BinOp(axes[2], ast.Mult(), axes[3])}
    return {}


def _input_width(code: PastedCode, node: ast.Call) -> int | None:
    """Returns the width of the Keras Input to which the call `node` is applied directly. Returns None if it is unknown."""
    called = next((one for one in code.calls if one.func is node and one.args), None)
    said = code.said[last(called.args[0])] if called else []
    made = said[0] if len(said) == 1 else None
    axes = members(arguments(made, ("shape",)).get("shape")) if isinstance(made, ast.Call) and last(made.func) == "Input" else []
    return code.value(axes[-1]) if axes else None
