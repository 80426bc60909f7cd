"""The app with some of its tunings taken back, to show what each is worth: `python -m benchmarks.untuned kept,breath run app.py`.

Only the benchmark starts it so. Each tuning's reason stands where it is made.
"""

import sys

from streamlit.web import cli


def no_freeze() -> None:
    from components.streamlit import frame as shell

    shell.freeze_once = lambda: None


def no_uvloop() -> None:
    sys.modules["uvloop"] = None  # "not installed"


def no_worker() -> None:
    """As if the server had imported them: Streamlit then clears Keras's session after every rerun."""
    import keras  # noqa: F401
    import tensorflow  # noqa: F401


def no_dicts() -> None:
    """Charts as one usually makes them, trace by trace, each checked, for each visitor."""
    import plotly.graph_objects as go

    from components.widgets import chart

    def built(figure: dict) -> go.Figure:
        made = go.Figure()
        for trace in figure["data"]:
            made.add_trace(trace)
        return made.update_layout(figure.get("layout", {}))

    chart.shared_figure = built


def no_foresight() -> None:
    from components.figures.pictures import heads
    from components.widgets import previews as foresight

    foresight.ahead = lambda cfg, paper: []
    heads.previews = lambda scene, others, coming: {}


def no_kept() -> None:
    """Every visitor's pictures and layers are made anew."""
    from components.widgets import previews as foresight
    from components.widgets import trace as tracing
    from mha import run

    foresight.cached_drawing = lambda key, trace, make: make()
    tracing._small_trace = run


def no_breath() -> None:
    from components.streamlit import runtime as breath

    breath.PAINT_SECONDS = 0.0


#: What each is, in words; "collection" is a setting (runner.postScriptGC) and needs no code.
TUNINGS = {
    "collection": ("no garbage collection after each rerun", None),
    "freeze": ("imported modules kept out of garbage collections", no_freeze),
    "uvloop": ("uvloop, which also sends at once (no Nagle)", no_uvloop),
    "worker": ("TensorFlow and Keras in a process of their own", no_worker),
    "dicts": ("charts as plain dictionaries, checked once for all visitors", no_dicts),
    "foresight": ("the slider's next stops sent along (this one costs, and pays in the browser)", no_foresight),
    "kept": ("pictures and small layers made once for all visitors", no_kept),
    "breath": ("the pause after a picture that could not be foreseen (costs the visitor 30 ms)", no_breath),
}


def main() -> None:
    off, arguments = sys.argv[1].split(","), sys.argv[2:]
    for name in off:
        if TUNINGS[name][1] is not None:
            TUNINGS[name][1]()
    sys.argv = ["streamlit", *arguments, *(("--runner.postScriptGC", "true") if "collection" in off else ())]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
