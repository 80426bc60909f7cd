"""What an array of a file is to an attention layer: one rule for the names that libraries give."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

#: Names of the roles, as in mha.params; "w_qkv": packed in one; "w_g": Keras's gate; "n_q", "n_k": what a norm of queries or keys
#: multiplies by.
KERNELS, BIASES, GATE = ("w_q", "w_k", "w_v", "w_o"), ("b_q", "b_k", "b_v", "b_o"), ("w_g", "b_g")
NORMS = ("n_q", "n_k")
#: A projection by its module's name, in any case: q, query, wq, W_query, to_q, q_proj, linear_q, q_lin, query_dense, …
PROJECTIONS = {
    "qkv": r"qkv|query_?key_?value|in|c_attn", "q": r"q|query|queries", "k": r"k|key|keys", "v": r"v|value|values",
    "o": r"o|out|output|attention_output|c_proj|proj|projection|dense", "g": r"g|gate",
}  # fmt: skip
AROUND = r"_?(?:w_?|to_|lin(?:ear)?_?)?(?:{})(?:_?(?:proj|projection|lin|linear|dense|layer))?"
#: Words between a layer's name and its projections': of BERT and ViT.
INNER = ("self", "output", "attention")
CROSS = r"encoder_attn|EncDecAttention|cross_?att|crossattention|attn2|inter_attention|multihead_attn"
#: Parts that some layers have besides kernels and biases and that change what they compute, by their names.
FURTHER = re.compile(
    r"(q|k|qk|query|key)_?(norm|layernorm|layer_norm|ln)|norm_(q|k|added_q|added_k)|(group_|attn_|inner_attn_|sub_|fc_)?(norm|ln)|"
    r"(attention_)?sinks?|(g|gate)(_proj|_dense)?|output_gate|add_[qkv]_proj|to_add_out|to_[qkv]_ip|proj_[lw]|talking_heads\w*|"
    r"pool_[qkv]|sr|conv_[qkv]|relative_attention_bias|relative_position_bias(_table)?|rel_pos\w*|distance_embedding|"
    r"pos(ition)?_bias\w*|temperature|logit_scale|scale|bias_[kv]"
)
#: What weights alone do not say, where the names are those of many kinds of layers.
ROTARY = "whether positions turn queries and keys (rotary)"
SCALE = "whether scores are divided by √d_k (T5’s are not)"
CAUSAL = "whether a position sees those after it"
#: By names of the query's kernel: what neither they nor the arrays say. The first that fits.
UNSAID = (
    (r"vars/0$|kernel(:0)?$|(^|[./])w_q$|(self|attention)\.(query|key)\.|q_lin|c_attn|SelfAttention|EncDecAttention", ()),
    (r"in_proj_weight|q_proj_weight", (CAUSAL,)), (r"(?<!key_)qkv\.|to_q", (ROTARY,)), ("", (ROTARY, SCALE, CAUSAL)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Which layer an array belongs to, its role there, and of which head it is where each head has an array of its own."""

    where: str
    role: str
    head: int | None = None


def place_of(name: str) -> Place | None:
    """By its name alone; None where it is no part of an attention layer."""
    parts = [part for part in re.split(r"[./]", name) if part != "vars"]
    last = parts[-1].removesuffix(":0")
    if last == "weight" and (norm := re.fullmatch(r"([qk])_norm", parts[-2] if len(parts) > 1 else "")):
        return Place(_joined(name, parts[:-2]), f"n_{norm[1]}")
    if last in ("weight", "kernel", "bias") or ("vars" in name and last in "01"):
        kind, module, before = "b" if last in ("bias", "1") else "w", parts[-2] if len(parts) > 1 else "", parts[:-2]
    elif match := re.fullmatch(r"(\w+)_(weight|bias)", last):
        kind, module, before = match[2][0], match[1], parts[:-1]
    elif match := re.fullmatch(r"([wb])_?(\w+)", last, re.IGNORECASE):
        kind, module, before = match[1].lower(), match[2], parts[:-1]
    else:
        return None
    if module.isdigit() and before:  # linears.0 to linears.3, to_out.0
        number, module, before = int(module), before[-1], before[:-1]
        module = "qkvo"[number] if module == "linears" and number < 4 else module if number == 0 else ""
    found = next((role for role, words in PROJECTIONS.items() if re.fullmatch(AROUND.format(words), module, re.IGNORECASE)), None)
    gate_of_keras = "vars" in name or "kernel" in last or name[-3:] in GATE or name.endswith(("bias:0", "/bias"))
    if found is None or (found == "g" and not gate_of_keras) or (found == "qkv" and module.lower() == "in"):
        return None
    while before and before[-1] in INNER[:2]:
        before = before[:-1]
    before = before[:-1] if before[-2:] == [INNER[2]] * 2 else before
    head = None
    if len(before) > 1 and before[-2] == "heads" and before[-1].isdigit():
        head, before = int(before[-1]), before[:-2]
    return Place(_joined(name, before), f"{kind}_{found}", head)


def _joined(name: str, before: Sequence[str]) -> str:
    """What stands before, written as in the name."""
    return ("/" if "/" in name else ".").join(before)
