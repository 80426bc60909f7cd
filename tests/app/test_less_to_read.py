"""The amount on each page before anything is opened, at its default settings: words, controls and bytes.

Words outside the picture are counted. Left out are menu and sidebar, a number's terms, the page's glossary row, the line about
the numbers, closed parts, and the link to the next page.
"""

import re
from functools import cache

import pytest

from components.menu import FOLDERS
from tests.app.driver import ALL_PAGES, WORDS, come, whole

LESSON = [*FOLDERS[""]]
MORE = [*FOLDERS["More"]]
CONTROLS = ("button", "button_group", "checkbox", "toggle", "selectbox", "number_input", "text_input", "text_area", "slider",
            "select_slider", "multiselect", "radio", "file_uploader", "download_button", "link_button")  # fmt: skip
#: Containers that are not seen, or not counted: the line about the numbers, and the magnifier.
APART = re.compile(r"hide_|check$|magnifier$")
WORD = re.compile(r"[^\s|]*[^\W_][^\s|]*")


def in_view(block):
    """Elements in the order of the page, and the labels of closed parts."""
    for child in block.children.values():
        if not hasattr(child, "children"):
            yield child
        elif APART.match(child.key or ""):
            continue
        elif child.type in ("expander", "popover") and not getattr(child.proto, "expanded", False):
            yield child
        else:
            yield from in_view(child)


def words_in(element) -> int:
    if element.type in ("expander", "popover"):
        label = element.label if element.type == "expander" else element.proto.popover.label
        return 0 if label == "Numbers, downloads" else len(WORD.findall(label))
    said = element.value if element.type in WORDS else element.proto.body if element.type == "html" else ""
    if "terms_of" in said or "glossary" in said:
        return 0
    plain = re.sub(r":material/\w+:|\]\([^)]*\)|\$", " ", re.sub("<[^>]*>", "", said))
    return len(WORD.findall(plain))


#: Of each page's elements at its first run, in kB, as they were when this was last looked at: numbers, and the program of each
#: component, which is sent with it. One that has become smaller gets its smaller number.
KILOBYTES = {
    "heads": 200, "projections": 161, "attention": 250, "concatenation": 164, "keras_layer": 70, "own_layer": 94,
    "trained_heads": 125, "models": 96, "questions": 34, "quiz": 34,
    "figures": 290,
}  # fmt: skip
first_visit = cache(lambda page: whole(come(page)))


@pytest.mark.parametrize("page", ALL_PAGES)
def test_no_page_has_grown_by_a_tenth(page):
    sizes = [node.proto.ByteSize() for node in first_visit(page)._tree if getattr(node, "proto", None) is not None]
    assert 0.8 * KILOBYTES[page] < sum(sizes) / 1000 < 1.1 * KILOBYTES[page]


def counts(page: str) -> tuple[int, int]:
    """Words and controls of the page."""
    seen = [*in_view(first_visit(page).main)]
    return sum(map(words_in, seen)), sum(one.type in CONTROLS for one in seen)


@pytest.mark.parametrize("page", LESSON)
def test_a_page_of_the_lesson_has_at_most_50_words_beside_its_picture_and_8_controls(page):
    words, controls = counts(page)
    assert words <= 50
    assert controls <= 8


@pytest.mark.parametrize("page", MORE)
def test_no_page_has_more_than_300_words_before_something_is_opened(page):
    assert counts(page)[0] <= 300
