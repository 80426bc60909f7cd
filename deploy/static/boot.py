"""Runs in the browser, before Streamlit is imported: what Streamlit and stlite take for granted there.

It is the module `headcount_boot` there. `prepare` is called when the memory image is made (freeze.mjs), `begin` when a reader's
browser has taken that image over.
"""

import functools
import gc
import importlib
import json
import pkgutil
import sys
import types
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any
from unicodedata import bidirectional

#: Parts that are fetched when something imports them (build.py makes an archive for each), and where they are unpacked.
ON_DEMAND = ("PIL",)
SITE = "/lib/python3.13/site-packages"
HOME = "/home/pyodide"


def stand_in_for_ssl() -> None:
    """anyio imports `ssl` for the names of its types; a page that talks to nobody needs none of it (0.9 MB)."""

    def name(wanted: str) -> type:
        if wanted.startswith("__"):
            raise AttributeError(wanted)
        return type(wanted, (OSError,), {})

    module = types.ModuleType("ssl")
    module.__getattr__ = name  # type: ignore[method-assign]
    sys.modules["ssl"] = module


def stand_in_for_pyarrow() -> None:
    """As stlite does it: Streamlit asks whether an object is one of pyarrow's."""
    shim = importlib.import_module("stlite_lib._pyarrow_shim")
    sys.modules["pyarrow"] = shim


class Letters:
    """Widths of a font's letters, and what a pair of them takes more or less, as the build has measured them: the image library
    of a browser's Python cannot read the fonts' files."""

    def __init__(self, letters: dict[str, float], pairs: dict[str, float], unknown: float):
        self.letters, self.pairs, self.unknown = letters, pairs, unknown

    def getlength(self, text: str) -> float:
        pairs = (self.pairs.get(text[place : place + 2], 0.0) for place in range(len(text) - 1))
        return sum(self.letters.get(letter, self.unknown) for letter in text) + sum(pairs)


def measured() -> dict[str, list]:
    """By face and weight, what `Letters` takes. Runs where the app is built."""
    from components.figures.text import FACES, _font

    # Left to right alone: the library lays out no single sign of the others.
    signs = [chr(code) for code in range(32, 0x2C00) if bidirectional(chr(code)) in ("L", "EN", "ES", "ET", "CS", "WS", "ON")]
    usual = signs[:95]
    table = {}
    for face in FACES:
        for bold in (False, True):
            length = _font(face, bold).getlength
            unknown = length(chr(0x2BFF))
            letters = {sign: length(sign) for sign in signs if length(sign) != unknown}
            pairs = {a + b: length(a + b) - length(a) - length(b) for a in usual for b in usual}
            table[f"{face} {bold}"] = [letters, {pair: more for pair, more in pairs.items() if abs(more) > 1e-6}, unknown]
    return table


def stand_in_for_pillow() -> None:
    """Streamlit asks whether an icon is one of Pillow's images; nothing but a chart as TikZ needs Pillow itself (1.3 MB)."""

    class Late(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            for module in ("PIL", "PIL.Image", "PIL.ImageFile"):
                if isinstance(sys.modules.get(module), Late):
                    del sys.modules[module]
            return getattr(importlib.import_module(self.__name__), name)

    package, image, file = Late("PIL"), Late("PIL.Image"), Late("PIL.ImageFile")
    image.Image, file.ImageFile = type("Image", (), {}), type("ImageFile", (), {})  # type: ignore[attr-defined]
    package.Image, package.ImageFile, package.__path__ = image, file, []  # type: ignore[attr-defined]
    sys.modules |= {"PIL": package, "PIL.Image": image, "PIL.ImageFile": file}


def import_app() -> None:
    """All of its modules but those of what is not here: TensorFlow, a browser to print with."""
    sys.path.insert(0, HOME)
    importlib.import_module("components.frame")
    for top in ("mha", "lessons", "components"):
        for found in pkgutil.walk_packages([f"{HOME}/{top}"], f"{top}.", onerror=lambda _: None):
            if not found.name.endswith("__main__"):
                with suppress(ImportError):
                    importlib.import_module(found.name)
    text = importlib.import_module("components.figures.text")
    table = json.loads(Path(HOME, "letters.json").read_text(encoding="utf-8"))
    fonts = {name: Letters(*numbers) for name, numbers in table.items()}
    text._font = lambda face, bold: fonts[f"{face} {bold}"]
    offline = importlib.import_module("components.export.offline")
    offline.PLOTLY = PlotlysProgram(importlib.import_module("components.figures.program").PLOTLY_NAME)


class PlotlysProgram:
    """Plotly's program for browsers, which a page to take away carries in it: the file of the page's own charts, fetched when
    it is read."""

    def __init__(self, name: str):
        self.file = Path(SITE, name)

    def read_bytes(self) -> bytes:
        if not self.file.is_file():
            next(finder for finder in sys.meta_path if isinstance(finder, OnDemand)).fetch(f"static/{self.file.name}")
        return self.file.read_bytes()


class OnDemand:
    """Imports that fetch their part first; it then stands beside the others."""

    def __init__(self, fetch):
        self.fetch = fetch

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name not in ON_DEMAND or Path(SITE, name).is_dir():
            return None
        self.fetch(f"{name}.zip")
        importlib.invalidate_caches()
        return importlib.machinery.PathFinder.find_spec(name)


def find_runtime() -> None:
    """stlite keeps the runtime in a context variable; components of version 2 ask the class (stlite 1.9.2, Streamlit 1.62)."""
    from streamlit.runtime import Runtime, runtime_contextvar

    Runtime.exists = classmethod(lambda _: runtime_contextvar.get(None) is not None)
    Runtime.instance = classmethod(lambda _: runtime_contextvar.get())


def spare_streamlit() -> None:
    """What it looks for and cannot find here: components among the packages, a prompt that it was called from, at each run the
    means to advise a programmer."""
    importlib.import_module("streamlit.components.v2.manifest_scanner").scan_component_manifests = lambda *_: []
    importlib.import_module("streamlit.runtime.app_session").AppSession._compute_skills_nudge_state = lambda _: (False, "")
    generator = importlib.import_module("streamlit.delta_generator")
    generator._use_warning_has_been_displayed = True
    generator.DeltaGenerator.__init__ = new_container


def keep_address() -> None:
    """A run that ends with st.rerun has drawn a part of its page. Streamlit 1.62 then takes the keys of all other widgets out of
    the address; 1.67 does so only after a whole run."""
    runner = importlib.import_module("streamlit.runtime.scriptrunner.script_runner")
    state = importlib.import_module("streamlit.runtime.state.session_state").SessionState
    finish, forget = runner.ScriptRunner._on_script_finished, state._remove_stale_widgets

    def finish_run(self, ctx, event, premature_stop) -> None:
        rerun = event == runner.ScriptRunnerEvent.SCRIPT_STOPPED_FOR_RERUN
        state._remove_stale_widgets = (lambda *_: None) if rerun else forget
        finish(self, ctx, event, premature_stop)

    runner.ScriptRunner._on_script_finished = finish_run


def new_container(self, root_container=0, cursor=None, parent=None, block_type=None) -> None:
    """As Streamlit 1.62 makes one, who also writes into all 120 functions of the class, each time, that they are the class's: a
    tenth of a move."""
    self._root_container, self._provided_cursor, self._parent, self._block_type = root_container, cursor, parent, block_type
    self._creating_fragment_id = self._form_data = None


def draw_first_picture() -> None:
    """The start page's, so that it is kept with its numbers; and garbage collections leave out what is in the image."""
    from components.pages.heads import scene
    from components.widgets.previews import PICTURES, drawn
    from components.widgets.trace import _small_trace
    from mha import Config
    from mha.backends import DEFAULT
    from mha.cost import numbers_kept

    cfg = Config()
    trace = _small_trace(cfg, DEFAULT.code)
    picture = drawn(functools.partial(scene, cfg, trace, False))
    PICTURES.put((scene, (cfg, False), id(trace)), (trace, picture), picture.packed.size + 4 * numbers_kept(cfg))
    gc.collect()
    gc.freeze()


def prepare() -> None:
    """Everything that goes before a visitor's first page, as far as it is the same for all."""
    stand_in_for_ssl()
    stand_in_for_pyarrow()
    stand_in_for_pillow()
    for name in (
        "stlite_lib.runtime_init", "stlite_lib.bootstrap", "stlite_lib.asgi_app", "stlite_lib.codemod",
        "stlite_lib.server.task_context", "streamlit.starlette", "streamlit.web.bootstrap", "streamlit.components.v2",
        "streamlit.emojis", "starlette.applications", "starlette.websockets", "starlette.middleware.sessions", "itsdangerous",
        "toml", "packaging.tags", "packaging.utils", "sysconfig", "concurrent.futures", "statistics", "csv", "decimal",
        "fractions", "encodings.idna", "stringprep",
    ):  # fmt: skip
        importlib.import_module(name)
    from stlite_lib import runtime_init

    find_runtime()
    keep_address()
    spare_streamlit()
    runtime_init.disable_streamlit_logger_overrides()
    runtime_init.disable_runtime_message_cache()
    runtime_init.configure_streamlit(json.loads(Path(HOME, "static.json").read_text(encoding="utf-8")), False)
    import_app()
    draw_first_picture()


def send_at_once(post) -> None:
    """Each message goes to the page when it is made, so that the page draws while the run goes on: Streamlit's loop, in the same
    thread as the run, would send all of them when the run has ended."""
    app_session = importlib.import_module("streamlit.runtime.app_session").AppSession
    runtime = importlib.import_module("streamlit.runtime.runtime").Runtime
    client = importlib.import_module("streamlit.web.server.starlette.starlette_websocket").StarletteSessionClient

    def send(runtime) -> None:
        for info in runtime._session_mgr.list_active_sessions():
            for message in info.session.flush_browser_queue():
                runtime._send_message(info, message)

    app_session._on_scriptrunner_event = app_session._handle_scriptrunner_event_on_event_loop
    runtime._enqueued_some_message = send
    client.write_forward_msg = lambda _, message: post(message.SerializeToString())


def begin(say, fetch, post) -> None:
    """`say`: takes the level and the text of a message of the log. `fetch`: brings a part by its name, an archive unpacked.
    `post`: sends bytes to the page."""
    from stlite_lib import runtime_init

    sys.meta_path.append(OnDemand(fetch))
    send_at_once(post)
    runtime_init.setup_streamlit_logging_with_callback("WARNING", "%(message)s", say)
