"""Every page of the app, as the menu names it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in the navigation. `lab`: it shows the layer that the shared controls describe; elsewhere they are hidden.
    `own`: it shows the visitor's own layer where there is one; False where the page can only draw from a seed. `words`: it shows
    the trained layer, too."""

    file: str
    title: str
    lab: bool = True
    own: bool = True
    words: bool = False


#: Every page of the app, by section of the menu. The first section's pages stand in the menu by themselves, in the order of a
#: lesson; the very first is the start page.
SECTIONS = {
    "": (
        Entry("pages/heads.py", "Heads"),
        Entry("pages/trained_heads.py", "Why several", lab=False),
        Entry("pages/projections.py", "Projections", words=True),
        Entry("pages/attention.py", "Attention", words=True),
        Entry("pages/concatenation.py", "Concatenation", words=True),
        Entry("pages/quiz.py", "Quiz", lab=False),
    ),
    "More": (
        Entry("pages/keras_layer.py", "The Keras layer"),
        Entry("pages/arrays.py", "What each array does"),
        Entry("pages/models.py", "Models", lab=False),
        Entry("pages/own_layer.py", "Your own layer"),
        Entry("pages/claims.py", "Claims, checked", lab=False),
        Entry("pages/questions.py", "Questions", lab=False),
        Entry("pages/find.py", "Find an answer", lab=False),
        Entry("pages/figures.py", "Figures", own=False),
    ),
}
ENTRIES = {entry.title: entry for entries in SECTIONS.values() for entry in entries}
START = SECTIONS[""][0]


def next_of_lesson(title: str) -> Entry | None:
    """The page that follows in the lesson; None for the last one, and for all others."""
    lesson = [entry.title for entry in SECTIONS[""]]
    return ENTRIES[lesson[lesson.index(title) + 1]] if title in lesson[:-1] else None
