"""One field for all that is pasted: it knows by itself whether that is code, an error message, a configuration or shapes."""

import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice

from headcount.pasted.code import CALLS, read_code
from headcount.pasted.errors import read_error
from headcount.pasted.finding import MAX_PASTED, Finding
from headcount.pasted.shapes import read_shapes
from headcount.pasted.trace import parse
from headcount.typed import Unreadable

CALL = re.compile(rf"\b(?:{'|'.join(CALLS)}|[A-Z]\w{{1,40}}Config)\(")
#: Limits of calls that are cut out of other text, of their characters, and of the end of a message, which says what is wrong.
MOST_CALLS, LONGEST_CALL, MESSAGE = 20, 2000, 16_000


def read_pasted(text: str, known: Mapping[str, int] | None = None) -> list[Finding]:
    """The findings in a text, or [] if nothing is known here. `known`: as in `read_code`. Raises Unreadable if it is too long."""
    if len(text) > MAX_PASTED:
        raise Unreadable(f"What is pasted must be at most {MAX_PASTED:,} characters, got {len(text):,}")
    has_calls = CALL.search(text) is not None
    try:
        if has_calls and (found := read_code(text, known)):
            return found
    except Unreadable:
        pass
    cut = [one for one in read_code(calls_in(text), known) if one.layer or one.slip or len(one.asks) == 1] if has_calls else []
    return read_error(text[-MESSAGE:]) or cut or read_shapes(text[-MESSAGE:])


def calls_in(text: str) -> str:
    """The calls of attention out of text that is no code, each in its line."""
    lines = [""] * (text.count("\n") + 1)
    for match in islice(CALL.finditer(text), MOST_CALLS):
        inside, depth = text[match.end() : match.end() + LONGEST_CALL], 1
        for end, letter in enumerate(inside):
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if depth == 0:
                path = re.search(r"[\w.]*$", text[max(0, match.start() - 80) : match.start()])
                call = re.sub(r"#.*|\s+", " ", f"{path[0] if path else ''}{match[0]}{inside[: end + 1]}")
                with suppress(Unreadable):
                    parse(call)
                    lines[text.count("\n", 0, match.start())] = call
                break
    return "\n".join(lines)
