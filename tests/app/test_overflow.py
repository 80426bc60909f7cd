"""Weights of any finite size: every number on the screen is finite, or a sentence names the step at which float32 overflows, and
only counts are shown."""

import re
from dataclasses import replace

import numpy as np
import pytest

from components.widgets.check import sentence
from headcount import Config, make_inputs, run
from headcount.arrays import Array
from tests.app.driver import ALL_PAGES, open_page, text, title, whole
from tests.app.own_layer import drop, go
from tests.app.test_widgets import answer_to
from tests.layer.files.files import arrays, npz
from tests.visitor.held import breaches
from tests.visitor.visitor import Visitor

pytestmark = pytest.mark.usefixtures("read_here")
ENDS = re.compile(r"Float32 ends at the step \*\*(.+?)\*\*")
LARGEST = float(np.finfo(np.float32).max)


def weights(kind: str, size: float) -> dict[str, np.ndarray]:
    """Weights of 3 heads, 11 wide: random ones times a number, or this number alone, with W_K negative and a small W_V."""
    signs = {"w_q": 1, "w_k": -1, "w_v": 1 / size, "w_o": 1}
    return {
        name: (values * size if kind == "drawn" else np.full_like(values, signs.get(name, 0) * size)).astype(np.float32)
        for name, values in arrays().items()
    }


def end(of: dict[str, np.ndarray]) -> set[str]:
    """The first step that overflows float32, computed in float64 by hand. The output here is Z · W_O, without b_O."""
    x = make_inputs(Config(11, 3, 5, 7, 13, 13)).x_query.values.astype(float)
    q, k, v = (np.einsum("btm,mhk->bthk", x, of[f"w_{one}"].astype(float)) + of[f"b_{one}"].astype(float) for one in "qkv")
    scores = np.einsum("bthk,bshk->bhts", q, k)
    shares = np.exp((scores - scores.max(-1, keepdims=True)) / np.sqrt(5))
    z = np.einsum("bhts,bshv->bthv", shares / shares.sum(-1, keepdims=True), v)
    steps = {"Q": q, "K": k, "V": v, "QKᵀ": scores, "output": np.einsum("bthv,hvm->btm", z, of["w_o"].astype(float))}
    return {*[name for name, numbers in steps.items() if np.abs(numbers).max() > LARGEST][:1]}


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e3, 1e6, 1e9, 1e12, 1e18, 1e19, 1e30, 5e37, 3e38])
@pytest.mark.parametrize("kind", ["drawn", "full"])
def test_on_every_page_each_number_is_one_or_the_step_is_named_at_which_float32_ends(kind: str, size: float):
    if (kind, size) == ("drawn", 3e38):
        size = 1.2e38  # times the largest weight, 2.8
    own = weights(kind, size)
    at = drop(open_page("own_layer"), npz(own), "mine.npz")
    assert title(whole(at)) == "3 heads, 11 wide: your layer has 854 parameters."
    named = set()
    for page in ALL_PAGES:
        at = go(at, page)
        assert breaches(Visitor(page, at=at)) == [], page
        assert not re.search(r"within \d+e\+|✗ Numbers", text(at)), page
        named |= {*ENDS.findall(text(at))}
    assert named == end(own)


def test_the_check_line_compares_with_the_largest_number():
    trace = run(Config(11, 3, 5, 7, 13, 17))
    large = Array(trace.output.values * np.float32(1e30), "btm")
    answer = answer_to(trace)
    moved = Array(large.values + np.float32(1e30 * 2e-6) * np.abs(trace.output.values).max(), "btm")
    said = sentence(replace(trace, output=large), replace(answer, output=moved), "ready", None, "NumPy")
    assert said.startswith("✓")
    assert "output within 2e-06 of its largest number" in said
