"""Pictures for the walk only, such as X with its weight matrices, the attention of one query, and the heads' contributions."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from headcount import Config, Trace
from headcount.models.model import Model
from headcount.names import heads_in_words, listed
from headcount.stage.pictures import one_query
from headcount.stage.pictures.concatenation import described, grids_of, inputs_top, outputs_top
from headcount.stage.pieces import grid_of, heads_above, lying, matrix, product, upright
from headcount.stage.scene import Block, Grid, Length, LitPart, Panel, Scene, Text, pool_for, top_of, tops_of
from headcount.variations import contributions
from lessons.walk import FOLLOWED

#: The width in pixels of a token beside its row.
BESIDE = 58


def rows_of_numbers(trace: Trace, tokens: Sequence[str]) -> Scene:
    """The scene of X with its token beside each row."""
    cfg = trace.cfg
    grids = {"x": Grid(trace.x_query.values[0], "input")}
    at = Length(0, BESIDE), Length(0, 26)
    block = matrix("x", "x", *at, cfg.query_len, cfg.d_model, name="x_query", row_labels=tuple(tokens))
    title = Text(f"X   {cfg.query_len} × {cfg.d_model}", Length(cfg.d_model / 2, BESIDE), Length(0, 14), 14, "strong")
    panel = Panel("x", Length(cfg.d_model, BESIDE), Length(cfg.query_len, 30), (block,), (title,))
    alt = f"X has a row of {cfg.d_model} numbers for each of {cfg.query_len} words: {', '.join(tokens)}."
    return Scene(((panel,),), grids, alt, {"input": top_of(grids["x"].values)}, max_cell=60, min_cell=12)


def only(tokens: Sequence[str], row: int) -> tuple[str, ...]:
    """The tokens, with "" for every token except that of `row`. If rows are thin, the words of all rows would overlap."""
    return tuple(token if place == row else "" for place, token in enumerate(tokens))


def three_tables(trace: Trace, tokens: Sequence[str], row: int = FOLLOWED) -> Scene:
    """The scene of X and its products Q, K and V, with one head and biases. `row`: the one row (from 0) that has its token."""
    cfg = trace.cfg
    tables = (("w_q", "q", "Q", "queries"), ("w_k", "k", "K", "keys"), ("w_v", "v", "V", "values"))
    grids = {"x": Grid(trace.x_query.values[0], "input")}
    top, added = Length(0, 26), Length(cfg.d_model, 26 + 8)
    low = added + Length(1, 14)
    left, foot = Length(0, BESIDE), low + Length(cfg.query_len, 18)
    # X is in the first panel, because the other two may be on a line of their own in a narrow window.
    blocks = [matrix("x", "x", left, low, cfg.query_len, cfg.d_model, name="x_query", row_labels=only(tokens, row))]
    texts = [Text(f"X   {cfg.query_len} × {cfg.d_model}", left + Length(cfg.d_model / 2), foot, 14, "strong")] + [
        Text(f"X · W_{{{symbol}}} + bias = {symbol}", left + Length(cfg.d_model / 2), Length(cfg.d_model / 2, 8 + 26 * place), 16)
        for place, (*_, symbol, _) in enumerate(tables)
    ]
    panels, right = [], left + Length(cfg.d_model, 28)
    for kernel, result, symbol, words in tables:
        size = trace[kernel].shape[-1]
        grids[kernel] = Grid(trace[kernel].values.reshape(cfg.d_model, size), "weight")
        grids[result] = Grid(trace[result].values[0, :, 0], "signed")
        bias = kernel.replace("w", "b")
        grids[bias] = grid_of(trace[bias].values.reshape(-1), "weight")
        blocks += [
            matrix(kernel, kernel, right, top, cfg.d_model, size, name=kernel),
            Block(bias, bias, right, added, 1, size, name=bias),
            matrix(result, result, right, low, cfg.query_len, size, name=result, sources=product("x", kernel, bias)),
        ]
        texts += [
            Text(f"W_{{{symbol}}}   {cfg.d_model} × {size}", right + Length(size / 2), Length(0, 14), 14, "strong"),
            Text(f"{symbol}: {words}", right + Length(size / 2), foot, 14, "strong"),
        ]
        panels.append(Panel(result, right + Length(size), foot + Length(0, 6), tuple(blocks), tuple(texts), zone="tables"))
        blocks, texts, right = [], [], Length()
    alt = (
        f"X has {cfg.query_len} rows of {cfg.d_model} numbers and is multiplied by three weight matrices of {cfg.d_model} "
        "columns. W_Q gives a query, W_K a key and W_V a value for each row; a bias is added to each."
    )
    tops = tops_of(grids) | {"input": top_of(grids["x"].values)}  # X as at the step before
    return Scene((tuple(panels),), grids, alt, tops, max_cell=60, min_cell=8)


def sum_of_heads(trace: Trace, tokens: Sequence[str], row: int = FOLLOWED) -> Scene:
    """The scene of the head outputs side by side, each head's contribution, and their sum, in a layer with biases."""
    cfg, grids = trace.cfg, grids_of(trace, 1)
    high, size = cfg.num_heads * cfg.value_dim, cfg.value_dim
    top, middle = Length(0, 30), Length((high - cfg.query_len) / 2, 46)
    left, right = Length(0, BESIDE), Length(high, BESIDE + 44)
    of_heads: dict[str, Any] = {"heads": cfg.num_heads, "size": size}
    results = upright("context", "concat", left, middle, rows=cfg.query_len, words=only(tokens, row), **of_heads)
    blocks = (*results, *lying("w_o", "w_o", right, top, columns=cfg.d_model, **of_heads))
    edge, above = right + Length(cfg.d_model), middle + Length(0, -12)
    texts = (
        Text(f"{cfg.num_heads} results side by side", left + Length(high / 2), above + Length(0, -20), 14, "strong"),
        Text("·", left + Length(high, 19), middle + Length(cfg.query_len / 2, 6), 20, "strong"),
        Text("W_{O}", right + Length(cfg.d_model / 2), Length(0, 14), 14, "strong"),
        *heads_above(left, above, cfg.num_heads, size, 1),
        *(
            Text(f"head {head + 1}", edge + Length(0, 8), top + Length(size * (head + 0.5), 5), 14, "strong", "start", head)
            for head in range(cfg.num_heads)
        ),
    )
    panel = Panel("mixed", edge + Length(0, BESIDE), top + Length(high, 8), blocks, texts, zone="heads")
    shares = _shares(trace, grids)
    tops = tops_of(grids) | {"signed": max(inputs_top(trace), outputs_top(trace))}
    alt = f"{described(cfg)} Beside it, the output is drawn as a sum: one part from each of {cfg.num_heads} heads, and b_O."
    rows = tuple(shares[first : first + 3] for first in range(0, len(shares), 3))
    return Scene(rows, grids, alt, tops, max_cell=60, min_cell=8, narrow=((panel,), *rows), beside=panel)


def _shares(trace: Trace, grids: dict[str, Grid]) -> tuple[Panel, ...]:
    """Panels of each head's contribution to the output, of the bias, and of the sum. Adds the contributions to `grids`."""
    long, out = trace.cfg.query_len, trace.cfg.d_model
    whole = partial(matrix, x=Length(), y=Length(0, 28), rows=long, columns=out)

    def panel(words: str, block: Block) -> Panel:
        text = Text(words, Length(out / 2), block.y + Length(0, -13), hue=block.hue)
        return Panel(block.id, Length(out, 2), Length(long, 34), (block,), (text,), zone="heads")

    panels, terms = [], []
    for head, share in enumerate(contributions(trace)):
        grids[f"share/{head}"] = Grid(share, "signed")
        name, factors = f"share-{head}", product(f"context-{head}", f"w_o-{head}")
        block = whole(name, f"share/{head}", name="share", head=head, hue=head, sources=factors, strip="top")
        panels.append(panel(f"{'+ ' if head else ''}head {head + 1}", block))
        terms.append(LitPart(name, "cell"))
    bias = Block("b_o-term", "b_o", Length(), Length((long - 1) / 2, 28), 1, out, height=1.0, name="b_o", copy=1)
    total = whole("output-sum", "output", name="output", copy=1, sources=(*terms, LitPart("b_o-term", "col", "c")))
    return (*panels, panel("+ bias", bias), panel("= output", total))


def one_row(trace: Trace, tokens: Sequence[str], row: int = FOLLOWED) -> Scene:
    """The scene of one query of the first head: the keys, the attention weights beside the values, and the mix."""
    return one_query.draw(trace.cfg, trace, 0, row, "sqrt_d_k", tuple(tokens), values=True)


def one_x(trace: Trace, tokens: Sequence[str]) -> Scene:
    """The scene of one X in a layer with biases. An arrow leads to each head's slice of W_Q, slice of the bias, and queries."""
    cfg = trace.cfg
    length, width, size = cfg.query_len, cfg.d_model, cfg.key_dim
    grids = {
        "x": Grid(trace.x_query.values[0], "input"),
        "w_q": Grid(trace["w_q"].values.reshape(width, -1), "weight"),
        "b_q": grid_of(trace["b_q"].values.reshape(-1), "weight"),
        "q": Grid(trace.q.values[0].reshape(length, -1), "signed"),
    }
    alt = (
        f"An arrow leads from one X, {length} × {width}, to each of {heads_in_words(cfg.num_heads)}: every head reads all of X. "
        f"Each head’s {width} × {size} slice of W_Q and its slice of the bias give its own {length} × {size} queries."
    )
    wide, narrow = _copied(cfg, tokens), _copied(cfg, only(tokens, FOLLOWED), 2)
    tops = tops_of(grids) | {"input": top_of(grids["x"].values)}
    return Scene(((wide,),), grids, alt, tops, max_cell=60, min_cell=9, narrow=((narrow,),))


def _copied(cfg: Config, tokens: Sequence[str], line: int = 0) -> Panel:
    """A panel of X with the heads to its right. `line`: the number of heads in a row below X, or 0 for heads to the right."""
    length, width, size = cfg.query_len, cfg.d_model, cfg.key_dim
    apart, rise, pitch = 1.8, 4 if line else 1.6, width + 9
    step = 2 * size + 2 * apart  # from a head's piece to the next one's
    centre = line * step / 2 - apart / 2 if line else width / 2  # of X, from which its arrows go
    left, head_room = Length(0, BESIDE), Length(0, 26)
    x = left + Length(centre - width / 2)
    x_top = head_room + Length(0 if line else 2 * rise)
    title = x_top + (Length(0, -12) if line else Length(length, 18))
    texts = [Text(f"X   {length} × {width}", left + Length(centre), title, 14, "strong")]
    blocks = [matrix("x", "x", x, x_top, length, width, name="x_query", row_labels=tuple(tokens))]

    def rule(at: Length, down: Length, across: float = 0.0, along: float = 0.0) -> None:
        edges = "o---" if across else "---o"
        blocks.append(Block(f"rule-{len(blocks)}", None, at, down, 1, 1, width=across, height=along, edges=edges))

    per_line, edge, low = line or cfg.num_heads, left, x_top
    for head in range(cfg.num_heads):
        place, under = head % per_line, head // per_line * pitch + (length + rise if line else 0)
        right, bus = left + Length(place * step + (0 if line else width + apart)), head_room + Length(under)
        top = bus + Length(rise)
        middle, foot, beside = top + Length((width - length) / 2), top + Length(width + 0.6), right + Length(size + apart)
        own: dict[str, Any] = {"col": head * size, "head": head, "hue": head}
        sources = product("x", f"w_q-{head}", f"b_q-{head}")
        if place == per_line - 1:
            first = size / 2 if line else centre
            rule(left + Length(first), bus, across=(right + Length(size / 2)).cells - first)
            up = bus.cells - length if line else 0.0
            rule(left + Length(centre), x_top + Length(length) if line else bus, along=up if line else 2 * rise)
        rule(right + Length(size / 2), bus, along=rise)
        blocks += [
            matrix(f"w_q-{head}", "w_q", right, top, width, size, name="w_q", strip="top", **own),
            Block(f"b_q-{head}", "b_q", right, foot, 1, size, name="b_q", **own),
            matrix(f"q-{head}", "q", beside, middle, length, size, name="q", strip="top", sources=sources, **own),
        ]
        texts += [
            Text(f"head {head + 1}", right + Length(size / 2), bus + Length(0, -12), 14, "strong", hue=head),
            Text("▾", right + Length(size / 2), top + Length(0, -4), 16, "strong"),
            Text("+", right + Length(-apart / 2), foot + Length(0.5, 5), 14),
            Text("=", right + Length(size + apart / 2), top + Length(width / 2, 5), 16),
            Text(f"Q_{{{head + 1}}}", beside + Length(size / 2), middle + Length(length, 18), 14),
        ]
        edge, low = beside + Length(size), foot + Length(1, 8)
    return Panel("copied", edge, low, tuple(blocks), tuple(texts), zone="heads")


def cuts_of_model(model: Model, counts: Sequence[int]) -> Scene:
    """The scene of a published model's W_Q, cut for each head count. The whole model's parameter count is below each W_Q."""
    width = model.attention.d_model
    pool = pool_for(width)
    side = Length(width / pool)
    panels = []
    for heads in counts:
        size = model.with_heads(heads).attention.d_k
        blocks = upright(f"w_q-{heads}", None, Length(), Length(0, 34), heads=heads, rows=width, size=size, pool=pool)
        texts = (
            Text(heads_in_words(heads), side.half, Length(0, 14), 16, "strong"),
            Text(f"W_{{Q}}   {width} × {width}", side.half, side + Length(0, 54), 13),
            Text(f"{model.with_heads(heads).total:,}", side.half, side + Length(0, 78), 16, "strong"),
            Text("parameters in all", side.half, side + Length(0, 96), 13),
        )
        panels.append(Panel(f"cut-{heads}", side, side + Length(0, 102), tuple(blocks), texts))
    totals = listed([f"{total:,}" for total in dict.fromkeys(model.with_heads(heads).total for heads in counts)])
    cuts = listed([*map(str, counts)])
    alt = f"W_Q, {width} × {width}, is cut into {cuts} heads. The whole model has {totals} parameters each time."
    return Scene((tuple(panels),), {}, alt, max_cell=8, min_cell=2)


def side_by_side(counts: Scene, looks: Scene, said: Sequence[str]) -> Scene:
    """The scene of parameter counts (`counts`) beside each layer's attention (`looks`). `said`: a text for each layer."""
    down, texts, curves = Length(), [], []
    for (panel,), words in zip(looks.narrow[::2], said, strict=True):
        own = (*panel.texts, Text(words, panel.width, panel.texts[0].y, 15, "strong", "end"))
        texts += [replace(text, y=text.y + down) for text in own]
        curves += [replace(one, points=tuple((x, y + down) for x, y in one.points)) for one in panel.curves]
        down += panel.height + Length(0, 16)
    beside = replace(looks.narrow[0][0], id="looks", height=down, texts=tuple(texts), curves=tuple(curves))
    return replace(counts, beside=beside, narrow=((beside,), *counts.narrow), alt=f"{looks.alt} {counts.alt}")
