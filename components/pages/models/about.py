"""Texts, tables and drawings about the chosen model on the page Models. The visitor may have changed the model's heads."""

from urllib.parse import urlencode

import streamlit as st

from components.pages.models.selection import ModelChoice
from components.symbols import set_symbols
from components.widgets.refusal import nearest
from components.widgets.tables import markdown_table
from headcount.config import divisors
from headcount.models.attention import MAX_HEADS, BadHeads
from headcount.models.conventions import CHANGED, PARTLY, UNSCALED, changed_words, sentence
from headcount.models.cost import BYTES, MAX_CONTEXT, cache_bytes, longest_context
from headcount.models.entry import BLOG_MODEL, REFUSED_HEADS, entries
from headcount.models.model import Model
from headcount.models.reading import OTHER_SHAPES
from headcount.names import begun, counted, heads_in_words, noun
from headcount.settings import SWITCHES
from headcount.stage.pictures.published import matrices
from headcount.stage.text import bytes_in_words
from headcount.switches import NONE


def count_of(model: Model) -> int:
    """The parameter count of the model, or of its attention if the rest is not known."""
    return model.attention_total if model.total is None else model.total


def heads_of(here: Model, there: Model, what: str = "") -> str:
    """The number of heads of `here` as text, such as "32". If `there` has another number of key/value heads, the text has both:
    "32 on 4". Key/value heads that always equal the heads are left out. `what`: a word after the first number."""
    a, other = here.attention, there.attention
    follows = a.kv_follow or (a.kv_heads == a.heads and other.kv_heads == other.heads)
    return f"{a.heads:,}{what}" + ("" if follows or a.kv_heads == other.kv_heads else f" on {a.kv_heads:,}")


def _last(here: Model, there: Model) -> str:
    """The number of heads of the model `there` as text, such as "33 heads" or "33 heads on 1"."""
    return heads_of(there, here, f" {noun(there.attention.heads, 'head')}")


def compared(selection: ModelChoice) -> tuple[Model | None, BadHeads | None]:
    """The model to draw beside the published one, or None. This model has the chosen heads. If none are chosen, it has one head
    more, or the next possible number of heads. The second value says why one head more is impossible, or is None."""
    if selection.moved or selection.refused:
        return selection.model, None
    published = selection.published
    if not published.whole:
        return None, None
    a, refused = published.attention, None
    stops = [h for h in possible_heads(published) if h > a.heads] or [h for h in possible_heads(published) if h < a.heads][-1:]
    for heads in dict.fromkeys((a.heads + 1, *stops[:1])):
        kv_heads = heads if a.kv_follow or a.kv_heads == a.heads else a.kv_heads
        try:
            if not a.tied or a.d_model % heads == 0:
                return published.with_heads(heads, kv_heads), refused
            why = BadHeads(f"{heads_in_words(heads)} do not divide d_model = {a.d_model:,}.")
        except BadHeads as said:
            why = said
        refused = refused or why
    return None, refused


def title(selection: ModelChoice) -> str:
    """The page's title: the published heads, what the chosen heads change, or why the chosen heads are refused."""
    here, there, a = selection.published, selection.model, selection.published.attention
    if selection.refused:
        return f"{selection.name}: {selection.refused}"
    if selection.moved:
        what = "parameters" if here.total is not None else "attention parameters"
        step = f"{heads_of(here, there)} → {_last(here, there)}"
        return f"{selection.name}, {step}: {difference(count_of(there) - count_of(here), what)}."
    if not here.whole:
        shared = "" if a.kv_heads == a.heads else f" on {a.kv_heads:,}"
        return f"{selection.name}: {heads_in_words(a.heads)}{shared}, {a.d_model:,} wide."
    wide = "the model's width" if a.inner == a.d_model else f"{a.inner / a.d_model:.3g} × the model's width"
    return f"{selection.name}: {heads_in_words(a.heads)} × {a.d_k:,} = {a.inner:,}, {wide}."


def below_title(selection: ModelChoice) -> str:
    """A sentence about the model's convention. For a configuration of one layer, it is the sentence of `one_layer`."""
    model = selection.model
    return set_symbols(sentence(model.attention)) if model.whole else one_layer(model)


def one_layer(model: Model) -> str:
    """A text about a configuration that describes only one layer. It names the sizes that are missing in the file."""
    if not drawable(model):
        return f"The file gives attention a shape of its own in `{model.unsaid[0]}`, which only the model's class can read."
    instead = {"head size": "d_model / heads", "key/value heads": "as many as heads"}
    open_ = "".join(f" The file names no {name}: the picture has {instead[name]}, as in the paper." for name in model.unsaid)
    return f"One layer's weight matrices, from the sizes that the file names, without what its class adds.{open_}"


def drawable(model: Model) -> bool:
    """Whether the module can be drawn. It cannot if only the model's class can read the shape of the attention."""
    return model.whole or not {*model.unsaid} & {*OTHER_SHAPES}


def difference(count: int, what: str) -> str:
    return "no parameter more or fewer" if count == 0 else f"{abs(count):,} {what} {'more' if count > 0 else 'fewer'}"


#: Memory of a common graphics card in bytes (24 GiB), and the bytes of one number in common formats.
CARD, FORMATS = 24 << 30, {"fp32": 4.0, "bf16": 2.0, "int8": 1.0, "int4": 0.5}


def memory_table(model: Model, context: int, sequences: int) -> str:
    """A Markdown table of the memory for weights and KV cache. The last row has the number of tokens that fit into a graphics
    card. It is missing if the model has no cache, or if its parameter count is not known."""
    cache = cache_bytes(model, context, sequences) // BYTES
    kinds = {"weights" if model.total is not None else "weights of attention": count_of(model)}
    if cache:
        kinds[f"KV cache, T = {context:,}" + (f", B = {sequences:,}" if sequences > 1 else "")] = cache
    sizes = FORMATS.values()
    rows = [(name, f"{count:,}", *(bytes_in_words(int(count * one)) for one in sizes)) for name, count in kinds.items()]
    if cache and model.total is not None:
        most = (longest_context(model, int(CARD * BYTES / one), sequences) for one in sizes)
        words = ("any" if tokens == MAX_CONTEXT else f"{tokens:,}" if tokens else "none" for tokens in most)
        rows.append(("**tokens that fit in 24 GiB beside the weights**", "", *(f"**{word}**" for word in words)))
    return markdown_table(("memory", "numbers", *FORMATS), rows, right=tuple(range(1, 2 + len(FORMATS))))


def modules(selection: ModelChoice, there: Model | None) -> list[matrices.Module]:
    """The attention modules to draw: that of the published model and, if it is different, that of `there`."""
    here = selection.published
    first = module(here, here, "as published" if selection.entry else "as it is")
    if there is None or there.groups == here.groups:
        return [first]
    return [first, module(there, here, difference(count_of(there) - count_of(here), "parameters"))]


def below_picture(selection: ModelChoice, why: BadHeads | None) -> str:
    """Sentences about the whole model's size and its other changes. `why`: the reason why one head more is impossible."""
    model = selection.model
    whole = "" if model.total is None else f"The whole model has {model.layers} layers and {counted(model.total, 'parameter')}."
    return " ".join(filter(None, (whole, why and set_symbols(f"One head more is not possible: {why}"), changed_sentence(model))))


def module(model: Model, other: Model, note: str) -> matrices.Module:
    """One attention module to draw. `other`: the model that `model` is compared with. `note`: a line of the caption."""
    a = model.attention
    what = "attention parameters" if model.layers == "1" else f"attention parameters in {model.layers} layers"
    count, what = (model.attention_total, what) if model.whole else (a.count, "parameters in one layer")
    each = " each" if a.heads > 1 else ""
    return matrices.Module(f"{_last(other, model)}, {a.d_k:,} wide{each}", note, count, what, matrices.lines_of(a))


def source(selection: ModelChoice) -> str:
    entry = selection.entry
    if entry is None and selection.config is None:
        return "The layer of the [start page](./), as many times as there are layers: its width and sizes are set there."
    if entry is None:
        return "Sizes from your configuration."
    kind = {"formula only": " Formula only: no class or weights to count.", "paper row": " A row of the paper's Table 3."}
    note = f" {begun(entry.note)}." if entry.note else ""
    published = f" Published count: {entry.published}." if entry.published else ""
    said = f"Sources for {entry.name}: {entry.source} ({entry.evidence}).{published}{kind.get(entry.row, '')}{note}"
    return set_symbols(said.replace("*", r"\*"))


def rounded_down(model: Model) -> str:
    """A sentence about a model that transformers builds although its heads do not divide d_model. "" for other models."""
    a = model.attention
    if not model.whole or not a.tied or a.d_model % a.heads == 0:
        return ""
    return (
        f"{heads_in_words(a.heads)} {noun(a.heads, 'does', 'do')} not divide {a.d_model:,}. transformers raises nothing here: "
        f"d_k = {a.d_model:,} // {a.heads} = {a.d_k}, so the heads together are {a.inner:,} wide."
    )


def changed_sentence(model: Model) -> str:
    """Sentences about the model's other changes to attention, and a link to a page that computes them. "" without changes."""
    if not model.whole or not (words := changed_words(model.model_type)):
        return ""
    more = model.attention.extras
    said = f"Its attention has {', '.join(words)}. "
    said += "The rotary embedding turns only a part of each head. " if model.model_type in PARTLY else ""
    said += f"That adds {counted(more, 'parameter')} to each layer. " if more else "That adds no parameters. "
    switches = {setting.code: setting.format(value) for setting in SWITCHES
                if (value := getattr(CHANGED.get(model.model_type, NONE), setting.code)) != setting.default}  # fmt: skip
    query = urlencode(switches | {"numbers": "seed"} | ({"divisor": "none"} if model.model_type in UNSCALED else {}))
    return f"{set_symbols(said)}[See this attention computed](./attention?{query}) with the layer of the start page."


def possible_heads(published: Model) -> list[int]:
    a = published.attention
    counts = divisors(a.d_model, MAX_HEADS) if a.tied else range(a.kv_heads, MAX_HEADS + 1, a.kv_heads)
    return [h for h in counts if not published.refused(h)]


def show_refusal(selection: ModelChoice) -> None:
    """Shows why the model cannot have the chosen heads, and the nearest possible numbers of heads."""
    if rounding := rounded_down(selection.model):
        st.info(rounding)
    if selection.refused is None:
        return
    if raised := selection.refused.raised.strip():
        st.markdown("**Hugging Face transformers** raises this error:")
        st.code(raised, language=None, wrap_lines=True)
    near = nearest(possible_heads(selection.published), selection.heads)
    st.markdown(f"The nearest possible number of heads is {near}. The model is shown below as published.")


def ledger_table(model: Model) -> str:
    rows = []
    for part in model.ledger():
        times = f"{part.times:,}" if part.times > 1 else ""
        name = f"**{set_symbols(part.label)}**" if part.kind == "attention" else part.label
        rows.append((name, f"{part.each:,}", times, f"{part.count:,}"))
    rows.append(("all attention", "", f"{model.modules:,}", f"{model.attention_total:,}"))
    if model.total is not None:
        rows.append(("**sum**", "", "", f"**{model.total:,}**"))
    return markdown_table(("component", "each", "how many", "parameters"), rows, right=(1, 2, 3))


def summed_sentence(model: Model) -> str:
    """The ledger's caption, with the number of parameters in the projections of all attention modules."""
    by = f" The count is that of the class {model.counted_as}." if model.counted_as else ""
    norms = " Norms, sinks and relative biases inside attention are not among these." if model.extras else ""
    has, its = noun(model.modules, "has", "have"), noun(model.modules, "its", "their")
    modules, parameters = counted(model.modules, "attention module"), counted(model.projections, "parameter")
    return f"{modules} {has} {parameters} in {its} projections.{norms}{by}"


def show_observation(model: Model) -> None:
    """Shows that the blog post's model (BLOG_MODEL) has the same parameter count for every possible number of heads."""
    width = model.attention.d_model
    totals = {heads: model.with_heads(heads).total for heads in divisors(width)}
    (total,) = set(totals.values())
    st.header(f"What the blog saw: {len(totals)} head counts, one number")
    st.markdown(
        f"All {len(totals)} divisors of {width} give **{total:,}**: h = {', '.join(map(str, totals))}. "
        f"No shape in the model mentions h. A number of heads that does not divide the width is refused:"
    )
    st.code("\n".join(refused.raised for h in REFUSED_HEADS if (refused := model.refused(h))), language=None, wrap_lines=True)
    st.markdown("One class, three counts: transformers changed its defaults, and roberta-base has others. Heads play no part.")
    variants = entries()[BLOG_MODEL].counts["variants"]
    rows = [(name, *(f"{size:,}" for size in sizes), f"**{total:,}**") for name, *sizes, total in variants]
    st.markdown(markdown_table(("transformers", "words", "positions", "types", "parameters"), rows, right=(1, 2, 3, 4)))
