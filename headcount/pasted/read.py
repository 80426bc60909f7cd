"""Reader for a pasted text, which may be code, an error message, a configuration or shapes."""

import re
from collections.abc import Mapping
from contextlib import suppress

from headcount.pasted.code import CALLS, read_code
from headcount.pasted.errors import read_error
from headcount.pasted.finding import Finding
from headcount.pasted.shapes import read_shapes
from headcount.pasted.trace import Unreadable
from headcount.text_bounds import MAX_PASTED

CALL = re.compile(rf"\b(?:{'|'.join(CALLS)}|[A-Z]\w{{1,40}}Config)\(")
#: Most characters of a message that are read. They are the last ones, which say what is wrong.
MESSAGE = 16_000


def read_pasted(text: str, known: Mapping[str, int] | None = None) -> list[Finding]:
    """Returns the findings about a text; an empty list if there are none. `known` has values by name, as in `read_code`."""
    if len(text) > MAX_PASTED:
        says = f"What is pasted must be at most {MAX_PASTED:,} characters, got {len(text):,}."
        return [Finding("The text is too long", says, slip=True)]
    found: list[Finding] = []
    with suppress(Unreadable):
        found = read_code(text, known) if CALL.search(text) else []
    return found or read_error(text[-MESSAGE:]) or read_shapes(text[-MESSAGE:])
