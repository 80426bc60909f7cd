"""What a script is written for, and what all scripts share: numbers drawn by NumPy as the pages draw them, mask, prints."""

from dataclasses import dataclass
from textwrap import dedent

import numpy as np

from mha.arrays import Bools, Ints
from mha.keras.layer import KerasLayer, variables
from mha.names import heads_in_words
from mha.params import BIAS_SCALE, STREAMS

#: The file from which a script takes weights that no seed gives.
WEIGHTS_FILE = "headcount_layer.npz"


class Unwritable(ValueError):
    """A sentence: why a library cannot express these settings."""


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """`mask`: True where a query may look, (B, 1, S) or (T, S), or None; `causal`: Keras's use_causal_mask, which joins it.

    The numbers of a layer that brings its `weights` are read from WEIGHTS_FILE; inputs are drawn all the same.
    """

    layer: KerasLayer
    causal: bool = False
    mask: Bools | None = None

    @property
    def plain(self) -> bool:
        """Inputs of rank 3, attended along their positions."""
        return self.layer.rank == 3 and self.layer.axes == (1,)

    @property
    def from_file(self) -> bool:
        """Whether the layer brings weights that no seed draws."""
        return self.layer.weights is not None

    @property
    def masked(self) -> bool:
        return self.causal or self.mask is not None

    def allowed(self) -> Bools | None:
        """The whole mask, to broadcast against scores (B, h, T, S); for inputs of rank 3."""
        if not self.masked:
            return None
        length, keys = self.layer.query_shape[1], self.layer.key_shape[1]
        triangle = np.tri(length, keys, dtype=bool) if self.causal else np.ones((length, keys), bool)
        return triangle if self.mask is None else triangle & self.mask[..., None, :, :]

    @property
    def some_see_nothing(self) -> bool:
        """Whether some query sees no key. A mask of one row is not spread over all pairs: there may be 4096 × 4096."""
        if self.mask is None:
            return False  # under the triangle every query sees the first key
        if self.mask.shape[-2] == 1:
            return not bool((self.mask[..., 0] if self.causal else self.mask.any(axis=-1)).all())
        allowed = self.allowed()
        return allowed is not None and not bool(allowed.any(axis=-1).all())


#: Numbers of the output that are printed from its start, and from its end: under a causal mask the first row needs no scores.
PRINTED = 6
DRAW = '''
def draw(stream, *shape):
    """Standard normal numbers: one stream for each array."""
    return np.random.default_rng([seed, stream]).standard_normal(shape, dtype=np.float32)
'''
KERNEL = '''

def kernel(stream, width, size):
    """(width, heads, size), variance 1 / width; drawn column by column: one more head appends some."""
    columns = draw(stream, num_heads * size, width) / np.float32(np.sqrt(width))
    return columns.T.reshape(width, num_heads, size)
'''


def head(settings: Settings, library: str, imports: str, helper: str = "") -> str:
    """Docstring, imports, sizes, the functions that are needed, inputs and weights."""
    layer = settings.layer
    what = f"{heads_in_words(layer.num_heads)}, key_dim {layer.key_dim}, value_dim {layer.value_dim}"
    sizes = f"num_heads, key_dim, value_dim = {layer.num_heads}, {layer.key_dim}, {layer.value_dim}"
    parts = [f'"""Multi-head attention in {library}: {what}. Prints what Headcount shows."""', "", *imports.splitlines(), ""]
    drawing = DRAW if settings.from_file else DRAW + KERNEL
    weights = _from_file(settings) if settings.from_file else _weights(settings)
    parts += [f"seed = {layer.seed}", sizes, "", drawing, helper and f"{helper}\n", *_inputs(settings), "", *weights]
    return "\n".join([*parts, *_mask(settings)]) + "\n"


def _inputs(settings: Settings) -> list[str]:
    """As mha.keras.layer.inputs_of: inputs of one shape are one array."""
    layer = settings.layer
    name_of: dict[tuple[int, ...], str] = {}
    lines: list[str] = []
    for name, shape, stream in (
        ("query", layer.query_shape, "x"), ("value", layer.value_shape, "y"), ("key", layer.key_shape, "z"),
    ):  # fmt: skip
        lines.append(f"{name} = {name_of.get(shape) or f'draw({STREAMS[stream]}, {numbers(shape)})'}")
        name_of.setdefault(shape, name)
    return lines


def _weights(settings: Settings) -> list[str]:
    """As mha.keras.layer.weights_of: the order is that of Keras's `.weights`."""
    layer = settings.layer
    lines: list[str] = []
    for row in variables(layer):
        stream = STREAMS[row.name]
        if row.name.startswith("b_"):
            lines.append(f"{row.name} = {BIAS_SCALE} * draw({stream}, {numbers(row.shape)})")
        elif row.name == "w_o":
            shape = f"num_heads, value_dim, {numbers(row.shape[2:])}"
            columns = int(np.prod(row.shape[2:]))
            drawn = f"draw({stream}, num_heads * value_dim, {columns}) / np.float32(np.sqrt({layer.query_shape[-1]}))"
            lines.append(f"w_o = ({drawn}).reshape({shape})")
        else:
            size = "value_dim" if row.name == "w_v" else "key_dim"
            lines.append(f"{row.name} = kernel({stream}, {row.shape[0]}, {size})")
    return lines


def _from_file(settings: Settings) -> list[str]:
    names = [row.name for row in variables(settings.layer)]
    return [
        f"# Weights of your own: {WEIGHTS_FILE} has to lie beside this script.",
        f'with np.load("{WEIGHTS_FILE}", allow_pickle=False) as file:',
        f"    {', '.join(names)} = (file[name] for name in {tuple(names)})",
    ]


def _mask(settings: Settings) -> list[str]:
    """`mask`, True where a query may look; nothing where there is none, or only the causal one."""
    mask = settings.mask
    if mask is None:
        return []
    lengths: Ints = mask.sum(axis=-1)
    first_keys: Bools = np.less(np.arange(int(mask.shape[-1])), lengths[..., None])
    if mask.ndim == 3 and np.array_equal(mask, first_keys):
        real = ", ".join(str(int(length)) for length in lengths[:, 0])
        return ["", "# True: may look. So many keys of each sample are real.",
                f"mask = np.arange({mask.shape[-1]}) < np.array([{real}])[:, None, None]"]  # fmt: skip
    rows = mask if mask.ndim == 2 else mask.reshape(-1, mask.shape[-1])
    written = [f'    "{"".join("1" if cell else "0" for cell in row)}",' for row in rows]
    shaped = "" if mask.ndim == 2 else f".reshape({numbers(mask.shape)})"
    return ["", "# True (1): may look. A row is a query, a column a key.", "rows = [", *written, "]",
            f'mask = np.array([[letter == "1" for letter in row] for row in rows]){shaped}']  # fmt: skip


def numbers(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))


def tail(count: str, scores: str = "scores") -> str:
    """What every script prints. `count`: the expression for the parameters' number; `scores`: the variable that holds them."""
    prints = dedent(f"""
        print("output", tuple(output.shape))
        print("parameters", {count})
        print("first numbers", *(f"{{x:.4f}}" for x in output.reshape(-1)[:{PRINTED}].tolist()))
        print("last numbers", *(f"{{x:.4f}}" for x in output.reshape(-1)[-{PRINTED}:].tolist()))
    """)
    print_scores = f'print("scores", tuple({scores}.shape))\n' if scores else ""
    return prints.replace('print("parameters"', f'{print_scores}print("parameters"')
