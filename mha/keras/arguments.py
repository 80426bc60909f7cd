"""Every argument of Keras's two attention layers: where this app shows it, or why it leaves it out."""

from dataclasses import dataclass

CONSTRUCTOR, CALL = "constructor", "call"


@dataclass(frozen=True, slots=True)
class Argument:
    """`names` as Keras spells them, in the constructor or in the call (`of`). `shown`: the setting of the address that shows
    them; "" where they are left out, for the reason `why`, a clause."""

    names: tuple[str, ...]
    of: str
    shown: str = ""
    why: str = ""


ARGUMENTS = (
    Argument(("num_heads", "num_query_heads"), CONSTRUCTOR, "num_heads"),
    Argument(("num_key_value_heads",), CONSTRUCTOR, "num_kv_heads"),
    Argument(("key_dim", "head_dim"), CONSTRUCTOR, "key_dim"),
    Argument(("value_dim",), CONSTRUCTOR, "value_dim"),
    Argument(("dropout",), CONSTRUCTOR, "dropout"),
    Argument(("use_bias",), CONSTRUCTOR, "use_bias"),
    Argument(("output_shape",), CONSTRUCTOR, "output_shape"),
    Argument(("attention_axes",), CONSTRUCTOR, "attention_axes"),
    Argument(("sliding_window",), CONSTRUCTOR, "sliding_window"),
    Argument(("use_gate",), CONSTRUCTOR, "use_gate"),
    Argument(("seed",), CONSTRUCTOR, "dropout_seed"),
    Argument(("flash_attention",), CONSTRUCTOR, why="it changes how fast the same numbers come, and TensorFlow refuses it"),
    Argument(("kernel_initializer", "bias_initializer"), CONSTRUCTOR, why="the numbers here come from a seed or from your file"),
    Argument(
        ("kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint"), CONSTRUCTOR,
        why="they change a training and no call",
    ),
    Argument(("kwargs",), CONSTRUCTOR, why="those of every Keras layer: its name, its dtype, whether it is trained"),
    Argument(("query",), CALL, "input_shape"),
    Argument(("value",), CALL, "value_width"),
    Argument(("key",), CALL, "key_width"),
    Argument(("attention_mask",), CALL, "attention_mask"),
    Argument(("use_causal_mask",), CALL, "mask"),
    Argument(("training",), CALL, "training"),
    Argument(("return_attention_scores",), CALL, "part"),
    Argument(
        ("query_mask", "value_mask", "key_mask"), CALL,
        why="Keras makes an attention_mask of them; MultiHeadAttention takes query_mask from the tensor and ignores the argument",
    ),
)  # fmt: skip


def left_out() -> str:
    """Lists all arguments that the page leaves out, each with its reason, as a sentence in Markdown."""
    parts = [f"{', '.join(f'`{name}`' for name in one.names)} ({one.why})" for one in ARGUMENTS if not one.shown]
    return f"Left out here: {'; '.join(parts)}."
