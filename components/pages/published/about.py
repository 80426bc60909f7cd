"""The sentences about the model on the screen: its title, its source, what is refused; and the ledger of its components."""

from urllib.parse import urlencode

import streamlit as st

from components.figures.pictures.published import bars, matrices
from components.pages.published.selection import Selection
from components.symbols import set_symbols
from components.widgets.chart import show_chart
from components.widgets.refusal import nearest
from components.widgets.switches import in_words
from components.widgets.tables import markdown_table
from mha.config import Config, divisors
from mha.names import counted, heads_in_words, noun
from mha.published.attention import MOST_HEADS
from mha.published.changed import PARTLY, UNSCALED, changed, computable
from mha.published.conventions import CONVENTIONS, convention, heads_to_compare, sentence
from mha.published.model import Model
from mha.published.table import REFUSED_HEADS, blog_variants, entries, totals_by_heads
from mha.settings import SHARED, SWITCHES, off_default
from mha.switches import Switches


def count_of(model: Model) -> int:
    """What the title counts: the whole model where it is known, otherwise its attention."""
    return model.attention_total if model.total is None else model.total


def heads_of(selection: Selection, model: Model) -> str:
    """ "32 heads", or "32 heads on 4" where key/value heads are moved, too."""
    a, published = model.attention, selection.published.attention
    moved = not a.kv_follow and selection.model.attention.kv_heads != published.kv_heads
    return heads_in_words(a.heads) + (f" on {a.kv_heads}" if moved else "")


def other_heads(selection: Selection) -> Model | None:
    """As published where the heads are moved; otherwise the same model with about half its heads. None: there is no other."""
    if selection.moved:
        return selection.published
    heads = heads_to_compare(selection.published)
    return selection.published.with_heads(heads) if heads else None


def title(selection: Selection) -> str:
    """The statement: name, heads, parameters; and what other heads would have."""
    if selection.refused:
        return f"{selection.name}: {selection.refused}"
    model, there = selection.model, other_heads(selection)
    what = "parameters" if model.total is not None else "attention parameters"
    what += ", not exact" if model.unfollowed else ""
    here = f"{selection.name}: {heads_of(selection, model)}, {count_of(model):,} {what}."
    return here if there is None else f"{here} {heads_of(selection, there)}, {count_of(there):,}."


def move(selection: Selection) -> list[matrices.Row]:
    """One module's matrices now, next to what they are with the other heads that the title names."""
    there = other_heads(selection) or selection.model
    here = heads_of(selection, selection.model)
    label = f"From {heads_of(selection, there)} to {here}" if there != selection.model else here
    return matrices.rows_of(label, there.attention, selection.model.attention)


def convention_sentence(model: Model) -> str:
    """In one sentence, the convention's name first and bold."""
    name, rest = sentence(model.attention).split(":", 1)
    assert name.lower() == CONVENTIONS[convention(model.attention)], name
    return set_symbols(f"**{name}.**{rest[0]}{rest[1].upper()}{rest[2:]}")


#: One model of each kind, and what another head costs there, in words.
SIDE_BY_SIDE = ("BERT-base", "Llama-3-8B", "T5-base")
IN_WORDS = {
    "invariant": "All heads **share one width**: more heads are thinner ones, and nothing is added.",
    "pinned": "The **number of key heads is fixed**: thinner heads make $W_K$ and $W_V$ narrower.",
    "own": "Each head **brings its own width**: more heads, more numbers.",
    "latent": "All heads unpack **one short summary**: each head brings its own way to unpack it.",
}


def show_side_by_side() -> None:
    """Three models of three kinds: what another head costs, and their count with half the heads, as published and with twice
    the heads. Side by side, or on a phone below each other."""
    for slug, column in zip(SIDE_BY_SIDE, st.columns(len(SIDE_BY_SIDE), gap="large"), strict=True):
        model = entries()[slug].model
        heads = model.attention.heads
        rows = [
            (heads_in_words(one.attention.heads) + ", as published" * (one is model), f"{count_of(one):,}")
            for one in (model.with_heads(heads // 2), model, model.with_heads(2 * heads))
        ]
        with column:
            st.markdown(IN_WORDS[convention(model.attention)])
            st.markdown(markdown_table((slug, "parameters"), rows, right=(1,)))


def source(selection: Selection) -> str:
    """Where the sizes come from."""
    entry = selection.entry
    if entry is None:
        return "Sizes from your configuration."
    kind = {"formula only": " **Formula only**: no class or weights to count.", "paper row": " A row of the paper's Table 3."}
    note = f" {entry.note[0].upper()}{entry.note[1:]}." if entry.note else ""
    published = f" Published: {entry.published}." if entry.published else ""
    return set_symbols(f"{entry.name}. Sizes: {entry.source}; {entry.evidence}.{published}{kind.get(entry.row, '')}{note}")


def rounded_down(model: Model) -> str:
    """Where heads do not divide d_model and transformers builds the layer all the same; "" elsewhere."""
    a = model.attention
    if not a.tied or a.d_model % a.heads == 0:
        return ""
    return (
        f"{heads_in_words(a.heads)} {noun(a.heads, 'does', 'do')} not divide {a.d_model:,}. transformers raises nothing here: "
        f"d_k = {a.d_model:,} // {a.heads} = {a.d_k}, so the heads together are {a.inner:,} wide."
    )


def changed_sentence(model: Model) -> str:
    """What else the model changed about attention, and the way to the page that computes it with these sizes; "" for nothing."""
    switches, unscaled = changed(model.model_type), model.model_type in UNSCALED
    words = in_words(switches) + ["scores that are not divided by √d_k"] * unscaled
    if not words:
        return ""
    a = model.attention
    said = f"Its attention has {', '.join(words)}. "
    said += "There only a part of each head is turned. " if model.model_type in PARTLY else ""
    layer = computable(a, switches)
    if layer is None:
        return set_symbols(f"{said}On the page [Attention](./attention) each is a switch.")
    more = a.norms + a.vectors
    said += f"That is {counted(more, 'parameter')} more in each layer. " if more else "That costs no parameters. "
    heads = "" if layer.num_heads == a.heads else f" with {layer.num_heads} of its {heads_in_words(a.heads)}"
    return set_symbols(said) + f"[See it computed]({link_to(layer, switches, unscaled)}){heads}."


def link_to(layer: Config, switches: Switches, unscaled: bool) -> str:
    """The page about attention with this layer, its numbers drawn from the seed."""
    query = off_default({setting.code: getattr(layer, setting.code, setting.default) for setting in SHARED} | {"split": "free"})
    query |= {setting.code: setting.spell(value) for setting in SWITCHES
              if (value := getattr(switches, setting.code)) != setting.default}  # fmt: skip
    return "./attention?" + urlencode(query | {"numbers": "seed"} | ({"divisor": "none"} if unscaled else {}))


def possible_heads(published: Model) -> list[int]:
    """Head counts that are not refused."""
    a = published.attention
    counts = divisors(a.d_model, MOST_HEADS) if a.tied else range(a.kv_heads, MOST_HEADS + 1, a.kv_heads)
    return [h for h in counts if not published.refused(h)]


def show_refusal(selection: Selection) -> None:
    """Nothing where the heads are a layer as they are."""
    if rounding := rounded_down(selection.model):
        st.info(rounding)
    if selection.refused is None:
        return
    if raised := selection.refused.raised.strip():
        st.markdown("**Hugging Face transformers** raises")
        st.code(raised, language=None, wrap_lines=True)
    near = nearest(possible_heads(selection.published), selection.heads)
    st.markdown(f"The nearest head counts that this model can have: {near}. Below it stands as published.")


def show_whole(model: Model) -> None:
    """One bar for the model, one row for each component, the sum below."""
    if model.total is None:
        st.header("The ledger: attention only")
    else:
        st.header(f"The ledger: {counted(model.total, 'parameter')}, {model.share:.1%} of them in attention")
        show_chart(bars.draw_parts(model), "whole_model", bars.parts_alt(model))
    st.markdown(ledger_table(model))
    st.caption(summed_sentence(model))


def ledger_table(model: Model) -> str:
    """Markdown: component, one of them, how many, all of them."""
    rows = []
    for part in model.ledger():
        times = f"{part.times:,}" if part.times > 1 else ""
        name = f"**{set_symbols(part.label)}**" if part.kind == "attention" else part.label
        rows.append((name, f"{part.each:,}", times, f"{part.count:,}"))
    rows.append(("attention in all", "", f"{model.modules:,}", f"{model.attention_total:,}"))
    if model.total is not None:
        rows.append(("**sum**", "", "", f"**{model.total:,}**"))
    return markdown_table(("component", "each", "×", "parameters"), rows, right=(1, 2, 3))


def summed_sentence(model: Model) -> str:
    """What the sum is the sum of."""
    by = f" Counted as {model.counted_as}." if model.counted_as else ""
    norms = " Norms, sinks and relative biases inside attention are apart from them." if model.extras else ""
    own = noun(model.modules, "its", "their")
    return (
        f"{counted(model.modules, 'attention module')}, {counted(model.projections, 'parameter')} in {own} projections."
        f"{norms}{by}"
    )


def show_observation(model: Model) -> None:
    """Below the ledger of the blog's own model."""
    totals = totals_by_heads(model)
    (total,) = set(totals.values())
    width = model.attention.d_model
    st.header(f"What the blog saw: {len(totals)} head counts, one number")
    st.markdown(
        f"All {len(totals)} divisors of {width} give **{total:,}**: h = {', '.join(map(str, totals))}. "
        f"No shape in the model mentions h. What does not divide is refused:"
    )
    st.code("\n".join(refused.raised for h in REFUSED_HEADS if (refused := model.refused(h))), language=None, wrap_lines=True)
    st.markdown("The same class, three counts: the defaults of transformers changed, roberta-base has others. No heads in it.")
    st.markdown(variants_table())


def variants_table() -> str:
    """Vocabulary, positions, token types and total of each."""
    rows = []
    for name, model in blog_variants():
        sizes = [part.label.rsplit(" ", 3)[1] for part in (model.before or ())[:3]]
        rows.append((name, *sizes, f"**{model.total:,}**"))
    return markdown_table(("transformers", "words", "positions", "types", "parameters"), rows, right=(1, 2, 3, 4))
