"""Rules for every screen, checked from its data. Each breach is a sentence."""

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

from components.address import known
from components.app.session import KEY
from components.widgets.trace import keras_client
from components.widgets.words import AWAY
from headcount import Config, count_parameters
from headcount.cost import too_large
from headcount.export.figures import FIGURES
from headcount.reading import why_not
from headcount.settings import NUMBERS
from tests.app.driver import stages
from tests.stage.reading import unpacked
from tests.visitor.arithmetic import wrong
from tests.visitor.visitor import Visitor, elements

WRITTEN = ("title", "header", "subheader", "markdown", "caption", "warning", "info", "error", "success", "latex", "text")
#: With a number before it, one of them is not "1 heads".
PLURALS = """
    arrays axes biases bits bytes cells characters claims columns copies cuts dishes divisors figures groups guesses guests heads
    keys layers lines maps matrices models modules multiply-adds networks numbers pairs parameters parts pieces places points
    positions products queries questions rows samples scores seats seeds sequences shares sizes slices steps tiles tokens values
    variables weights widths words
""".split()  # noqa: SIM905
BETWEEN = """
    attention attention-map decoder different encoder equal free further key key/value more multiply narrow other own published
    query score value wide
""".split()  # noqa: SIM905
ONE = re.compile(
    rf"(?<![\w.,·×^/–−=+*-])(?<![×/+−·] )\*{{0,2}}1\*{{0,2}} (?:(?:{'|'.join(BETWEEN)}) )*(?:{'|'.join(PLURALS)})\b|\ball 1 "
    r"|(?<![\d.,/×·] )\b1\*{0,2} (?:of \d+ )?(?:\S+ )?(?:head|row|column|query|key|layer|map|module)s? "
    r"(?:are|change|have|see|share|stand|do)\b"
)
#: Before a number that is a name: "head 1 values" is no count.
NAMED = re.compile(r"\b(?:head|layer|row|column|position|query|key|step|question|example|rank|axis|sample|dim|to|from) $", re.I)
NO_NUMBER = re.compile(r"(?<![\w`/.-])(?:nan|inf|None(?= of \d)|None(?!,? [a-z])|undefined|null)(?![\w`])")
CODE = re.compile(r"```.*?```|`[^`]*`", re.S)
FORMULA = re.compile(r"(?<!\\)\$[^$]*\$")
MARKS = re.compile(r"\{(?! … \})|(?<!\{ … )\}|\\[a-z]+|%[ds]\b")
#: What the stage sets as an index or an exponent.
TYPESET = re.compile(r"[_^]\{[^{}]*\}")
OUR_LIMIT = re.compile(
    r"computed live|are asked for|does not ask|by this app|takes? [\d,]+ (?:numbers|MB)|up to [\d,]+ (?:numbers|are)", re.I
)
REFUSAL = re.compile(r"\w+Error\b|[Rr]efuse|InvalidArgument")
ITS_ERROR = re.compile(r"Keras refuse|ValueError|refuses this call|TypeError|InvalidArgument|Error:")
#: What no wrong argument makes Keras raise, but for an axis that is not there: it is a fault of this app in Keras's process.
OUR_FAULT = re.compile(
    r"\b(?:ModuleNotFound|Import|Attribute|Name|Key|Index|ZeroDivision|Recursion|Assertion)Error\b(?!: index \d+ is out of)"
)
CHECKED = re.compile(
    r"✓ Numbers by (\w+), same as the real layer \(.*?\): output within ([\d.e+-]+) of its largest number, "
    r"attention within ([\d.e+-]+), rows sum to 1 within ([\d.e+-]+), count_params\(\) ([\d,]+) equal"
)


def texts(at: AppTest) -> Iterator[tuple[str, str]]:
    """The texts of the page and the alt texts of its pictures, as pairs of kind and body."""
    for node in elements(at):
        if node.type in WRITTEN:
            yield node.type, node.value
        elif node.type == "bidi_component" and node.proto.component_name.startswith("headcount_chart"):
            yield "chart", json.loads(node.proto.bytes)["alt"]
        elif (plan := plan_of(node)) is not None:
            yield "picture", plan["alt"]
            written = [text["text"] for row in plan["rows"] for panel in row for text in panel["texts"]]
            yield from (("on the picture", words) for words in (*plan["captions"], *written))


def plan_of(node: object) -> dict | None:
    if node.type != "bidi_component" or node.proto.component_name != "headcount_stage" or not node.proto.bytes:
        return None
    return unpacked(node.proto.bytes)[0]


def breaches(visitor: Visitor) -> list[str]:
    """All rules that the screen breaks. If the page has an error, only that."""
    at = visitor.at
    if at.exception:
        return [f"exception: {error.proto.type}: {error.message}"[:400] for error in at.exception]
    found = emptiness(at)
    for kind, body in texts(at):
        found += [f"{kind}: {fault}" for fault in (*of_text(kind, body), *wrong(body), *tables(body))]
    return list(dict.fromkeys([*found, *of_their_settings(visitor), *totals(visitor), *check_line(visitor), *pressed(visitor)]))


settings = cache(known)


def of_their_settings(visitor: Visitor) -> list[str]:
    """Fields of the address whose value is not what their setting would read, as a reopened page does."""
    found = []
    for node in elements(visitor.at):
        setting = settings().get(node.key) if getattr(node.proto, "query_param_key", "") else None
        if setting is None or (value := visitor.at.session_state[node.key]) is None:
            continue
        with suppress(ValueError):  # of a value that is not allowed the page tells
            if (read := setting.parse(setting.format(value))) != value or type(read) is not type(value):
                found.append(f"{node.key} holds {value!r}, and its setting reads {read!r}")
    return found


def emptiness(at: AppTest) -> list[str]:
    titles = list(at.title)
    if len(titles) not in (1, 2) or not all(title.value.strip() for title in titles):
        return [f"the page has {len(titles)} titles"]
    rest = [node for node in at.main if node.type in (*WRITTEN, "bidi_component", "html")]
    return [] if len(rest) > len(titles) else ["the page is empty"]


def of_text(kind: str, body: str) -> list[str]:
    """Faults of a text: wrong plurals, missing numbers, left-over markup, and limits of ours that are called Keras's errors."""
    code = CODE.sub(" ", body)
    words = FORMULA.sub(" ", code)
    found = plurals(words)
    found += [f"no number: {shown(words, m)}" for m in NO_NUMBER.finditer(re.sub(r"\(None[,)]|= ?None\b", " ", words))]
    set_in_type = TYPESET.sub("", words) if kind == "on the picture" else words
    found += [f"a mark of a format: {shown(set_in_type, m)}" for m in MARKS.finditer(set_in_type)]
    if len(re.findall(r"(?<!\\)\$", code)) % 2 and kind in ("title", "header", "markdown", "caption"):
        found.append(f"an odd number of $: {body!r}"[:200])
    if ITS_ERROR.search(body) and (fault := OUR_FAULT.search(body)):
        found.append(f"our fault as Keras's error: {shown(body, fault)}")
    lines = [line for line in re.split(r"\n|\|", body) if REFUSAL.search(line) and OUR_LIMIT.search(line)]
    return found + [f"our limit as Keras's error: {line!r}"[:300] for line in lines]


def plurals(words: str) -> list[str]:
    """Plurals after the number 1."""
    return [f"a plural after 1: {shown(words, m)}" for m in ONE.finditer(words) if not NAMED.search(words[: m.start()])]


def shown(text: str, match: re.Match) -> str:
    """A match with the text around it."""
    return f"{match.group().strip()!r} in {text[max(match.start() - 40, 0) : match.end() + 40]!r}"


def tables(body: str) -> list[str]:
    """Faults of a table of parameters: a shape that does not multiply to the count, or a total that is not the sum."""
    if "| parameters" not in body:
        return []
    lines = (line.strip().strip("|") for line in body.splitlines() if line.startswith("|"))
    rows = [[cell.strip(" *`") for cell in line.split("|")] for line in lines]
    place, counted, found = rows[0].index("parameters") if "parameters" in rows[0] else -1, [], []
    for row in rows[2:]:
        count = row[place].replace(",", "") if len(row) == len(rows[0]) else ""
        if not count.isdigit():
            continue
        shape = next((cell for cell in row if re.fullmatch(r"\((?:\d+,? ?)+\)", cell)), "")
        if shape:
            counted.append(int(count))
            if math.prod(map(int, re.findall(r"\d+", shape))) != int(count):
                found.append(f"{shape} are not {count} numbers")
        elif "total" in row and counted and sum(counted) != int(count):
            found.append(f"the rows are {sum(counted):,} together, the total says {count}")
    return found


def shown_config(visitor: Visitor) -> Config | None:
    """The layer that the page shows, or None on a page that does not show the shared settings' layer, such as a step of the
    walk."""
    state = visitor.at.session_state
    if visitor.page not in LAB or "settings" not in state or "present" in visitor.query:
        return None
    return state["settings"].config()


LAB = ("heads", "projections", "attention", "concatenation", "own_layer")


def totals(visitor: Visitor) -> list[str]:
    """Faults of the start page: its highlighted card and its ledger must have the count of `count_parameters`."""
    cfg = shown_config(visitor)
    if visitor.page != "heads" or cfg is None:
        return []
    count = f"{count_parameters(cfg):,}"
    lit = [[text["text"] for text in panel["texts"]] for row in stages(visitor.at)[0]["rows"] for panel in row if panel["on"]]
    rows = [line for _, body in texts(visitor.at) for line in body.split("\n") if line.startswith("|") and "**total**" in line]
    found = [] if [count in words for words in lit] == [True] else [f"the lit card says {lit!r}, the layer has {count}"]
    return found + [f"the ledger says {row!r}, the layer has {count}" for row in rows if f"**{count}**" not in row]


def check_line(visitor: Visitor) -> list[str]:
    """Faults of a line that says "same as the real layer": it needs Keras's answer, the right count, and differences near 0."""
    cfg = shown_config(visitor)
    if cfg is None:
        return []
    said = [body for kind, body in texts(visitor.at) if kind == "caption" and "same as the real layer" in body]
    if not said:
        return []
    if too_large(cfg):
        return ["said to be checked, and too large to be computed"]
    found = []
    for body in said:
        match = CHECKED.match(body)
        if match is None:
            found.append(f"said to be checked, without the numbers: {body!r}")
            continue
        output, weights, rows = (float(text) for text in match.groups()[1:4])
        if not (output <= 1e-5 and weights <= 1e-5 and rows <= 1e-4):
            found.append(f"said to be the same, and off by {max(output, weights, rows):g}")
        if int(match[5].replace(",", "")) != count_parameters(cfg):
            found.append(f"count_params() {match[5]}, the layer has {count_parameters(cfg):,}")
        if keras_client().state != "ready":
            found.append(f"said to be checked while the worker is {keras_client().state}")
    return found


def pressed(visitor: Visitor) -> list[str]:
    """Faults of the button "trained", which must be pressed exactly if the trained layer is shown. A visitor's own layer has no
    such button. On the page of figures the sizes decide, because each figure chooses its numbers."""
    state = visitor.at.session_state
    keys = {node.key for node in elements(visitor.at)} & {NUMBERS.code, AWAY}
    cfg = state["settings"].config()
    if not keys or KEY in state:
        return []
    if visitor.page == "figures":
        figure = FIGURES.get(state["figure"])
        if cfg is None or figure is None or NUMBERS.code not in figure.options:  # then it is not seen
            return []
        trained = not why_not(cfg) and NUMBERS.code in keys and state[NUMBERS.code] == "trained"
    else:
        begins = "The trained layer has ", "The layer, trained without a mask, has "
        trained = any(body.startswith(begins) for kind, body in texts(visitor.at) if kind == "caption")
    is_pressed = "trained" in {state[key] for key in keys}
    meaningless = any("the pattern means nothing" in body for _, body in texts(visitor.at))
    found = [f"“trained” is {'' if is_pressed else 'not '}pressed, and the layer is not so"] if trained != is_pressed else []
    return found + ["“trained” is pressed over numbers that are said to be random"] * (is_pressed and meaningless)


def screen(at: AppTest) -> list[str]:
    """All that a visitor sees, without the insides of closed boxes, keys that count replaced sliders, and the number of
    statements run."""
    seen = []
    for node in outside_boxes(at._tree):
        kind = node.type
        if kind == "caption" and "statements have been run" in node.value:
            continue
        if kind in (*WRITTEN, "code"):
            seen.append(f"{kind}: {node.value}")
        elif kind == "bidi_component" and node.proto.component_name != "headcount_poll":
            seen.append(f"{node.proto.component_name}: {node.proto.json or node.proto.bytes!r}")
        elif kind == "select_slider" or getattr(node.proto, "query_param_key", ""):
            seen.append(f"{kind} {node.label}: {node.value!r}")
        elif kind == "button":
            seen.append(f"button {node.label}")
    return seen


def outside_boxes(block: Block) -> Iterator[Element]:
    for node in block.children.values():
        if not isinstance(node, Block):
            yield node
        elif node.type not in ("expander", "popover"):
            yield from outside_boxes(node)
