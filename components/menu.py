"""The pages of the app in the order of the menu, and all settings of the address other than the shared ones."""

from importlib import import_module

from components.page import Page
from headcount.settings import OF_LAYER_PAGES
from lessons import walk

#: Folders of the pages, by section of the menu. The first section is the lesson, in its order, from the start page on.
FOLDERS = {
    "": ("heads", "trained_heads", "projections", "attention", "concatenation", "quiz"),
    "More": ("keras_layer", "models", "own_layer", "questions", "figures"),
}
SECTIONS: dict[str, tuple[Page, ...]] = {
    section: tuple(import_module(f"components.pages.{folder}").PAGE for folder in folders) for section, folders in FOLDERS.items()
}
PAGES = tuple(page for pages in SECTIONS.values() for page in pages)
BY_LABEL = {page.label: page for page in PAGES}
START = PAGES[0]
#: All settings that the address may have besides the shared ones.
SETTINGS = (*OF_LAYER_PAGES, *walk.SETTINGS, *walk.ROOM, *(setting for page in PAGES for setting in page.settings))


def next_of_lesson(page: Page) -> Page | None:
    """The page that follows in the lesson. None for the last page of the lesson, and for a page outside the lesson."""
    lesson = SECTIONS[""]
    return lesson[lesson.index(page) + 1] if page in lesson[:-1] else None
