"""A pytest plugin (`-p deploy.static.older`): the tests of the pages under the Streamlit that the static build carries.

In it each AppTest has its own registry of components, while the app registers them once for each
process; so the app is made to forget that whenever a test opens a page.
"""

import sys
from pathlib import Path

import pytest

#: Tests of what this AppTest does not have or has otherwise: a chart's key, an alternative text, the address as lists.
SKIPPED = {
    "test_every_model_comes_up_with_its_own_numbers", "test_every_kind_of_model_can_be_compared_and_costed",
    "test_all_seeds_are_in_the_curve_and_not_only_the_chosen_one", "test_the_preview_is_the_file",
    "test_every_choice_is_in_the_address_and_in_the_file", "test_where_there_is_no_such_figure_the_page_says_what_to_choose",
    "test_an_option_that_this_figure_does_not_read_stays_in_the_address", "test_every_picture_opens_as_tables",
    "test_every_picture_has_its_switch_and_no_table_is_made_before", "test_every_picture_says_in_words_what_it_shows",
    "test_each_key_of_the_address_is_a_widgets_value", "test_each_pages_own_key_is_a_widgets_value",
    "test_a_chart_without_a_browser_is_shown_by_plotly_and_can_be_had_as_html_and_data",
    "test_fields_of_other_parts_keep_their_place_in_the_address", "test_the_paper_refuses_the_width_that_input_shape_gives",
    "test_key_value_heads_that_do_not_divide_are_said_and_the_next_fewer_shown",
    "test_sizes_follow_the_file_and_stand_in_the_address",
}  # fmt: skip


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """What the app takes for granted of the newer Streamlit."""
    return True if collection_path.name == "test_streamlit_contract.py" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.originalname in SKIPPED:
            item.add_marker(pytest.mark.skip(reason="this AppTest has no chart's key, no alternative text, no address as lists"))


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
