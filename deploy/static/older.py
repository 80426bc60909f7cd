"""A pytest plugin (`-p deploy.static.older`): the tests of the pages under the Streamlit that the static build carries.

There each AppTest has a registry of components of its own, which the app, rightly, fills once for each process; so it is made
to forget before each test that it has.
"""

import sys

import pytest


@pytest.fixture(autouse=True)
def components_registered_anew():
    for name, module in list(sys.modules.items()):
        if name.startswith("components."):
            for made in vars(module).values():
                if hasattr(made, "cache_clear") and "v2" in made.__wrapped__.__code__.co_names:
                    made.cache_clear()
