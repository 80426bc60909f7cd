"""What a first visit to each page brings over the wire: a page that grows by a tenth says so here."""

import pytest

from components.frame import SECTIONS
from tests.app.driver import come, whole

PAGES = tuple(entry.page for entries in SECTIONS.values() for entry in entries)
#: Of each page's elements at its first run, in kB, as they were when this was last looked at: numbers, and the program of each
#: component, which is sent with it. One that has become smaller gets its smaller number.
KILOBYTES = {
    "heads": 189, "projections": 158, "attention": 150, "concatenation": 164, "keras_layer": 29, "own_layer": 26,
    "trained_heads": 65, "models": 84, "questions": 34, "quiz": 26,
    "figures": 286,
}  # fmt: skip


def kilobytes(page: str) -> float:
    at = whole(come(page))
    return sum(node.proto.ByteSize() for node in at._tree if getattr(node, "proto", None) is not None) / 1000


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_grown_by_a_tenth(page):
    assert 0.8 * KILOBYTES[page] < kilobytes(page) < 1.1 * KILOBYTES[page]
