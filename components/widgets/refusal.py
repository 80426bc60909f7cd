"""The page that is shown if h does not divide d_model in the paper's convention. It says what the frameworks then do."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components.app.runtime import PageEnds
from components.app.session import Shown, visitor_layer
from components.settings import Settings
from components.widgets.stage import show_still
from components.widgets.trace import trace_of
from headcount import Config, count_parameters
from headcount.config import divisors
from headcount.layer import Origin
from headcount.names import BY_CODE, counted
from headcount.stage.pictures.split import left_over


def nearest(counts: Sequence[int], heads: int) -> str:
    """The next smaller and the next larger head count in ascending `counts`, such as "**4** or **8**"."""
    near = [h for h in counts if h < heads][-1:] + [h for h in counts if h > heads][:1]
    return " or ".join(f"**{h}**" for h in near)


def keras_sentence(settings: Settings) -> str:
    """Sentences about the layer that Keras builds with key_dim = d_model // num_heads, or about its refusal of key_dim 0."""
    d_model, num_heads = settings.d_model, settings.num_heads
    size = d_model // num_heads
    if size == 0:
        return f"Keras refuses, too: key_dim would be {d_model} // {num_heads} = 0, and a head needs at least one number."
    built = config_or_end(settings.but(split="free", key_dim=size, value_dim=size))
    joined, whole = num_heads * size, count_parameters(with_one_head(settings))
    return (
        f"Keras knows no such rule. With key_dim = {d_model} // {num_heads} = {size} it builds a layer whose heads together "
        f"are {num_heads} × {size} = {joined} wide instead of {d_model}: **{count_parameters(built):,} parameters** "
        f"instead of {whole:,}."
    )


def with_one_head(settings: Settings) -> Config:
    """The layer of these settings with one head. Such a layer exists for every d_model."""
    return config_or_end(settings.but(split="paper", num_heads=1))


def refuse(settings: Settings) -> None:
    """Shows the columns of W_Q that would belong to no head, and what the frameworks do."""
    d_model, num_heads = settings.d_model, settings.num_heads
    st.title(f"{num_heads} heads do not divide {d_model}.")
    st.markdown(
        f"In the paper's split every head is $d_{{model}}/h$ wide, and {d_model} / {num_heads} is not a whole number. "
        f"{counted(d_model % num_heads, 'column')} of $W_Q$ would belong to no head."
    )
    left, right = st.columns([2, 3], gap="large")
    with left:
        trace = trace_of(Origin(visitor_layer()), with_one_head(settings))
        show_still(partial(left_over, d_model, num_heads, trace), "left_over")
    with right:
        st.markdown("**PyTorch** (`nn.MultiheadAttention`) raises")
        st.code("AssertionError: embed_dim must be divisible by num_heads", language=None, wrap_lines=True)
        st.markdown("**Hugging Face** (BERT, RoBERTa) raises")
        st.code(
            f"ValueError: The hidden size ({d_model}) is not a multiple of the number of attention heads ({num_heads})",
            language=None, wrap_lines=True,
        )  # fmt: skip
        st.markdown(f"**Keras.** {keras_sentence(settings)}")
    near = nearest(divisors(d_model, BY_CODE["num_heads"].most), num_heads)
    st.markdown(f"Choose a head count that divides {d_model}, such as {near}. Or set *Head sizes as in* to **Keras**.")


def config_or_end(settings: Settings) -> Config:
    """The layer of the settings. If the settings describe no layer, shows why and ends the page."""
    cfg = settings.config()
    if cfg is None:
        refuse(settings)
        raise PageEnds
    return cfg


def layer_or_end(settings: Settings) -> Shown:
    """The layer of the settings, with the visitor's weights or seeded ones. If the settings describe no layer, the page ends."""
    return Shown(settings, config_or_end(settings), Origin(visitor_layer()))
