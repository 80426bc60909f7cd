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
    """

    title: str
    layout: str
    names: tuple[tuple[str, str], ...]
    needs: tuple[str, ...] = KERNELS
    looks_back: bool = False

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
    (r"(?:q|k|qk|query|key)_?(?:norm|layernorm|layer_norm|ln)", "a norm of queries or keys"),
    (r"(?:attention_)?sinks?", "attention sinks"),
    (r"(?:g|gate)(?:_proj|_dense)?", "a gate"),
    (r"relative_attention_bias|relative_position_bias(?:_table)?|rel_pos\w*|distance_embedding|pos(?:ition)?_bias\w*",
     "a relative position bias"),
    (r"temperature|logit_scale|scale", "a learned scale"),
)
#: Arrays inside one of a layer's projections: quantisation, low-rank additions, norms of weights.
IN_PROJECTIONS = "further arrays in its projections"
#: Modules inside an attention layer that may hold such parts themselves.
INNER = ("self", "attention")


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
    ), PACKED),
    Family("PyTorch nn.MultiheadAttention", "linear", (
        (r"q_proj_weight", "w_q"), (r"k_proj_weight", "w_k"), (r"v_proj_weight", "w_v"), (r"in_proj_bias", "b_qkv"),
        (r"out_proj\.weight", "w_o"), (r"out_proj\.bias", "b_o"), (r"bias_k", "k+"), (r"bias_v", "v+"),
    )),
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
    )),
    Family("four Linear layers", "linear", _four(("q_lin", "k_lin", "v_lin", "out_lin"), r"{}\.{}", "weight", "bias")),
)  # fmt: skip
