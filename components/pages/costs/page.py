"""The tables of what the present layer costs: arithmetic, scores, cache. Counts alone: nothing is computed at these lengths."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from components.figures.text import bytes_in_words, compact
from components.pages.costs.settings import BANDWIDTH, BATCH, KV_HEADS, LAYERS, LENGTH, SCOPE
from components.streamlit.controls import control
from components.symbols import set_symbols
from components.widgets.tables import markdown_table
from mha import Config
from mha.cost import (
    FLOPS,
    FORMATS,
    SOFTMAX_FLOPS,
    Part,
    balanced_length,
    cache_entries,
    parts,
    score_entries,
    seconds_to_read,
)
from mha.names import counted, heads_in_words

#: What a part is called, and what its count is the product of.
PARTS = {
    "projections": ("Q, K, V projections", r"$B \cdot d_{model} \cdot h\,(T d_k + S d_k + S d_v)$"),
    "scores": ("$QK^T$", r"$B \cdot h \cdot T \cdot S \cdot d_k$"),
    "softmax": ("softmax", rf"${SOFTMAX_FLOPS} \cdot B \cdot h \cdot T \cdot S$ FLOPs"),
    "weighting": (r"$A \cdot V$", r"$B \cdot h \cdot T \cdot S \cdot d_v$"),
    "output": ("$W_O$", r"$B \cdot T \cdot h \, d_v \cdot d_{model}$"),
}
#: With a gate.
GATED = {"projections": ("Q, K, V, G projections", r"$B \cdot d_{model} \cdot h\,(T d_k + S d_k + S d_v + T d_v)$")}
#: From here on the headline is short; the table has every digit.
IN_FULL = 10**9


@dataclass(frozen=True, slots=True)
class Load:
    """`cfg`: the layer at the lengths and the batch that are asked for. `layers`: so many are counted, of `all_layers`."""

    cfg: Config
    kv_heads: int
    layers: int
    all_layers: int
    bandwidth: float

    @property
    def whose(self) -> str:
        return "this layer" if self.layers == 1 else f"all {self.layers} layers"


def chosen_load(cfg: Config) -> Load:
    """The fields, in one line."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="load"):
        scope = control(SCOPE, width="content")
        own = f"{cfg.query_len:,}" if cfg.is_self_attention else f"{cfg.query_len:,} and {cfg.key_len:,}"
        length, batch = control(LENGTH, width=150, placeholder=own), control(BATCH, width=120)
        kv_heads = control(KV_HEADS, width=140, placeholder=f"{cfg.num_heads}") or cfg.num_heads
        layers, bandwidth = control(LAYERS, width=110), control(BANDWIDTH, width=150)
    if cfg.num_heads % kv_heads:
        few, all_of_them = counted(kv_heads, "key/value head"), heads_in_words(cfg.num_heads)
        st.warning(f"{few} must divide {all_of_them}; counting {cfg.num_heads}.")
        kv_heads = cfg.num_heads
    lengths = {"query_len": length, "key_len": length} if length else {}
    return Load(replace(cfg, **lengths, batch=batch), kv_heads, layers if scope == "all" else 1, layers, bandwidth)


def headline(load: Load) -> str:
    """What one pass costs, and how much of it the pairs of positions are."""
    found = {part.name: part.multiply_adds for part in parts(load.cfg, load.layers, load.kv_heads)}
    total, pairs = sum(found.values()), found["scores"] + found["weighting"]
    tokens = counted(load.cfg.query_len, "token")
    many = f"{load.cfg.batch:,} × {tokens}" if load.cfg.batch > 1 else tokens
    adds = counted(total, "multiply-add") if total < IN_FULL else f"{compact(total)} multiply-adds"
    cost = "costs" if many == "1 token" else "cost"
    return f"{many} {cost} {load.whose} {adds}, {share(pairs, total)} of them in QKᵀ and A·V."


def share(part: int, whole: int) -> str:
    percent = 100 * part / whole
    return f"{percent:.0f}%" if 1 <= percent <= 99 else f"{percent:.2g}%" if percent < 1 else f"{percent:.4g}%"


def shape(cfg: Config) -> str:
    """Of the score maps."""
    return f"({cfg.batch:,}, {cfg.num_heads:,}, {cfg.query_len:,}, {cfg.key_len:,})"


def show_arithmetic(load: Load) -> None:
    """Multiply-adds and FLOPs, part by part."""
    found = parts(load.cfg, load.layers, load.kv_heads)
    of = PARTS | (GATED if load.cfg.use_gate else {})
    rows = [(of[part.name][0], *_counts(part), of[part.name][1]) for part in found]
    sums = [sum(getattr(part, name) for part in found) for name in ("multiply_adds", "flops", "next_token")]
    rows.append(("**sum**", *_bold(sums), ""))
    heads = ("part", "multiply-adds", "FLOPs", "one token more", "multiply-adds are")
    st.markdown(markdown_table(heads, rows, right=(1, 2, 3)))
    tail = ""
    if load.cfg.sliding_window is None and load.kv_heads == load.cfg.num_heads:
        tail = f" From {balanced_length(load.cfg):,} tokens on QKᵀ and A·V take more than the projections."
    st.caption(
        f"1 multiply-add = {FLOPS} FLOPs; the softmax takes {SOFTMAX_FLOPS} FLOPs an entry. Every query is counted with "
        f"{window(load.cfg)}: a causal kernel may skip up to half.{tail}"
    )


def window(cfg: Config) -> str:
    """Which keys a query is counted with."""
    return "every key" if cfg.sliding_window is None else f"the keys less than {cfg.sliding_window} away (the sliding window)"


def _counts(part: Part) -> tuple[str, str, str]:
    return f"{part.multiply_adds:,}", f"{part.flops:,}", f"{part.next_token:,}"


def _bold(sums: Sequence[int]) -> tuple[str, str, str]:
    one, two, three = (f"**{count:,}**" for count in sums)
    return one, two, three


def show_memory(load: Load) -> None:
    """The score maps and the cache: entries, and bytes in each format."""
    cfg = load.cfg
    kinds = {
        f"scores $B \\cdot h \\cdot T \\cdot S$, {load.whose}": score_entries(cfg, load.layers),
        "cache of keys and values, one layer": cache_entries(cfg, 1, load.kv_heads),
        f"cache, {counted(load.all_layers, 'layer')}": cache_entries(cfg, load.all_layers, load.kv_heads),
    }
    sizes = FORMATS.values()
    rows = [(name, f"{entries:,}", *(bytes_in_words(entries * one) for one in sizes)) for name, entries in kinds.items()]
    cache = cache_entries(cfg, load.layers, load.kv_heads)
    times = (in_time(seconds_to_read(cache, one, load.bandwidth)) for one in sizes)
    rows.append((f"time to read the cache, {load.whose}", "", *times))
    st.markdown(markdown_table(("memory", "numbers", *FORMATS), rows, right=tuple(range(1, 2 + len(FORMATS)))))
    st.caption(set_symbols(
        f"Scores have the shape {shape(cfg)} in each layer; kernels that never write them down (flash attention) need none. The "
        "cache keeps B·S·h·(d_k + d_v) numbers a layer, and each token that is generated reads all of it: the last row, at "
        f"{load.bandwidth:,g} GB/s. int8 counts no scales beside the numbers. *One token more*, above: a query that uses the "
        "cache. Biases, the division by √d_k and the mask are not counted."
    ))  # fmt: skip


def in_time(seconds: float) -> str:
    """Three digits, in the largest unit that leaves one before the point."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:,.3g} {unit}" if seconds < 999.5 * size else f"{seconds / size:,.0f} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
