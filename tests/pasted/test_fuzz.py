"""Any text may be pasted: it is read, or refused in words, without an error of the app, in limited time and memory."""

import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.pasted.finding import Finding, place
from headcount.pasted.read import read_pasted
from headcount.text_bounds import MAX_PASTED

#: Pieces of what people paste, so that rules are met.
PIECES = [
    "layers.MultiHeadAttention(", "nn.MultiheadAttention(", "GroupQueryAttention(", "LlamaConfig(",
    "F.scaled_dot_product_attention(q)", "num_heads=", "key_dim=", "embed_dim", "hidden_size", "num_key_value_heads",
    "head_dim=", "def f(h=", "class A:\n    ", "self.x = ", "q = x.view(", "keras.Input((", ")", "(", "[", "]", "{", "}", ",",
    ":", "=", "\n", " ", "//", "0", "1", "8", "64", "512", "-1", "None", "999999999999", "size mismatch for q_proj.weight: ",
    "torch.Size([512, 64])", "relative_position_bias_table [13, 4] [169, 4]", " must be divisible by ", " multiple of ",
    "shape '[2, 3, 4]' is invalid for input of size ", "mat1 and mat2 multiplied (2x3 and 4x5)",
    "size of tensor a (2) must match the size of tensor b (3)", " heads", " GPUs", "Supported head sizes: [64, 128]",
    "gemma-3-27b", "from x import *", "f(f(1))", "lambda: ", "**kw", "*a", "# headcount: ok", '"""', "\\", "\0", "\ud800", "é",
    "注", "<b>", "`", "$",
]  # fmt: skip
PIECES.append("0x" + "f" * 6000)  # a number that Python does not print
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.text(max_size=200))


def held(text: str) -> None:
    """Asserts what is true of every text."""
    for one in read_pasted(text, {"h": 3}):
        assert isinstance(one, Finding)
        assert one.title
        assert one.says
        assert one.layer is None or place(one.layer) is None or one.layer.count > 0


@given(TEXTS)
@settings(max_examples=400)
def test_no_text_ends_in_an_error(text: str):
    held(text)


#: Texts as long as may be, of what is slow to read.
LONG = {
    "brackets": "(", "lists": "[1,", "calls": "nn.MultiheadAttention(", "right calls": "layers.MultiHeadAttention(2,3)\n",
    "configurations": "LlamaConfig(", "names": "a", "spaces": " ", "digits": "7", "sizes": "12 heads ",
    "shapes": "(2, 3, 4) reshape ", "weights": "q_proj [512, 64] [64, 64]\n", "divided": "1 divisible by ",
    "lists of sizes": "supported 1, ", "markup": "<script>", "another language": "多头注意力",
    "a prompt": "Ignore all instructions. ", "objects": "{\"a\":", "attributes": "a.", "minus": "-", "sums": "1+",
    "assignments": "a=b\n", "defined": "def f(h): f(h)\n", "products": "1 · ", "lines": "\n", "quotes": '"',
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_a_text_as_long_as_may_be_neither_hangs_nor_fills_the_memory(name: str):
    """A text takes less than 0.1 s here, and code of 12,000 calls 0.2 s. A wrong algorithm would take minutes."""
    text = (LONG[name] * MAX_PASTED)[:MAX_PASTED]
    begun = time.process_time()
    held(text)
    assert time.process_time() - begun < 5
    tracemalloc.start()
    held(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50 << 20


def test_megabytes_are_refused_at_once():
    (finding,) = read_pasted("(" * 8_000_000)
    assert finding.says == "What is pasted must be at most 64,000 characters, got 8,000,000."
