"""Diagram of shared keys and values. Lines connect query heads with the key/value heads, or the latent vectors, that they use."""

from collections.abc import Iterator
from statistics import mean

from headcount.models.attention import Attention, Latent
from headcount.models.conventions import SHARING, sharing
from headcount.names import counted, heads_in_words
from headcount.stage.diagram import Arrow, Box, Diagram, Shape, word
from headcount.stage.layout import Rect
from headcount.stage.numbers import Table
from headcount.stage.scene import Text
from headcount.stage.text import wrap

#: MAX_DRAWN: most heads that are drawn. MAX_BONDS: about how many heads are joined by a line to a latent vector.
MAX_DRAWN, MAX_BONDS = 128, 16
#: Pixels: the diagram's width; from its top to the query heads and to the key/value heads; a line's height and font size.
WIDE, HEADS, SHARED, LINE, TYPE = 360, 34, 132, 17, 14


def sentence(attention: Attention) -> str:
    """Returns a sentence on the kind of attention and what its heads share. Latent attention needs several sentences."""
    kind, heads, kv = sharing(attention), heads_in_words(attention.heads), attention.kv_heads
    if latent := attention.latent:
        queries = f" Queries are unpacked from another summary, of {latent.q_rank:,} numbers." if latent.q_rank else ""
        text = (
            f"{heads} share one summary (latent) of {counted(latent.kv_rank, 'number')} for each token. Each head unpacks its "
            f"own keys and values from the summary. All heads share one rotary key of {latent.rope} numbers.{queries}"
        )
    else:
        each = ", each" if attention.heads > 1 else ""
        text = {
            "MHA": f"{heads}{each} with keys and values of its own.",
            "GQA": f"{heads} share {counted(kv, 'key/value head')}; {heads_in_words(attention.heads // kv)} share each of them.",
            "MQA": f"{heads} share one key/value head.",
        }[kind]
    return f"{SHARING[kind].capitalize()} attention: {text}"


def draw(attention: Attention) -> Diagram:
    """Draws up to MAX_DRAWN query heads as squares. Below are key/value heads as circles or, in latent attention, bars."""
    drawn, latent, group = min(attention.heads, MAX_DRAWN), attention.latent, attention.heads // attention.kv_heads
    size = min(20, 0.8 * WIDE / drawn)
    places = [(i + 0.5) * WIDE / drawn for i in range(drawn)]
    heads = [_head(x, HEADS, size, None if latent else i // group, f"head {i + 1}") for i, x in enumerate(places)]
    more = f", the first {drawn} drawn" if drawn < attention.heads else ""
    above = word(f"{counted(attention.heads, 'query head')} of {attention.d_k:,}{more}", WIDE / 2, TYPE, TYPE)
    below = [*(_latents(latent, places) if latent else _shared(attention.kv_heads, group, places, size))]
    alt = sentence(attention) + (f" The first {MAX_DRAWN} are drawn." if drawn < attention.heads else "")
    high = max(shape.y.px for shape in below if isinstance(shape, Text)) + 6
    return Diagram(WIDE, high, (above, *below, *heads), alt, (table(attention),))


def table(attention: Attention) -> Table:
    """Returns a table of query heads and their key/value heads. For latent attention, it has the sizes of what heads share."""
    if latent := attention.latent:
        return Table(f"What {heads_in_words(attention.heads)} share", ("shared", "numbers a token"), _sizes(latent))
    rows = tuple((i + 1, i * attention.kv_heads // attention.heads + 1) for i in range(attention.heads))
    return Table("Who shares keys and values", ("query head", "key/value head"), rows)


def _head(x: float, y: float, size: float, hue: int | None, title: str, radius: float = 0) -> Box:
    return Box(Rect(x - size / 2, y - size / 2, size, size), "panel" if hue is None else "hue", hue, radius, title)


def _bond(below: float, above: float) -> Arrow:
    return Arrow(((below, SHARED), (above, HEADS)), plain=True, thin=True)


def _shared(kv_heads: int, group: int, places: list[float], size: float) -> Iterator[Shape]:
    """Draws key/value heads below their query heads, with a line to each query head. `group`: query heads per key/value head."""
    members = [places[i : i + group] for i in range(0, len(places), group)]
    middles = [mean(readers) for readers in members]
    yield from (_bond(middle, place) for middle, readers in zip(middles, members, strict=True) for place in readers)
    yield from (_head(x, SHARED, size, i, f"key/value head {i + 1}", size / 2) for i, x in enumerate(middles))
    yield word(counted(kv_heads, "key/value head"), WIDE / 2, SHARED + 20 + LINE / 2, TYPE)


def _latents(latent: Latent, places: list[float]) -> Iterator[Shape]:
    sizes = _sizes(latent)
    slot, longest = WIDE / len(sizes), max(size for _, size in sizes)
    for number, (name, size) in enumerate(sizes):
        middle, wide = (number + 0.5) * slot, 0.84 * slot * size / longest
        yield Box(Rect(middle - wide / 2, SHARED - 6, wide, 12), radius=0)
        yield from (_bond(middle, place) for place in places[:: max(1, len(places) // MAX_BONDS)])
        said = [*wrap(name, slot, TYPE), counted(size, "number")]
        yield from (word(text, middle, SHARED + 10 + LINE * line, TYPE) for line, text in enumerate(said, 1))


def _sizes(latent: Latent) -> tuple[tuple[str, int], ...]:
    queries = (("summary for queries", latent.q_rank),) if latent.q_rank else ()
    return *queries, ("summary for keys and values", latent.kv_rank), ("rotary key", latent.rope)
