"""Rules that tell an array's role in an attention layer from its name. They cover the names of many libraries."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

#: Roles, as in headcount.params ("w_qkv": query, key and value packed in one array). FURTHER is any other array of a layer.
KERNELS, BIASES, GATE = ("w_q", "w_k", "w_v", "w_o"), ("b_q", "b_k", "b_v", "b_o"), ("w_g", "b_g")
NORMS, FURTHER = ("n_q", "n_k"), "further"
#: Patterns of module names by projection, for names in any case such as q, query, wq, W_query, to_q, q_proj, linear_q, q_lin.
PROJECTIONS = {
    "qkv": r"qkv|query_?key_?value|in|c_attn", "q": r"q|query|queries", "k": r"k|key|keys", "v": r"v|value|values",
    "o": r"o|out|output|attention_output|c_proj|proj|projection|dense", "g": r"g|gate",
}  # fmt: skip
AROUND = r"_?(?:w_?|to_|lin(?:ear)?_?)?(?:{})(?:_?(?:proj|projection|lin|linear|dense|layer))?"
CROSS = r"encoder_attn|EncDecAttention|cross_?att|crossattention|attn2|inter_attention|multihead_attn"
#: Matches names of a layer's other arrays, which also change its output.
BESIDES = re.compile(
    r"(q|k|qk|query|key)_?(norm|layernorm|layer_norm|ln)|norm_(q|k|added_q|added_k)|(group_|attn_|inner_attn_|sub_|fc_)?(norm|ln)|"
    r"(attention_)?sinks?|(g|gate)(_proj|_dense)?|output_gate|add_[qkv]_proj|to_add_out|to_[qkv]_ip|proj_[lw]|talking_heads\w*|"
    r"pool_[qkv]|sr|conv_[qkv]|relative_attention_bias|relative_position_bias(_table)?|rel_pos\w*|distance_embedding|"
    r"pos(ition)?_bias\w*|temperature|logit_scale|scale|bias_[kv]"
)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an array: its layer's path, its role in the layer, and its head (0-based) if each head has its own array."""

    where: str
    role: str
    head: int | None = None


#: Roles by number of arrays, in the order of Keras's get_weights(): `np.savez(file, *layer.get_weights())` stores no names.
LISTED = {4: KERNELS, 8: tuple(role for pair in zip(KERNELS, BIASES, strict=True) for role in pair)}


def places_of(names: Sequence[str]) -> list[Place]:
    """Returns the place of each array in a file. If an array's name is unlike any in an attention layer, its role is ""."""
    roles = LISTED.get(len(names), ())
    if {*names} == {f"arr_{number}" for number in range(len(roles) or 1)}:
        return [Place("", roles[int(name[4:])]) for name in names]
    return [place_of(name) or Place("", "") for name in names]


def place_of(name: str) -> Place | None:
    """Returns an array's place from its name alone. Returns None if the name is unlike any in an attention layer."""
    words = [word for word in re.split(r"[./]", name) if word != "vars"]
    last, before = words[-1].removesuffix(":0"), words[:-1]
    if last in ("weight", "kernel", "bias") or ("vars" in name and last in "01"):
        kind, module = "b" if last in ("bias", "1") else "w", before.pop() if before else ""
    elif match := re.fullmatch(r"(\w+)_(weight|bias)", last) or re.fullmatch(r"([wb])_?(\w+)", last, re.IGNORECASE):
        module, kind = (match[1], match[2][0]) if match[2] in ("weight", "bias") else (match[2], match[1].lower())
    else:
        return _besides(name, words)
    if norm := re.fullmatch(r"([qk])_norm", module):
        return Place(_layer_at(name, before), f"n_{norm[1]}") if last == "weight" else _besides(name, words)
    if module.isdigit() and before:  # linears.0 to linears.3, to_out.0
        number, module = int(module), before.pop()
        module = "qkvo"[number] if module == "linears" and number < 4 else module if number == 0 else ""
    role = _role(module)
    of_keras = "vars" in name or "kernel" in last or name[-3:] in GATE or name.endswith(("bias:0", "/bias"))
    if role is None or (role == "g" and not of_keras):
        return _besides(name, words)
    head = None
    if len(before) > 1 and before[-2] == "heads" and before[-1].isdigit():
        head, before = int(before[-1]), before[:-2]
    return Place(_layer_at(name, before), f"{kind}_{role}", head)


def _role(module: str) -> str | None:
    """Returns the key in PROJECTIONS that a module's name means, or None. The name "in" on its own means no projection."""
    found = (role for role, words in PROJECTIONS.items() if re.fullmatch(AROUND.format(words), module, re.IGNORECASE))
    return next(found, None) if module.lower() != "in" else None


def _besides(name: str, words: Sequence[str]) -> Place | None:
    """Returns a place with the role FURTHER if the name is like that of a layer's other arrays. Otherwise returns None."""
    ends = [end for end, word in enumerate(words) if word != "output" and (BESIDES.fullmatch(word) or _role(word))]
    while len(ends) > 1 and ends[-2] == ends[-1] - 1:
        ends.pop()
    where = _layer_at(name, words[: ends[-1]]) if ends else ""
    return Place(where, FURTHER) if ends and (where or words[ends[-1]] not in ("norm", "ln")) else None  # a block's own norm


def _layer_at(name: str, before: Sequence[str]) -> str:
    """Returns a layer's path. Leaves out words that BERT and ViT put between the layer and its projections."""
    while before and before[-1] in ("self", "output"):
        before = before[:-1]
    before = before[:-1] if before[-2:] == ["attention", "attention"] else before
    return ("/" if "/" in name else ".").join(before)
