"""Explanations of error messages about sizes. They say which relation between the numbers is broken and, for some, which number
would fit. A rule is about a relation (divides, multiplies to, is equal), not about the message of one library."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from headcount.models.attention import Attention
from headcount.names import counted, listed
from headcount.pasted.finding import Finding, table
from headcount.pasted.shapes import SHAPE, shapes_of, sizes_of

Sizes: TypeAlias = Mapping[str, int]
Said: TypeAlias = Iterator[str | Attention]
#: USUAL: head size that is assumed, with "If", when the message has none. MOST: largest number whose divisors are listed.
USUAL, MOST = 64, 1 << 17
#: Pairs of sizes, of which the second must divide the first, with words for the quotient.
DIVIDED = (
    ("heads", "gpus", "heads on", "device"), ("width", "heads", "numbers for", "head"),
    ("heads", "kv", "heads on", "key/value head"), ("size", "group", "numbers of a head in groups of", ""),
)  # fmt: skip


def divides(text: str, size: Sizes) -> Said:
    """Explains that one number must divide another: named sizes, or the numbers in "… divisible by …" or "… multiple of …"."""
    if not re.search(r"divisible|divid|multiple of|evenly|gpus|tensor parallel|quantiz", text, re.IGNORECASE):
        return
    pairs = [(size[a], size[b], what, by) for a, b, what, by in DIVIDED if a in size and b in size]
    two = re.search(r"(\d{1,9})\D{1,60}(?:divisible by|multiple of)\D{1,60}(\d{1,9})", text, re.IGNORECASE)
    if two and not pairs:
        pairs = [(int(two[1]), int(two[2]), "by", "")]
    broken = [pair for pair in pairs if pair[1] and pair[0] % pair[1] and pair[0] < MOST]
    for whole, part, what, by in broken:
        parts = counted(part, by) if by else f"{part:,}"
        yield f"{whole:,} {what} {parts}: {whole / part:,.2f}, no whole number. {table(whole)}"
        if by == "device" and 1 < size.get("kv", whole) < whole:
            yield f"On more devices than its {size['kv']} key/value heads, those are copied."
    wide = size.get("size") or (size["width"] // size["heads"] if {"width", "heads"} <= {*size} else 0)
    if "multiple of" in text and wide % 8 and not broken:
        yield f"A head has {wide} numbers, no multiple of 8. {wide // 8 * 8} and {wide // 8 * 8 + 8} are multiples."


def allowed(text: str, size: Sizes) -> Said:
    """Explains that the size of a head must be in a list of allowed sizes."""
    said = re.search(r"(?:support|only|one of)\D{0,60}(\d{1,4}(?:(?:[,/] ?| or )\d{1,4}){2,20})", text, re.IGNORECASE)
    several = sorted(map(int, re.findall(r"\d+", said[1]))) if said else []
    if (wide := size.get("size")) and several and wide not in several:
        yield f"{wide} is none of {listed([f'{one}' for one in several])}."
        for more in [one for one in several if one > wide][:1]:
            yield f"{more}, the next one, takes {more - wide} zeros for each head."


def product(text: str, size: Sizes) -> Said:
    """Explains that a shape's lengths must multiply to the number of values. If one length is open, the others must divide it."""
    shapes = shapes_of(text) if re.search(r"invalid for input|reshape|total size|target_shape", text) else []
    shapes = shapes[::-1] if "new_sizes" in text else shapes
    counts = re.search(r"(?:of size|\(size|with|total of) (\d{1,12})", text)
    count = int(counts[1]) if counts else math.prod(shapes[0]) if len(shapes) > 1 and min(shapes[0]) > 0 else 0
    shape = shapes[-1] if shapes else ()
    rest, open_ = abs(math.prod(shape)), -1 in shape
    if count <= 0 or len(shape) < 2 or not rest or count == rest or (open_ and count % rest == 0):
        return
    spelt = " · ".join(f"{one:,}" for one in shape if one > 0)
    yield f"{spelt} = {rest:,}, " + (f"which does not divide {count:,}." if open_ else f"not {count:,}.")
    if open_ or len(shape) < 3:
        return
    wide = shape[-1]
    heads, left = divmod(count, rest // shape[-2])
    if not left and heads * wide < MOST:
        yield f"{heads:,} in place of {shape[-2]:,} would fit: {counted(heads, 'head')} of {wide:,}."
        yield Attention(heads * wide, heads, heads, wide, wide, False, False, "qkvo")
    wide, left = divmod(count, math.prod(shape[:-2]))
    if not left and wide % shape[-2] and wide < MOST:
        yield f"{wide:,} numbers a token are not {shape[-2]:,} heads. {table(wide)}"


PARTS = ("relative_position_bias_table", "in_proj", "qkv", "q_proj", "k_proj", "v_proj", "query", "key", "value")
NAMED = re.compile(
    rf"({'|'.join(PARTS)})\w*(?:\.weight)?\b[^\n\[(]{{0,50}}(?:\w+\.Size\()?({SHAPE.pattern})"
    rf"[^\n\[(]{{0,60}}(?:\w+\.Size\()?({SHAPE.pattern})"
)


def checkpoint(text: str, size: Sizes) -> Said:
    """Explains that a weight must have the same shape in the file and in the model."""
    found: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for match in NAMED.finditer(text):
        (here,), (there,) = shapes_of(match[2]), shapes_of(match[4])
        if here != there and len(here) == len(there) == 2 and min(*here, *there) > 0:
            found.setdefault(match[1], (here, there))
    if bias := found.pop(PARTS[0], None):
        (here, heads), (there, those) = bias
        yield f"{_window(here)} in the file, {_window(there)} in the model; {heads} heads in the file, {those} in the model."
    rows = {part: [shape[0] // (3 if part in PARTS[1:3] else 1) for shape in pair] for part, pair in found.items()}
    wide = size.get("size") or (0 if math.gcd(*(one for pair in rows.values() for one in pair)) % USUAL else USUAL)
    if rows and wide and "size" not in size:
        yield f"If a head is {wide} wide:"
    for part, (here, there) in rows.items():
        if wide and here % wide == there % wide == 0:
            heads, half = counted(here // wide, "head"), ", half as many" * (here == 2 * there)
            yield f"{part} is {heads} in the file ({here:,} numbers), {there // wide} in the model ({there:,}){half}."
        else:
            yield f"{part} has {here:,} numbers in the file, {there:,} in the model."
    if "q_proj" in rows and "v_proj" not in rows and "size" not in size:
        yield "If v_proj fits, the heads are as many, and queries and keys have another size."


def _window(rows: int) -> str:
    """Returns a clause with the window size of a table of relative positions with `rows` rows. Windows of w × w need (2w − 1)²
    rows, and three more in BEiT. Windows of w positions need 2w − 1. If no size fits, the clause has only the rows."""
    for more in (0, 3):
        side = math.isqrt(max(0, rows - more))
        if side * side == rows - more and side % 2:
            w = side // 2 + 1
            return f"{rows:,} = (2 · {w} − 1)²{' + 3' * (more > 0)} rows, windows of {w} × {w},"
    one_way = f" = 2 · {rows // 2 + 1} − 1 rows, {rows // 2 + 1} positions in one direction,"
    return f"{rows:,}{one_way if rows % 2 else ' rows'}"


def multiplied(text: str, size: Sizes) -> Said:
    """Explains that the first of two multiplied matrices must have as many columns as the second has rows."""
    said = re.search(r"multipl|\bm1\b|size-incompatible", text)
    pair = re.sub(r"(\dx\d+) and (\d)", r"\1) (\2", text[said.start() :]) if said else ""
    shapes = [shape for shape in shapes_of(pair) if len(shape) > 1][:2]
    if len(shapes) == 2 and (left := shapes[0][-1]) != (right := shapes[1][-2]):
        yield f"The first has {left:,} columns and the second {right:,} rows; they must be as many."
        if (h := size.get("heads")) and left % h == right % h == 0:
            yield f"In {counted(h, 'head')}: {left // h:,} numbers each, and {right // h:,}. W_O has h · d_v rows."


PAIR = re.compile(
    r"size of tensor a \((\d{1,9})\)[^\d\n]{1,60}?\((\d{1,9})\)|has size (\d{1,9}) [^\n]{1,80}seen size (\d{1,9})"
    r"|with (\d{1,12}) values, but the requested shape has (\d{1,12})"
    r"|(?:equal|expect|\bto be\b)[^\d\n]{0,60}(\d{1,9})\b[^\d\n]{0,20}(?:\b(?:got|and|found)\b|,)[^\d\n]{0,20}(\d{1,9})\b"
)


def equal(text: str, size: Sizes) -> Said:
    """Explains that two numbers, or the lengths of two shapes, must be equal. Shapes are compared from the last axis on."""
    shapes = [shape for shape in shapes_of(text) if len(shape) > 1][:2]
    if len(shapes) == 2 and re.search(r"should be|incompatible|not compatible|must be equal|but got", text, re.IGNORECASE):
        first, other = shapes
        pairs = {(a, b) for a, b in zip(reversed(first), reversed(other), strict=False) if a != b and 1 not in (a, b)}
        for a, b in sorted(pairs):
            yield f"{a:,} and {b:,} stand in the same place of {first} and {other}, and must be equal."
        if "3D attn_mask" in text and pairs and other[0] % first[0] == 0:
            parts = f"{first[0]} · {other[0] // first[0]} = {other[0]}"
            yield f"A mask of three axes has a part for each head of each sequence: {parts}."
    elif said := PAIR.search(text):
        a, b = (int(one) for one in said.groups() if one)
        if a != b:
            yield f"{a:,} and {b:,} must be equal."


#: Rules: a relation, a GitHub thread about such an error, and a function that yields sentences and a layer that would fit.
RULES: tuple[tuple[str, str, Callable[[str, Sizes], Said]], ...] = (
    ("One number must divide the other", "vllm-project/vllm#4232", divides),
    ("The size of a head must be one of a list", "vllm-project/vllm#336", allowed),
    ("A shape must multiply to as many numbers as there are", "intel/neural-compressor#525", product),
    ("A weight must have the same shape in file and model", "opendatalab/PDF-Extract-Kit#117", checkpoint),
    ("The first matrix must have a column for each row of the second", "wouterkool/attention-learn-to-route#23", multiplied),
    ("Two lengths must be equal", "fxmeng/TransMLA#20", equal),
)


def read_error(text: str) -> list[Finding]:
    """Returns a list with the finding of the first rule that explains the message. The list is empty if no rule does."""
    text, _, _ = text.partition("Arguments received by")  # Keras adds them to the message
    size = sizes_of(text)
    for relation, thread, read in RULES:
        if said := list(read(text, size)):
            layer = next((one for one in said if isinstance(one, Attention)), None)
            return [Finding(relation, " ".join(one for one in said if isinstance(one, str)), layer, slip=True, thread=thread)]
    return []
