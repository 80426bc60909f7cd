"""The app with some of its tunings taken back, to show what each is worth.

`python -m benchmarks.untuned shared,pause run app.py`; only `benchmarks.load switches` starts it so. The reason for each tuning
stands where it is made.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from streamlit.web import cli


def computed_anew(*args) -> object:
    from mha import run

    return run(*args)


class Tuning(NamedTuple):
    """`words` in the report; `replaced`: names of the app (module:name), and what stands there without the tuning; `options` of
    Streamlit; `imports`: modules that the server imports itself."""

    words: str
    replaced: dict[str, Callable | float] = {}
    options: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()


TUNINGS = {
    "collection": Tuning("no garbage collection after each rerun", options=("--runner.postScriptGC", "true")),
    "freeze": Tuning(
        "imported modules kept out of garbage collections", {"components.streamlit.frame:freeze_once": lambda: None}
    ),
    "uvloop": Tuning("uvloop, which also sends at once (no Nagle)"),
    # As if the server had imported them: Streamlit then clears Keras's session after every rerun.
    "worker": Tuning("TensorFlow and Keras in a process of their own", imports=("tensorflow", "keras")),
    "previews": Tuning(
        "all that is there for speed alone: pictures kept and sent ahead, Streamlit made lighter (HEADCOUNT_AHEAD=0)",
        {"components.streamlit.lighter:QUICK": False, "components.widgets.previews:AHEAD": False},
    ),
    "shared": Tuning(
        "small layers computed once for all visitors",
        {"components.widgets.trace:_small_trace": computed_anew},
    ),
    "pause": Tuning(
        "the pause after a picture that could not be foreseen (costs the visitor 30 ms)",
        {"components.streamlit.runtime:PAINT_SECONDS": 0.0},
    ),
}


def main() -> None:
    names, arguments = sys.argv[1].split(","), sys.argv[2:]
    if "uvloop" in names:
        sys.modules["uvloop"] = None  # "not installed"
    for name in names:
        for module in TUNINGS[name].imports:
            import_module(module)
        for place, other in TUNINGS[name].replaced.items():
            module, attribute = place.split(":")
            getattr(import_module(module), attribute)  # AttributeError where the app has no such name any more
            setattr(import_module(module), attribute, other)
        arguments += TUNINGS[name].options
    sys.argv = ["streamlit", *arguments]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
