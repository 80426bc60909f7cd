"""If the count is the same, why have several heads?"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.frame import open_alone
from components.pages.trained import dinner, sentence
from components.pages.trained.choices import choose
from components.pages.trained.shared import show_check


def write_head(place: DeltaGenerator, title: str, sentence: str) -> None:
    with place:
        st.title(title)
        st.markdown(sentence)


def show() -> None:
    """The task that is chosen."""
    # Choices stand above the headline, whose length is each task's own: so they keep their place.
    bar, head = st.container(), st.container(key="trained_head")
    typed, top, apart = (st.container() for _ in range(3))
    choice = choose(bar, apart)
    example = sentence.choose(choice, typed)

    if choice.task == "dinner":
        result, score = dinner.forward_pass(choice)
        write_head(head, *dinner.headline(choice, score))
        with top:
            dinner.show_table(choice, result, score)
        with apart:
            dinner.show_apart(choice, score)
        dinner.show_maps(choice, result, score)
        dinner.show_spread(choice)
        dinner.show_limits()
        show_check(choice, "dinner-1", f"dinner-{choice.heads}")

    else:
        write_head(head, *sentence.headline(choice))
        sentence.show(choice, example, top)
        sentence.show_spread()
        show_check(choice, sentence.ONE, f"sentence-{choice.heads}")


open_alone(show)
