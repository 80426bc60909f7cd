"""Every page of the app, as the menu names it."""

from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in the navigation. `lab`: it shows the layer that the shared controls describe; elsewhere they are hidden.
    `own`: it shows the visitor's own layer where there is one; False where the page can only draw from a seed. `words`: it shows
    the trained layer, too. `whom`: whom it is for, where the title alone does not say it."""

    file: str
    title: str
    lab: bool = True
    own: bool = True
    words: bool = False
    whom: str = ""

    @property
    def page(self) -> str:
        """The page's name in the address; the start page's is not said there."""
        return PurePath(self.file).stem

    @property
    def label(self) -> str:
        """The page's label in the menu."""
        return f"{self.title}: {self.whom}" if self.whom else self.title


#: Every page of the app, by section of the menu. The first section's pages stand in the menu by themselves, in the order of a
#: lesson; the very first is the start page.
SECTIONS = {
    "": (
        Entry("pages/heads.py", "Heads"),
        Entry("pages/trained_heads.py", "Why several", own=False),
        Entry("pages/projections.py", "Projections", words=True),
        Entry("pages/attention.py", "Attention", words=True),
        Entry("pages/concatenation.py", "Concatenation", words=True),
        Entry("pages/quiz.py", "Quiz", lab=False),
    ),
    "More": (
        Entry("pages/keras_layer.py", "The Keras layer", whom="if you call it in code"),
        Entry("pages/models.py", "Models", lab=False, whom="if you choose or run one"),
        Entry("pages/own_layer.py", "Your own layer", whom="if you have trained one"),
        Entry("pages/questions.py", "Questions", lab=False, whom="if you look for an answer"),
        Entry("pages/figures.py", "Figures", own=False, whom="if you write or teach"),
    ),
}
ENTRIES = {entry.title: entry for entries in SECTIONS.values() for entry in entries}
BY_LABEL = {entry.label: entry for entry in ENTRIES.values()}
START = SECTIONS[""][0]


def next_of_lesson(title: str) -> Entry | None:
    """The page that follows in the lesson; None for the last one, and for all others."""
    lesson = [entry.title for entry in SECTIONS[""]]
    return ENTRIES[lesson[lesson.index(title) + 1]] if title in lesson[:-1] else None
