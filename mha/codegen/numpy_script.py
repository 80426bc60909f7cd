"""The script in NumPy: the formula itself."""

from mha.codegen.common import Settings, Unwritable, head, tail
from mha.keras.layer import einsum_in, einsum_out, einsum_scores, variables

#: A softmax that gives a query zeros where it may look nowhere.
ZEROS = """
# A query that may look nowhere gets zeros, as in Keras where the scores are asked for.
scores = np.where(allowed, scores, np.float32(-1e30))
weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * allowed
total = weights.sum(axis=-1, keepdims=True)
weights = weights / np.where(total == 0, np.float32(1), total)
"""


def script(settings: Settings) -> str:
    """Unwritable for masks on inputs of higher rank, and for axes that are none of positions."""
    layer = settings.layer
    if not layer.attends_positions:
        raise Unwritable(f"Keras accepts attention_axes={layer.attention_axes}, but what it computes then is not attention.")
    if settings.masked and not settings.plain:
        raise Unwritable("Masks are written for inputs of rank 3 (batch, positions, width).")
    lines = [head(settings, "NumPy", "import numpy as np")]
    inputs, output = einsum_in(layer.rank), einsum_out(layer.rank, len(layer.output_dims))
    dot, combine = einsum_scores(layer)
    operands = "k, q"
    if settings.plain:  # the letters of the paper's sizes: t queries, s keys
        inputs, dot, combine, output = "btm,mhd->bthd", "bthk,bshk->bhts", "bhts,bshv->bthv", output
        operands = "q, k"
        output = f"bthv,hv{'mno'[: len(layer.output_dims)]}->bt{'mno'[: len(layer.output_dims)]}"
    for letter, source in (("q", "query"), ("k", "key"), ("v", "value")):
        bias = f" + b_{letter}" if layer.use_bias else ""
        lines.append(f'{letter} = np.einsum("{inputs}", {source}, w_{letter}){bias}')
    lines.append(f'scores = np.einsum("{dot}", {operands}) / np.float32(np.sqrt(key_dim))')
    lines += _softmax(settings)
    lines.append(f'context = np.einsum("{combine}", weights, v)')
    lines.append(f'output = np.einsum("{output}", context, w_o)' + (" + b_o" if layer.use_bias else ""))
    count = " + ".join(f"{row.name}.size" for row in variables(layer))
    return "\n".join(lines) + "\n" + tail(count, "weights")


def _softmax(settings: Settings) -> list[str]:
    lines: list[str] = []
    if settings.masked:
        causal = f"np.tri({settings.layer.query_shape[1]}, {settings.layer.key_shape[1]}, dtype=bool)"
        spread = "mask[..., None, :, :]"
        allowed = causal if settings.mask is None else f"{causal} & {spread}" if settings.causal else spread
        lines.append(f"allowed = {allowed}  # for every head the same")
        if settings.some_see_nothing:
            return [*lines, ZEROS.strip()]
        lines.append("scores = np.where(allowed, scores, -np.inf)")
    axes = tuple(range(-len(settings.layer.axes), 0))
    over = axes[0] if len(axes) == 1 else axes
    return [
        *lines,
        f"weights = np.exp(scores - scores.max(axis={over}, keepdims=True))",
        f"weights /= weights.sum(axis={over}, keepdims=True)  # softmax: what Keras calls the scores",
    ]
