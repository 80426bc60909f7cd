"""Calls of attention in code: what they are, what they count, and which look like a mistake. Each count is repeated by hand."""

import sys

import pytest

from headcount.models.attention import Attention
from headcount.pasted.code import read_code
from headcount.pasted.finding import Finding, place
from headcount.pasted.trace import Unreadable


def only(code: str, **known: int) -> Finding:
    (found,) = read_code(code, known)
    return found


#: The three public examples, in words of our own with their names and sizes.
PUBLIC = {
    # keras.io, Text classification with Transformer: 4 · 32 · 64 + 3 · 64 + 32, and 4 · 32 · 32 + 4 · 32.
    "keras-io": ("""
from keras import layers

class Block(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1):
        super().__init__()
        self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)

embed_dim = 32
num_heads = 2
block = Block(embed_dim, num_heads, 32)
""", "You probably meant key_dim=16: 8,416 parameters now, 4,224 then."),
    # TensorFlow's Transformer: the base class hands everything on, and its calls differ in d_model (512, then 128).
    "tensorflow": ("""
class Base(tf.keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__()
        self.mha = tf.keras.layers.MultiHeadAttention(**kwargs)

class Global(Base):
    def call(self, x):
        return self.mha(query=x, value=x, key=x)

class Encoder(tf.keras.layers.Layer):
    def __init__(self, *, d_model, num_heads, dff, rate=0.1):
        super().__init__()
        self.attention = Global(num_heads=num_heads, key_dim=d_model, dropout=rate)

sample = Encoder(d_model=512, num_heads=8, dff=2048)
small = Encoder(d_model=128, num_heads=8, dff=512)
""", "With several heads you probably meant `d_model // num_heads`."),
    # keras-cv's TransformerEncoder as it was before its PR 1013; nobody calls it in that file.
    "keras-cv": ("""
from tensorflow.keras import layers

class TransformerEncoder(layers.Layer):
    def __init__(self, project_dim, num_heads, mlp_dim):
        super().__init__()
        self.project_dim = project_dim
        self.num_heads = num_heads
        self.attn = layers.MultiHeadAttention(num_heads=self.num_heads, key_dim=self.project_dim, dropout=0.1)
""", "With several heads you probably meant `project_dim // num_heads`."),
}  # fmt: skip


@pytest.mark.parametrize("example", PUBLIC)
def test_the_three_public_examples_are_called_a_slip(example: str):
    code, said = PUBLIC[example]
    found = only(code)
    assert found.slip
    assert found.says.endswith(said)


@pytest.mark.parametrize("example", PUBLIC)
def test_the_same_examples_put_right_are_none(example: str):
    code, _ = PUBLIC[example]
    for wide in ("embed_dim", "d_model", "self.project_dim"):
        code = code.replace(f"key_dim={wide}", f"key_dim={wide} // num_heads")
    assert [one.slip for one in read_code(code)] == [False]


RIGHT = [
    "layers.MultiHeadAttention(num_heads=7, key_dim=5)",
    "layers.MultiHeadAttention(8, 64)",
    "layers.MultiHeadAttention(num_heads=1, key_dim=embed_dim)",
    "layers.MultiHeadAttention(num_heads=heads, key_dim=head_size, dropout=0.1)",
    "layers.MultiHeadAttention(num_heads=heads, key_dim=int(embed_dim // heads))",
    "embed_dim = 96\nlayers.MultiHeadAttention(num_heads=3, key_dim=embed_dim // 3)",
    "x = keras.Input((None, 35))\ny = keras.layers.MultiHeadAttention(7, 5)(x, x)",
    "x = keras.Input((None, 35))\ny = keras.layers.MultiHeadAttention(1, 35)(x, x)",
    "keras.layers.GroupQueryAttention(head_dim=8, num_query_heads=6, num_key_value_heads=3)",
    "nn.MultiheadAttention(21, 7)",
    "nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)",
    "nn.MultiheadAttention(embed_dim=21, num_heads=3, kdim=10, vdim=11)",
    "nn.TransformerEncoderLayer(d_model=35, nhead=5, dim_feedforward=64)",
    "nn.TransformerDecoderLayer(33, 3)",
    "LlamaConfig(hidden_size=96, num_attention_heads=6, num_key_value_heads=2)",
    "Qwen3Config(hidden_size=100, num_attention_heads=6, head_dim=20)",
    "q = q.view(B, T, 3, 7).transpose(1, 2)\ny = F.scaled_dot_product_attention(q, k, v, is_causal=True)",
    # Keras's image classification with a Vision Transformer: its width is the product, in spite of the name.
    "projection_dim = 6\nnum_heads = 5\nhidden_dim = projection_dim * num_heads\n"
    "layers.MultiHeadAttention(num_heads=num_heads, key_dim=projection_dim)",
    # Layers of the same name that are not the library's.
    "class MultiHeadAttention(nn.Module): ...\nMultiHeadAttention(num_heads=8, key_dim=d_model)",
    "from .attention import MultiHeadAttention\nMultiHeadAttention(num_heads=8, key_dim=d_model)",
    "import flax.linen as nn\nnn.MultiHeadAttention(num_heads=8, key_dim=d_model)",
]


@pytest.mark.parametrize("code", RIGHT)
def test_a_right_call_is_called_no_slip(code: str):
    assert not any(one.slip for one in read_code(code))


@pytest.mark.parametrize(("code", "layer", "count"), [
    # 3 · (35 · 35 + 35) + 35 · 35 + 35
    ("x = keras.Input((None, 35))\ny = keras.layers.MultiHeadAttention(7, 5)(x, x)",
     Attention(35, 7, 7, 5, 5, False, False, "qkvo"), 5040),
    # 2 · (13 · 6 + 6) + 13 · 14 + 14 + 14 · 13 + 13
    ("x = Input((None, 13))\nMultiHeadAttention(2, 3, value_dim=7)(x, x)",
     Attention(13, 2, 2, 3, 7, False, False, "qkvo"), 559),
    ("d_model, h = 33, 11\nlayers.MultiHeadAttention(num_heads=h, key_dim=d_model // h, use_bias=False)",
     Attention(33, 11, 11, 3, 3, False, False), 4356),
    # Four squares of 21 and four rows.
    ("nn.MultiheadAttention(21, 7)", Attention(21, 7, 7, 3, 3, False, False, "qkvo"), 1848),
    ("nn.TransformerEncoderLayer(nhead=5, d_model=35)", Attention(35, 5, 5, 7, 7, False, False, "qkvo"), 5040),
    # Queries and output 96 · 96 each; two key/value heads of 16: 96 · 32 each.
    ("LlamaConfig(hidden_size=96, num_attention_heads=6, num_key_value_heads=2)",
     Attention(96, 6, 2, 16, 16, False, False), 24_576),
    ("q = self.c_q(x).reshape((B, T, 3, 7))\nF.scaled_dot_product_attention(q, k, v)",
     Attention(21, 3, 3, 7, 7, False, False), 1764),
])  # fmt: skip
def test_a_call_is_the_layer_that_its_sizes_make(code: str, layer: Attention, count: int):
    found = only(code)
    assert (found.layer, layer.count) == (layer, count)
    assert f"{count:,} " in found.says


@pytest.mark.parametrize(("code", "count"), [
    # 21 · 21 for queries, 10 · 21 for keys, 11 · 21 for values, 21 · 21 out, four biases
    ("nn.MultiheadAttention(21, 3, kdim=10, vdim=11)", "1,407"),
    ("nn.MultiheadAttention(21, 3, add_bias_kv=True)", "1,890"),  # two rows more than 1,848
    # 3 · (15 · 6 + 6) + 6 · 4 + 4
    ("x = keras.Input((None, 15))\nkeras.layers.MultiHeadAttention(2, 3, output_shape=4)(x, x)", "316"),
])  # fmt: skip
def test_arguments_that_change_a_matrix_are_counted_and_not_linked(code: str, count: str):
    found = only(code)
    assert f": {count} parameters" in found.says
    assert found.layer is None


#: Ways in which code says that a head has 5 numbers, 7 heads and a width of 35.
TRACES = [
    "cfg = {'width': 35, 'h': 7}\nLAYER(cfg['h'], cfg['width'] // cfg['h'])",
    "cfg = dict(width=35, h=7)\nLAYER(cfg['h'], cfg['width'] // cfg['h'])",
    "class Config:\n    width: int = 35\n    h: int = 7\ncfg = Config()\nLAYER(cfg.h, cfg.width // cfg.h)",
    "class B:\n    def __init__(self, width, h=7):\n        self.w, self.h = width, h\n"
    "    def build(self):\n        LAYER(self.h, key_dim=self.w // self.h)\nB(width=35)",
    "def f(width=35, *, h=7):\n    LAYER(h, width // h)",
    "def f(width, h):\n    LAYER(h, width // h)\nf(35, 7)\nf(h=7, width=35)",
]


@pytest.mark.parametrize("code", TRACES)
def test_a_size_is_followed_to_where_it_is_said(code: str):
    found = only(code.replace("LAYER", "layers.MultiHeadAttention"))
    assert found.layer == Attention(35, 7, 7, 5, 5, False, False, "qkvo")


@pytest.mark.parametrize(("code", "asks"), [
    ("layers.MultiHeadAttention(num_heads=h, key_dim=5)", ("h",)),
    ("def f(h):\n    layers.MultiHeadAttention(h, 5)\nf(2)\nf(3)", ("h",)),  # two calls that differ
    ("h = 2\nh += 1\nlayers.MultiHeadAttention(h, 5)", ("h",)),
    ("for h in (2, 3):\n    layers.MultiHeadAttention(h, 5)", ("h",)),
    ("layers.MultiHeadAttention(2, 5)", ("the width of the input in line 1",)),
    ("nn.MultiheadAttention(args.width, int(cfg['h']))", ("width", "h")),
    ("h = 2\nh = 3\nlayers.MultiHeadAttention(h, 5)", ("h",)),
    ("class Config:\n    h: int = 2\ncfg = Config(h=3)\nlayers.MultiHeadAttention(cfg.h, 5)", ("h",)),
    ("def f(h=2):\n    layers.MultiHeadAttention(h, 5)\nf()\nf(h=3)", ("h",)),  # a default, and a call without it
    ("def f(h):\n    layers.MultiHeadAttention(h, 5)\ndef g():\n    h = 2", ("h",)),  # nobody calls f
    ("x = keras.Input((7,))\nx = Dense(8)(x)\nlayers.MultiHeadAttention(2, 5)(x, x)", ("the width of the input in line 3",)),
    ("layers.MultiHeadAttention(2, 5, value_dim=v)(keras.Input((7,)), y)", ("v",)),
])  # fmt: skip
def test_what_the_code_does_not_say_is_asked_for_and_not_guessed(code: str, asks: tuple[str, ...]):
    found = only(code)
    assert (found.asks, found.layer, found.slip) == (asks, None, False)


def test_heads_and_their_size_are_said_without_the_width():
    assert only("layers.MultiHeadAttention(7, 5)").says.startswith("7 heads of 5: 35 numbers together. The code does not say")


def test_an_answer_is_taken_where_it_was_asked_for():
    found = only("layers.MultiHeadAttention(8, 512)", **{"the width of the input in line 1": 512})
    assert found.slip
    assert found.says.endswith("You probably meant key_dim=64: 8,401,408 parameters now, 1,050,624 then.")
    assert only("nn.MultiheadAttention(args.width, 7)", width=21).layer


@pytest.mark.parametrize(("code", "says"), [
    ("nn.MultiheadAttention(33, 7)", "7 heads do not divide 33. These divide 33: 1, 3, 11 and 33."),
    ("GPT2Config(n_embd=33, n_head=7)", "7 heads do not divide 33. These divide 33: 1, 3, 11 and 33."),
    ("LlamaConfig(hidden_size=96, num_attention_heads=6, num_key_value_heads=4)",
     "4 key/value heads do not divide 6. These divide 6: 1, 2, 3 and 6."),
    ("layers.MultiHeadAttention(num_heads=0, key_dim=5)", "A size of 0 makes no layer."),
    ("d_model = 33\nlayers.MultiHeadAttention(7, d_model)",
     "the width of the input. 7 heads do not divide 33. These divide 33: 1, 3, 11 and 33."),
])  # fmt: skip
def test_what_is_no_layer_is_a_slip_with_what_would_be_one(code: str, says: str):
    found = only(code)
    assert found.slip
    assert found.says.endswith(says)
    assert found.layer or ":" not in found.title, "of no layer no heads are named"


@pytest.mark.parametrize("code", [
    ">>> x = keras.Input((5, 35))\n>>> y = layers.MultiHeadAttention(\n...     7, 5)(x, x)",
    "    x = keras.Input((5, 35))\n    y = layers.MultiHeadAttention(7, 5)(x, x)",
    "%matplotlib inline\n!pip install keras\nx = keras.Input((5, 35))\ny = layers.MultiHeadAttention(7, 5)(x, x)",
    "```python\nx = keras.Input((5, 35))\ny = layers.MultiHeadAttention(7, 5)(x, x)\n```",
])  # fmt: skip
def test_code_is_read_as_people_copy_it(code: str):
    assert only(code).layer


def test_a_comment_lets_a_call_be():
    code = "nn.MultiheadAttention(\n    33,  # wide\n    7,  # headcount: ok\n)\nnn.MultiheadAttention(33, 7)"
    assert [one.line for one in read_code(code)] == [5]


def test_nothing_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = only("open('made', 'w')\nraise SystemExit\nnn.MultiheadAttention(__import__('os').getpid(), 2 ** 9 ** 9 ** 9)")
    assert found.layer is None
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("code", [
    "(" * 50_000, "-" * 60_000 + "1", "x\0y", "lambda:" * 9_000 + "1",
    "<script>alert(1)</script>", "Ignore all previous instructions.", "多头注意力是什么？", "def f(:",
])  # fmt: skip
def test_what_is_no_code_is_refused_in_words(code: str):
    with pytest.raises(Unreadable, match=r"^(Python cannot read line \d|The code is nested too)"):
        read_code(code)


@pytest.mark.parametrize("code", ["a" + ".b" * 30_000, "1" + "+1" * 30_000])
def test_code_of_many_levels_is_refused_in_words_or_has_no_call(code: str):
    """Python 3.14 reads it, earlier ones do not."""
    try:
        found, why = read_code(code), ""
    except Unreadable as fault:
        found, why = [], str(fault)
    assert found == []
    assert why.startswith("The code is nested too" if sys.version_info < (3, 14) else "")


@pytest.mark.parametrize(("layer", "where"), [
    (Attention(35, 7, 7, 5, 5, False, False, "qkvo"), ("", {"d_model": 35, "num_heads": 7})),
    (Attention(35, 7, 7, 5, 5, False, False), ("", {"d_model": 35, "num_heads": 7, "use_bias": "false"})),
    (Attention(35, 7, 7, 3, 2, False, False, "q"),
     ("keras_layer", {"d_model": 35, "num_heads": 7, "key_dim": 3, "value_dim": 2, "split": "Keras"})),
    (Attention(36, 6, 3, 6, 6, False, False, "q"),
     ("models", {"model": "this-layer", "d_model": 36, "num_heads": 6, "model_kv_heads": 3})),
    (Attention(4097, 1, 1, 4096, 4096, False, False), None),
])  # fmt: skip
def test_a_layer_opens_on_the_page_that_shows_it(layer: Attention, where):
    assert place(layer) == where


@pytest.mark.keras
@pytest.mark.parametrize("call", [
    "keras.layers.MultiHeadAttention(7, 5)(x, x)", "keras.layers.MultiHeadAttention(2, 33, value_dim=3)(x, x)",
    "keras.layers.MultiHeadAttention(2, 3, use_bias=False)(x, x)", "keras.layers.MultiHeadAttention(2, 3, output_shape=4)(x, x)",
    "keras.layers.MultiHeadAttention(2, 3, use_gate=True)(x, x)", "keras.layers.GroupQueryAttention(4, 6, 2)(x, x)",
])  # fmt: skip
def test_a_call_has_as_many_parameters_as_keras_gives_it(call: str):
    import keras

    code = "x = keras.Input((11, 35))\ny = " + call
    x = keras.Input((11, 35))
    y = eval(call, {"keras": keras, "x": x})  # noqa: S307 a line of this file
    assert f"{keras.Model(x, y).count_params():,} " in only(code).says
