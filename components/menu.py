"""Every page of the app, as the menu names it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in the navigation. `lab`: it shows the layer that the shared controls describe; elsewhere they are hidden.
    `fields`: fields of its own stand in the sidebar.
    `own`: it shows the visitor's own layer where there is one; False where the page can only draw from a seed. `words`: it shows
    the trained layer, too."""

    file: str
    title: str
    lab: bool = True
    fields: bool = False
    own: bool = True
    words: bool = False


#: Every page of the app, by section of the menu. The first section's pages stand in the menu by themselves; the very first is
#: the start page.
SECTIONS = {
    "": (
        Entry("pages/heads.py", "Heads and parameters"),
        Entry("pages/projections.py", "Projections", words=True),
        Entry("pages/attention.py", "Attention", words=True),
        Entry("pages/concatenation.py", "Concatenation", words=True),
    ),
    "The real thing": (
        Entry("pages/keras_layer.py", "The Keras layer"),
        Entry("pages/arrays.py", "What each array does"),
        Entry("pages/own_layer.py", "Your own layer"),
    ),
    "In the wild": (
        Entry("pages/trained_heads.py", "Trained heads", lab=False, fields=True),
        Entry("pages/models.py", "Models", lab=False),
    ),
    "For class": (
        Entry("pages/claims.py", "Claims, checked", lab=False),
        Entry("pages/questions.py", "Questions", lab=False),
        Entry("pages/find.py", "Find an answer", lab=False),
        Entry("pages/quiz.py", "Predict, then look", lab=False),
        Entry("pages/figures.py", "Figures to take away", own=False),
    ),
}
ENTRIES = {entry.title: entry for entries in SECTIONS.values() for entry in entries}
START = SECTIONS[""][0]
