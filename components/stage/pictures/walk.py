"""Pictures that only the walk has: X as rows of numbers, its three tables, one row from scores to the mix, the heads' shares as a
sum, a published model's cuts."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from components.stage.pictures.concatenation import joined
from components.stage.pieces import bias_grid, lying, matrix, upright
from components.stage.scene import Block, Grid, Length, Panel, Scene, Source, Text, pool_for, top_of, tops_of
from mha import Trace
from mha.models.model import Model
from mha.names import heads_in_words

#: Pixels that a token takes beside its row, and above its column.
BESIDE, ABOVE = 44, 40


def rows_of_numbers(trace: Trace, tokens: Sequence[str]) -> Scene:
    """X with its token beside each row. `trace`: of a layer of as many positions as there are tokens."""
    cfg = trace.cfg
    grids = {"x": Grid(trace.x_query.values[0], "input")}
    at = Length(0, BESIDE), Length(0, 26)
    block = matrix("x", "x", *at, cfg.query_len, cfg.d_model, name="x_query", row_labels=tuple(tokens))
    title = Text(f"X   {cfg.query_len} × {cfg.d_model}", Length(cfg.d_model / 2, BESIDE), Length(0, 14), 14, "strong")
    panel = Panel("x", Length(cfg.d_model, BESIDE), Length(cfg.query_len, 30), (block,), (title,))
    alt = f"X: {cfg.query_len} rows, {', '.join(tokens)}, of {cfg.d_model} numbers each."
    return Scene(((panel,),), grids, alt, {"input": top_of(grids["x"].values)}, max_cell=60, min_cell=12)


def only(tokens: Sequence[str], row: int) -> tuple[str, ...]:
    """The word of this row alone: where rows are thinner than a line, all words would lie on each other."""
    return tuple(token if place == row else "" for place, token in enumerate(tokens))


def three_tables(trace: Trace, row: int, tokens: Sequence[str]) -> Scene:
    """X with the token of the row that is followed (0-based), W_Q, W_K and W_V above at its right, below each its bias, and Q, K
    and V where X's rows meet the tables' columns. `trace`: of one head with biases."""
    cfg = trace.cfg
    tables = (("w_q", "q", "Q", "queries"), ("w_k", "k", "K", "keys"), ("w_v", "v", "V", "values"))
    grids = {"x": Grid(trace.x_query.values[0], "input")}
    top, added = Length(0, 26), Length(cfg.d_model, 26 + 8)
    low = added + Length(1, 14)
    left, foot = Length(0, BESIDE), low + Length(cfg.query_len, 18)
    # X stands in the first panel: the other two may break into a line of their own where the window is narrow.
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
        grids[bias] = bias_grid(trace[bias].values, 1)
        blocks += [
            matrix(kernel, kernel, right, top, cfg.d_model, size, name=kernel),
            Block(bias, bias, right, added, 1, size, name=bias),
            matrix(
                result, result, right, low, cfg.query_len, size, name=result,
                sources=(Source("x", "row", "r"), Source(kernel, "col", "c"), Source(bias, "col", "c")),
            ),
        ]  # fmt: skip
        texts += [
            Text(f"W_{{{symbol}}}   {cfg.d_model} × {size}", right + Length(size / 2), Length(0, 14), 14, "strong"),
            Text(f"{symbol}: {words}", right + Length(size / 2), foot, 14, "strong"),
        ]
        panels.append(Panel(result, right + Length(size), foot + Length(0, 6), tuple(blocks), tuple(texts), zone="tables"))
        blocks, texts, right = [], [], Length()
    alt = (
        f"X, {cfg.query_len} rows of {cfg.d_model} numbers, times three tables of {cfg.d_model} columns: W_Q gives a query, "
        "W_K a key and W_V a value for each row; to each its bias is added."
    )
    tops = tops_of(grids) | {"input": top_of(grids["x"].values)}  # X as at the step before
    return Scene((tuple(panels),), grids, alt, tops, max_cell=60, min_cell=8)


def sum_of_heads(trace: Trace, row: int, tokens: Sequence[str]) -> Scene:
    """The heads' results side by side, times W_O, head by head, with the token of the row that is followed (0-based); below it
    each head's share of the output, and their sum."""
    cfg, scene = trace.cfg, joined(trace.cfg, trace)
    high, size = cfg.num_heads * cfg.value_dim, cfg.value_dim
    top, middle = Length(0, 30), Length((high - cfg.query_len) / 2, 30)
    left, right = Length(0, BESIDE), Length(high, BESIDE + 44)
    results = upright(
        "context", "concat", left, middle, heads=cfg.num_heads, rows=cfg.query_len, size=size, words=only(tokens, row)
    )
    blocks = (*results, *lying("w_o", "w_o", right, top, heads=cfg.num_heads, size=size, columns=cfg.d_model))
    texts = (
        Text(f"{cfg.num_heads} results side by side", left + Length(high / 2), middle + Length(0, -14), 14, "strong"),
        Text("·", left + Length(high, 19), middle + Length(cfg.query_len / 2, 6), 20, "strong"),
        Text("W_{O}", right + Length(cfg.d_model / 2), Length(0, 14), 14, "strong"),
    )
    panel = Panel("mixed", right + Length(cfg.d_model), top + Length(high, 8), blocks, texts, zone="heads")
    shares = tuple(replace(one, texts=tuple(replace(text, text=by_head(text)) for text in one.texts)) for one in scene.rows[1])
    return replace(scene, rows=((panel,), shares), captions=(), max_cell=60, min_cell=8, alt=(
        f"{scene.alt} Below, the output as a sum: one share from each of {cfg.num_heads} heads."
    ))  # fmt: skip


def by_head(text: Text) -> str:
    """A share's name in words: the walk has no symbol for it, nor for the bias."""
    if text.text == "+ b_{O}":
        return "+ bias"
    return text.text if text.hue is None else f"{'+ ' if text.hue else ''}head {text.hue + 1}"


def one_row(trace: Trace, row: int, tokens: Sequence[str]) -> Scene:
    """One query of the first head (`row`, 0-based): its scores, divided, as shares; and the values that the shares mix."""
    cfg = trace.cfg
    grids = {name: Grid(trace[name].values[0, 0], "score") for name in ("scores", "scaled")}
    grids["weights"] = Grid(trace.weights.values[0, 0], "share")
    grids["share"] = Grid(np.ascontiguousarray(trace.weights.values[0, 0, row][:, None]), "share")
    grids["v"] = Grid(trace.v.values[0, :, 0], "signed")
    grids["mix"] = Grid(trace.context.values[0, :, 0], "signed")
    tops = {"share": 1.0, "score": top_of(grids["scores"].values), "signed": top_of(grids["v"].values, grids["mix"].values)}
    followed = tokens[row]
    panels = (_to_shares(cfg.key_len, row, tokens, f"√{cfg.key_dim}"), _to_mix(cfg.key_len, cfg.value_dim, row, tokens))
    shares = trace.weights.values[0, 0, row]
    alt = (
        f"The query of “{followed}”: a score for each of {cfg.key_len} keys, divided by the square root of {cfg.key_dim}, and by "
        f"softmax the shares {', '.join(f'{word} {share:.2f}' for word, share in zip(tokens, shares, strict=True))}. "
        f"Below, the values and their mix."
    )
    return Scene((panels,), grids, alt, tops, max_cell=60, min_cell=26)


def _to_shares(keys: int, row: int, tokens: Sequence[str], divisor: str) -> Panel:
    """Three lines of one row each, the keys' words above them."""
    wide, left = Length(keys), Length()
    lines = (
        ("scores", "score", f"scores: “{tokens[row]}” times each key", ()),
        ("scaled", "divided score", f"÷ {divisor}", (Source("scores", "cell"),)),
        ("weights", "share", "softmax: shares that sum to 1", (Source("scaled", "row"),)),
    )
    blocks, texts = [], []
    for number, (grid, name, words, sources) in enumerate(lines):
        down = Length(number, 20 + ABOVE + number * 34)
        blocks.append(Block(
            grid, grid, left, down, 1, keys, row=row, name=name, sources=sources, col_labels=() if number else tuple(tokens)
        ))  # fmt: skip
        texts.append(Text(words, left, down + Length(0, -9 if number else -9 - ABOVE), 14, "strong", "start"))
    return Panel("to-shares", wide, Length(3, 20 + ABOVE + 2 * 34 + 8), tuple(blocks), tuple(texts), zone="row")


def _to_mix(keys: int, size: int, row: int, tokens: Sequence[str]) -> Panel:
    """The shares as a column beside the values, and below these their mix."""
    left, right = Length(0, BESIDE), Length(1, BESIDE + 18)
    top, under = Length(0, 26), Length(keys, 26 + 30)
    blocks = (
        Block("share", "share", left, top, keys, 1, name="share", row_labels=tuple(tokens), copy=1),
        Block("v", "v", right, top, keys, size, name="value"),
        Block(
            "mix", "mix", right, under, 1, size, row=row, name="mix",
            sources=(Source("share", "col", "r"), Source("v", "col", "c")),
        ),
    )  # fmt: skip
    texts = (
        Text("share", left + Length(0.5), Length(0, 14), 14),
        Text("·", Length(1, BESIDE + 9), Length(keys / 2, 30), 16),
        Text("values", right + Length(size / 2), Length(0, 14), 14, "strong"),
        Text(f"their mix, for “{tokens[row]}”", right + Length(size / 2), under + Length(0, -9), 14, "strong"),
    )
    return Panel("to-mix", right + Length(size), under + Length(1, 8), blocks, texts, zone="row")


def cuts_of_model(model: Model, counts: Sequence[int]) -> Scene:
    """W_Q of a published model cut for several head counts, as shapes, with all parameters that the whole model then has."""
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
    totals = "; ".join(f"{heads_in_words(heads)}: {model.with_heads(heads).total:,} parameters" for heads in counts)
    return Scene((tuple(panels),), {}, f"W_Q, {width} × {width}, cut for several head counts. {totals}.", max_cell=8, min_cell=2)
