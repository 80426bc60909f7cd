"""Scene of one query and the keys. Each drawn key has a row with its numbers, its score after each step, and its weight."""

from itertools import chain
from typing import Any

import numpy as np

from headcount import Config, Trace
from headcount.names import as_share, at_position, counted, decimals, listed
from headcount.stage.pictures.attention import SHARES, seen, shown_of
from headcount.stage.pieces import matrix, token_room
from headcount.stage.scene import Block, Grid, Length, LitPart, Panel, Scene, Text, for_numbers_alone, top_of
from headcount.switches import NONE, Switches
from headcount.variations import with_divisor, with_switches

#: MAX_KEYS: most keys that are all drawn. If there are more, only the LARGEST keys by weight are drawn.
MAX_KEYS, LARGEST = 64, 10
#: Widths in cells: all columns together, a key's number, a score, a weight with its bar, and the least width of a key.
ALL, NUMBER, SCORE, WEIGHT, LEAST = 13.4, 1.4, 1.9, 4.0, 1.6
#: Headings of the columns.
ABOVE = {
    "scores": "{product}", "scaled": "÷ {root}", "capped": "cap {cap:g}", "biased": "ALiBi", "masked": "mask",
    "weights": "softmax", "dropped": "dropout",
}  # fmt: skip
#: Labels of query, key, score, value and head output as formulas, and the same in words, for the guided walk.
SIGNS, IN_WORDS = ("q", "k", "q · k", "v", "Z"), ("query", "keys", "score", "values", "mix")
#: Least attention weight of the second and third key that the alternative text names.
SEEN = 0.01
#: Steps of a query or key before the product, in words.
BEFORE = {"normed": "norm of ", "rotated": "rotated "}


def draw(
    cfg: Config, trace: Trace, head: int, query: int, divisor: str, tokens: tuple[str, ...] = (), switches: Switches = NONE,
    values: bool = False,
) -> Scene:  # fmt: skip
    """Draws how one query of one head attends to the keys. `head` and `query` count from 0, and too large a number means the last
    one. `divisor` is a name in headcount.variations.DIVISORS. `tokens` are the words at the positions, and `switches` are options
    of published models. `values` also draws V beside the weights, with the head output Z below V."""
    trace = with_divisor(with_switches(trace, switches), divisor)
    cfg, head, query = trace.cfg, min(head, cfg.num_heads - 1), min(query, cfg.query_len - 1)
    scores, *pairs = shown_of(cfg)
    arrays = {name: (seen(trace, name) if name in ("masked", *SHARES) else trace[name].values[0])[head, query] for name in scores}
    last = scores[-1]
    weights = trace[last].values[0, head, query]
    whole = cfg.key_len <= MAX_KEYS or for_numbers_alone()
    keys = np.arange(cfg.key_len) if whole else np.sort(np.argsort(-weights, kind="stable")[:LARGEST])
    words = tuple(tokens[key] if key < len(tokens) else str(key + 1) for key in keys)
    grids = {name: Grid(trace[name].values[0, query : query + 1, head], "signed") for name in pairs[0]}
    grids |= {name: Grid(trace[name].values[0, keys, head], "signed") for name in pairs[1]}
    grids |= {name: Grid(array[keys, None], "share" if name in SHARES else "score") for name, array in arrays.items()}
    grids |= {"context": Grid(trace.context.values[0, query : query + 1, head], "signed")}
    grids |= {"v": Grid(trace.v.values[0, keys, head], "signed")} if values else {}
    of_head = [trace[name].values[0, :, head] for name in (*chain(*pairs), "v", "context")]
    tops = {"signed": top_of(*of_head), "score": top_of(*(arrays[name] for name in scores if name not in SHARES)), "share": 1.0}

    signs = IN_WORDS if values else SIGNS
    left, low = Length(0, token_room(words) + 14), Length(1, 26)
    under = low + Length(len(keys))
    room = max((ALL - WEIGHT - SCORE * (len(scores) - 1)) / len(pairs[1]), LEAST)
    weight = max(WEIGHT, ALL - SCORE * (len(scores) - 1) - min(NUMBER * cfg.key_dim, room) * len(pairs[1]))
    blocks: list[Block] = []
    texts = [Text(signs[0], left + Length(0, -8), Length(0.5, 5), 14, "strong", "end")]

    def put(name: str, at: Length, y: Length, rows: int, columns: int, wide: float, **more: Any) -> None:
        own = {"name": name, "head": head, **more} if whole or rows == 1 else more
        blocks.append(matrix(name, name, at, y, rows, columns, width=wide, height=rows, **own))

    def heading(words: str, at: Length) -> None:
        texts.append(Text(words, at, low + Length(0, -8), 13, "muted"))

    for q, k in zip(*pairs, strict=True):
        wide, first = min(NUMBER * cfg.key_dim, room), not blocks
        put(q, left, Length(), 1, cfg.key_dim, wide, first=query)
        put(k, left, low, len(keys), cfg.key_dim, wide, row_labels=words if first else ())
        of = " of each word" if tokens and not values and len(pairs[1]) == 1 and wide > 3 else ""
        heading(f"{BEFORE.get(k.partition('_')[2], '')}{signs[1]}{of}", left + Length(wide / 2))
        left = left + Length(wide, 8)
    texts += [] if values else [Text("the query q meets each key k", left, Length(0.5, 5), 13, "muted", "start")]
    root = {"sqrt_d_k": f"√{cfg.key_dim}", "none": "1", "sqrt_d_model": f"√{cfg.d_model}"}[divisor]
    before, sources = "", (LitPart(pairs[0][-1], "row", "c"), LitPart(pairs[1][-1], "row", "r"))
    for name in scores:
        wide, look = (weight, "bar") if name == last else (SCORE, "plain")
        if name == "weights":
            sources = (LitPart(before, "col", "c"),)
        put(name, left, low, len(keys), 1, wide, first=query, turned=True, look=look, edges="----", sources=sources)
        heading(
            ABOVE[name].format(cap=cfg.soft_cap, root=root, product=signs[2]) + ": weight" * (name == last and not values),
            left + Length(wide / 2),
        )
        left, sources = left + Length(wide, 4), (LitPart(name, "cell"),)
        before = name
    end = left + Length(0, -4)
    if values:
        left = left + Length(0, 6)
        put("v", left, low, len(keys), cfg.value_dim, min(NUMBER * cfg.value_dim, room), row_labels=())
        heading(signs[3], left + Length(blocks[-1].w / 2))
    total = float(weights.sum())
    rest = [] if whole else [(f"{counted(cfg.key_len - len(keys), 'more key')}", total - float(weights[keys].sum()))]
    whole_of = "softmax: exponentials ÷ their sum, adding up to" if total and last == "weights" else "sum"
    whole_of = f"sum with the sink’s {decimals(1 - total, 3)}" if cfg.sinks else whole_of
    for said, number in (*rest, (whole_of, total)) if not values else ():
        under = under + Length(0, 18)
        texts += [Text(said, end + Length(0, -50), under, 13, "muted", "end"),
                  Text(decimals(round(number, 6), 3), end, under, 14, "strong", "end")]  # fmt: skip
    under = under + Length(0, 10)
    z = blocks[-1].x if values else blocks[0].x
    made = (LitPart(last, "col", "r"), LitPart("v", "col", "c")) if values else ()
    put("context", z, under, 1, cfg.value_dim, min(NUMBER * cfg.value_dim, room), first=query, sources=made)
    most = int(weights.argmax())
    of = f"value v of {at_position(tokens, most)}"
    share, more = as_share(float(weights[most])), " + …" if cfg.key_len > 1 else ""
    nowhere = not np.isfinite(trace.masked.values[0, head, query]).any()
    mix = f"= {share} · {of}{more}" if total else "= 0: it may look nowhere" if nowhere else "= 0: dropout left no weight"
    level = under + Length(0.5, 5)
    texts += [Text(signs[4], z + Length(0, -8), level, 14, "strong", "end")]
    texts += [] if values else [Text(mix, z + Length(blocks[-1].w, 10), level, 14, anchor="start")]
    width = left + Length(blocks[-1].w) if values else end
    panel = Panel("row", width, under + Length(1, 4), tuple(blocks), tuple(texts))
    largest = [key for key in np.argsort(-weights, kind="stable")[:3] if weights[key] >= SEEN or key == most]
    looks = listed([f"{at_position(tokens, key)} ({as_share(float(weights[key]))})" for key in largest])
    looks = f"looks most at {looks}" if total else "looks at nothing"
    which = counted(cfg.key_len, "key") if whole else f"the {len(keys)} keys with the largest weights"
    output = f"The head output Z is {share} times the {of}."
    if not total:
        why = "the query may look nowhere" if nowhere else "dropout left no weight"
        output = f"The head output Z is 0, because {why}."
    elif cfg.key_len > 1:
        output = f"The head output Z is {share} times the {of}, plus the other values times their weights."
    alt = (
        f"In head {head + 1}, {at_position(tokens, query)} {looks}. For {which}, the picture shows the score "
        "(query times key) and the steps from score to weight. The weights sum to "
        f"{decimals(round(total, 6), 3)}. {output}"
    )
    return Scene(((panel,),), grids, alt, tops, max_cell=35, min_cell=8, named={"signed": ""})
