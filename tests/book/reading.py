"""Reads all that a page says, in a reader's order, from the elements of AppTest."""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.stage.reading import unpacked

#: A sentence ends where the next one begins; a decimal point, an abbreviation and a code span do not.
END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!etc\.)\s+(?=[A-Z0-9“\"*`\[(√])")
#: Long ones are cut: a script, a table of hundreds of rows.
MOST_LINES, MOST_LETTERS = 40, 600
#: Words that depend on the machine, and what stands for them in the book.
MACHINE = {
    r"(transformers|Keras|TensorFlow|PyTorch) \d+\.\d+\.\d+": r"\1 N",
    r"within \d[\d.]*e[-+]\d+": "within E", r"https?://(localhost|127\.0\.0\.1)[:\d]*": "HOST",
}  # fmt: skip


def sentences(text: object) -> list[str]:
    """The sentences of a text, or the rows of a table, one per line, without what depends on the machine."""
    lowered = re.sub(r"<sub>(.*?)</sub>", r"_\1", str(text))
    plain = unescape(re.sub(r"<(style|script)\b.*?</\1>|<[^>]+>", " ", lowered, flags=re.DOTALL))
    for pattern, instead in MACHINE.items():
        plain = re.sub(pattern, instead, plain)
    rows = [re.sub(r"\s+", " ", row).strip() for row in plain.split("\n")]
    rows = [row for row in rows if row and not re.fullmatch(r"[|:\-\s]+", row)]
    found = [line[:MOST_LETTERS] for row in rows for line in ([row] if row.startswith("|") else END.split(row))]
    return [*found[:MOST_LINES], *([f"(and {len(found) - MOST_LINES} lines more)"] if len(found) > MOST_LINES else [])]


def page_lines(at: AppTest) -> list[str]:
    """The lines of a page: its own words, then those of the sidebar."""
    return [*_block(at.main), "", "In the sidebar:", *_block(at.sidebar)]


def _block(node: Any) -> list[str]:
    lines: list[str] = []
    for child in getattr(node, "children", {}).values():
        lines += _element(child)
        lines += _block(child)
    return lines


#: Elements whose value is what they say; a heading and code have their marks.
SPOKEN = {"title": "# ", "header": "## ", "subheader": "### ", "code": "code: "} | dict.fromkeys(
    ("markdown", "caption", "warning", "info", "error", "success", "latex", "text"), ""
)


def _element(element: Any) -> list[str]:
    kind = element.type
    if kind in SPOKEN:
        return [SPOKEN[kind] + line for line in sentences(element.value)]
    proto: Any = getattr(element, "proto", None)
    if kind == "html":
        return [] if "<svg" in proto.body or proto.body.startswith("<img") else sentences(proto.body)
    if kind == "bidi_component":
        return list(component(proto.component_name, proto.bytes))
    if kind == "arrow_data_frame" or not (label := getattr(proto, "label", "") or getattr(element, "label", "")):
        return []
    options = [str(one) for one in getattr(element, "options", ())]
    chosen = f" = {element.value}" if isinstance(getattr(element, "value", None), str | int | float) and kind != "button" else ""
    if label == "Acknowledged":  # nobody sees it
        return []
    parted = ", " if not any("," in one for one in options) else " / "
    shown = f" ({parted.join(options)})" if 0 < len(options) <= 12 else ""
    helped = [f"    ? {line}" for line in sentences(getattr(proto, "help", "") or "")]
    return [f"[{kind}] {sentences(label)[0]}{chosen}{shown}", *helped]


def component(name: str, data: bytes) -> Iterator[str]:
    """The words of a picture, and its alt text."""
    if not data:
        return
    kind = name.removeprefix("headcount_")
    if kind == "stage":
        yield from _drawn("picture", unpacked(data)[0])
    elif kind == "drawing":
        yield from (f"drawing: {line}" for alt in re.findall(r'aria-label="([^"]*)"', data.decode()) for line in sentences(alt))
    elif kind in ("chart", "tables"):
        yield from _drawn(kind, json.loads(data))


#: Keys under which a plan, a figure or a table has words.
WORDS = ("alt", "title", "text", "caption", "label", "name", "says", "heads", "ticktext", "hovertemplate")


def _drawn(kind: str, plan: object) -> Iterator[str]:
    short: list[str] = []
    for said in _strings(plan):
        if re.search(r"[^\W\d_]{2}", said):
            if len(said) > 60:
                yield from (f"{kind}: {line}" for line in sentences(said))
            else:
                short += sentences(said)
    if short:
        yield f"{kind}, labels: " + " · ".join(dict.fromkeys(short))


def _strings(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _strings(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, key)
    elif isinstance(value, str) and key in WORDS:
        yield value


def added(lines: list[str], known: list[str]) -> list[str]:
    """The lines that are not in `known`."""
    seen = {*known}
    return [line for line in lines if line and line not in seen]
