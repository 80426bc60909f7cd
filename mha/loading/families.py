"""How libraries name and lay out the weights of attention: one entry each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

#: Names of the roles, as in mha.params; "w_qkv": packed in one; "w_g": Keras's gate; "w_k+": positions added to keys and values.
KERNELS, BIASES, GATE = ("w_q", "w_k", "w_v", "w_o"), ("b_q", "b_k", "b_v", "b_o"), ("w_g", "b_g")


@dataclass(frozen=True, slots=True)
class Family:
    """`names`: the end of an array's name, as a pattern, and its role. `layout`: the axes of a kernel in the file:
    "heads" (in, h, d) and (h, d, out), "linear" (out, in) as in torch.nn.Linear, or "columns" (in, out) as GPT-2's Conv1D.

    `needs`: the roles that every layer of this family has. `looks_back`: the layer is used with the causal mask.

    `packing`: how query, key and value lie in "w_qkv": "blocks" (all of the query, then the key, then the value), "heads" (those
    of one head together), "fourths" (CodeGen: four parts, each with its queries, values, keys); "": neither names nor arrays say.
    `differs`: what every such layer does and the pages do not show. `unsaid`: what neither names nor arrays say about it.
    """

    title: str
    layout: str
    names: tuple[tuple[str, str], ...]
    needs: tuple[str, ...] = KERNELS
    looks_back: bool = False
    packing: str = "blocks"
    differs: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()

    def role(self, name: str) -> tuple[str, str] | None:
        """Which layer the array belongs to (what stands before the end) and its role in it."""
        for ending, role in self.names:
            if match := re.fullmatch(rf"(?:(.*)[./])?{ending}", name):
                return match[1] or "", role
        return None


def _four(names: tuple[str, str, str, str], form: str, kernel: str, bias: str) -> tuple[tuple[str, str], ...]:
    """`names` of query, key, value and output, each with its kernel and its bias in `form`."""
    kinds = (("w", kernel), ("b", bias))
    return tuple((form.format(name, end), f"{k}_{role}") for name, role in zip(names, "qkvo", strict=True) for k, end in kinds)


PACKED = ("w_qkv", "w_o")
#: Parts that some layers have besides kernels and biases and that change what they compute: patterns of their names.
FURTHER = (
    (r"(?:q|k|qk|query|key)_?(?:norm|layernorm|layer_norm|ln)|norm_(?:q|k|added_q|added_k)", "a norm of queries or keys"),
    (r"(?:group_|attn_|inner_attn_|sub_|fc_)?(?:norm|ln)", "a norm of its own"),
    (r"(?:attention_)?sinks?", "attention sinks"),
    (r"(?:g|gate)(?:_proj|_dense)?|output_gate", "a gate"),
    (r"add_[qkv]_proj|to_add_out|to_[qkv]_ip", "projections of a second sequence"),
    (r"proj_[lw]|talking_heads\w*", "a mixture of heads before or after the softmax"),
    (r"pool_[qkv]|sr|conv_[qkv]", "a convolution of queries, keys or values"),
    (r"relative_attention_bias|relative_position_bias(?:_table)?|rel_pos\w*|distance_embedding|pos(?:ition)?_bias\w*",
     "a relative position bias"),
    (r"temperature|logit_scale|scale", "a learned scale"),
)
#: Arrays inside one of a layer's projections: quantisation, low-rank additions, norms of weights.
IN_PROJECTIONS = "further arrays in its projections"
#: Modules inside an attention layer that may hold such parts themselves.
INNER = ("self", "attention")
#: What weights alone do not say, where the names are those of many kinds of layers.
ROTARY = "whether positions turn queries and keys (rotary)"
SCALE = "whether scores are divided by √d_k (T5’s are not)"
CAUSAL = "whether a position sees those after it"
OPEN = (ROTARY, SCALE, CAUSAL)


def further(parts: Sequence[str]) -> str:
    """In words, what the array is whose name inside the layer has these parts; "" where it is not known to change the layer."""
    part = parts[1] if parts[0] in INNER and len(parts) > 1 else parts[0]
    return next((words for pattern, words in FURTHER if re.fullmatch(pattern, part)), "")


FAMILIES = (
    Family("Keras", "heads", (
        *_four(("query", "key", "value", "output"), r"_?{}_dense/vars/{}", "0", "1"),
        (r"_?gate_dense/vars/0", "w_g"), (r"_?gate_dense/vars/1", "b_g"),
    )),
    Family("Keras", "heads", (
        *_four(("query", "key", "value", "attention_output"), r"{}/{}(?::0)?", "kernel", "bias"),
        (r"gate/kernel(?::0)?", "w_g"), (r"gate/bias(?::0)?", "b_g"),
    )),
    Family("Headcount", "heads", tuple((role, role) for role in (*KERNELS, *BIASES, *GATE))),
    Family("PyTorch nn.MultiheadAttention", "linear", (
        (r"in_proj_weight", "w_qkv"), (r"in_proj_bias", "b_qkv"), (r"out_proj\.weight", "w_o"), (r"out_proj\.bias", "b_o"),
        (r"bias_k", "k+"), (r"bias_v", "v+"),
    ), PACKED, unsaid=(CAUSAL,)),
    Family("PyTorch nn.MultiheadAttention", "linear", (
        (r"q_proj_weight", "w_q"), (r"k_proj_weight", "w_k"), (r"v_proj_weight", "w_v"), (r"in_proj_bias", "b_qkv"),
        (r"out_proj\.weight", "w_o"), (r"out_proj\.bias", "b_o"), (r"bias_k", "k+"), (r"bias_v", "v+"),
    ), unsaid=(CAUSAL,)),
    Family("BERT or RoBERTa", "linear", (
        *_four(("query", "key", "value", "-"), r"attention\.(?:self|attention)\.{}\.{}", "weight", "bias")[:6],
        (r"attention\.output\.dense\.weight", "w_o"), (r"attention\.output\.dense\.bias", "b_o"),
    )),
    Family("GPT-2", "columns", (
        (r"c_attn\.weight", "w_qkv"), (r"c_attn\.bias", "b_qkv"), (r"c_proj\.weight", "w_o"), (r"c_proj\.bias", "b_o"),
    ), PACKED, looks_back=True),
    Family("four Linear layers", "linear", (
        *_four(("q_proj", "k_proj", "v_proj", "o_proj"), r"{}\.{}", "weight", "bias"),
        (r"out_proj\.weight", "w_o"), (r"out_proj\.bias", "b_o"),
    ), unsaid=OPEN),
    Family("four Linear layers", "linear", _four(("q_lin", "k_lin", "v_lin", "out_lin"), r"{}\.{}", "weight", "bias")),
    Family("T5", "linear", _four(("q", "k", "v", "o"), r"SelfAttention\.{}\.{}", "weight", "bias"),
           differs=("a relative position bias", "scores that are not divided by √d_k")),
    Family("T5", "linear", _four(("q", "k", "v", "o"), r"EncDecAttention\.{}\.{}", "weight", "bias"),
           differs=("scores that are not divided by √d_k",)),
    Family("timm or Vision Transformers", "linear", (
        (r"qkv\.weight", "w_qkv"), (r"qkv\.bias", "b_qkv"), (r"q_bias", "b_q"), (r"v_bias", "b_v"),
        (r"proj(?:ection)?\.weight", "w_o"), (r"proj(?:ection)?\.bias", "b_o"),
    ), PACKED, unsaid=(ROTARY,)),
    Family("GPT-NeoX, BLOOM or Falcon", "linear", (
        (r"query_key_value\.weight", "w_qkv"), (r"query_key_value\.bias", "b_qkv"),
        (r"dense\.weight", "w_o"), (r"dense\.bias", "b_o"), (r"dense_bias", "b_o"),
    ), PACKED, packing="", unsaid=OPEN),
    Family("Phi-3", "linear", (
        (r"qkv_proj\.weight", "w_qkv"), (r"qkv_proj\.bias", "b_qkv"), (r"o_proj\.weight", "w_o"), (r"o_proj\.bias", "b_o"),
    ), PACKED, unsaid=OPEN),
    Family("CodeGen", "linear", (
        (r"qkv_proj\.weight", "w_qkv"), (r"qkv_proj\.bias", "b_qkv"), (r"out_proj\.weight", "w_o"), (r"out_proj\.bias", "b_o"),
    ), PACKED, packing="", unsaid=OPEN),
    Family("diffusers", "linear", (
        *_four(("to_q", "to_k", "to_v", "-"), r"{}\.{}", "weight", "bias")[:6],
        (r"to_out(?:\.0)?\.weight", "w_o"), (r"to_out(?:\.0)?\.bias", "b_o"),
    ), unsaid=(ROTARY,)),
    Family("one Linear layer and one for the output", "linear", (
        (r"to_qkv\.weight", "w_qkv"), (r"to_qkv\.bias", "b_qkv"),
        (r"to_out(?:\.0)?\.weight", "w_o"), (r"to_out(?:\.0)?\.bias", "b_o"),
    ), PACKED, unsaid=(ROTARY,)),
)  # fmt: skip
