"""A pytest plugin for `make check STREAMLIT=1.62`, which runs the tests of pages with another version of Streamlit.

There, each AppTest has a component registry of its own, while the app registers its components once for each process. So the
plugin lets the app forget its components whenever a test opens a page.
"""

import sys
from pathlib import Path

import pytest

#: A click on a component's part, which this AppTest does not take to the page.
SKIPPED = {"test_a_click_comes_back_as_the_number_of_its_point_and_what_the_figure_says_of_it"}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out tests/app/test_streamlit_contract.py, which tests only the newer Streamlit."""
    return True if collection_path.name == "test_streamlit_contract.py" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.originalname in SKIPPED:
            item.add_marker(pytest.mark.skip(reason="this AppTest does not click on parts of components"))


def forget() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("components."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear") and {"v2", "component"} & {*value.__wrapped__.__code__.co_names}:
                    value.cache_clear()


def pytest_configure() -> None:
    from streamlit.testing.v1 import AppTest

    opened = AppTest.__init__

    def anew(self, *args, **kwargs) -> None:
        forget()
        opened(self, *args, **kwargs)

    AppTest.__init__ = anew
