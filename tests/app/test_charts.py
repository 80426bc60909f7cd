"""Charts: the figure is sent as Plotly reads it, a click comes back as the figure's own data, and Plotly's program comes from the
server. Also how components' programs are sent: by address from a server, otherwise inside the message."""

import base64
import gzip
import html
import io
import json
import re
from functools import partial

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit as st
from PIL import Image
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from components.app import runtime
from components.app.server import STATIC, Addresses
from components.menu import PAGES
from components.page import Page
from components.pages.models import BY_CODE
from components.widgets.chart import clicked, pack
from headcount import Config, run
from headcount.stage.plotly_json import TYPES
from headcount.stage.program import PLOTLY, PLOTLY_NAME
from tests.app.driver import ALL_PAGES, come, fetch, figures, preview, seen
from tests.sources import ROOT
from tests.visitor.visitor import clicked as click


def sent(**trace: object) -> dict:
    return json.loads(pack({"data": [trace], "layout": {}}, "words"))["data"][0]


@pytest.mark.parametrize("kind", [*TYPES, "int64", "uint64"])
@pytest.mark.parametrize("shape", [(5,), (3, 7), (2, 3, 5)], ids=str)
def test_an_array_arrives_as_plotly_reads_it(kind: str, shape: tuple[int, ...]):
    """An array is Plotly's name of the type, its bytes in base64, and its sides with commas (a line has none)."""
    array = np.arange(np.prod(shape)).astype(kind).reshape(shape)
    spec = sent(z=array)["z"]
    assert spec.get("shape", "5") == ", ".join(map(str, shape))
    assert spec["dtype"][0] in "iuf"
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(spec["bdata"]), f"<{spec['dtype']}").reshape(shape), array)


@pytest.mark.parametrize("numbers", [[-129, 2], [0, 255], [-3, 40_000], [70_000]])
def test_whole_numbers_stay_what_they_are_in_fewer_bytes(numbers: list[int]):
    spec = sent(x=np.array(numbers))["x"]
    assert np.frombuffer(base64.b64decode(spec["bdata"]), f"<{spec['dtype']}").tolist() == numbers


def test_what_is_no_number_is_nothing_in_a_list_and_stays_in_an_array():
    assert sent(y=[1.5, float("nan"), np.float32("inf")], z=[[np.int64(3)], (None, np.bool_(True))]) == {
        "y": [1.5, None, None], "z": [[3], [None, True]]
    }  # fmt: skip
    spec = sent(z=np.array([2, np.nan], np.float32))["z"]
    assert np.isnan(np.frombuffer(base64.b64decode(spec["bdata"]), np.float32)).tolist() == [False, True]


def test_words_in_an_array_arrive_as_a_list():
    assert sent(text=np.array(["a", "b"], object), x=np.array([])) == {"text": ["a", "b"], "x": []}


def test_what_no_chart_can_hold_is_refused_by_its_name():
    with pytest.raises(TypeError, match="lists and arrays, got set"):
        sent(x={2, 3})


FURTHER = BY_CODE["further"].choices


@pytest.mark.parametrize(("page", "further"), [*((page, "") for page in ALL_PAGES), *(("models", one) for one in FURTHER)])
def test_each_chart_is_one_that_plotly_knows(page: str, further: str):
    """plotly.py refuses names that Plotly does not know, and corrects some that Plotly.js does not (an axis called x1)."""
    chosen = {"further": further} if further else {}
    for key, figure in figures(seen(page, head_off=2, **chosen)).items():
        known = go.Figure({name: figure[name] for name in ("data", "layout")}).to_plotly_json()["layout"]
        assert {name for name in figure["layout"] if "axis" in name} == {name for name in known if "axis" in name}, key
        for name in (name for name in known if "axis" in name):
            assert figure["layout"][name].get("anchor") == known[name].get("anchor"), (key, name)
        assert figure["layout"]["height"] > 0, "its place is kept before it is drawn"


def matrices(at, key: str) -> dict[str, np.ndarray]:
    """The heatmaps of a chart by name, as they are sent."""
    found = {re.sub("<.*?>", "", one["name"]): one["z"] for one in figures(at)[key]["data"] if "hoverinfo" not in one}
    sides = {name: [int(side) for side in z["shape"].split(",")] for name, z in found.items()}
    return {name: np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(sides[name]) for name, z in found.items()}


def test_kernels_projections_results_and_shares_are_on_the_page_without_a_click():
    sizes = {"d_model": 14, "num_heads": 3, "key_dim": 5, "value_dim": 7, "query_len": 11, "key_len": 11, "mask": "causal"}
    layer, same = run(Config(**sizes)), partial(np.testing.assert_allclose, atol=1e-6)
    at = seen("projections", split="Keras", numbers="seed", **sizes)
    for name in "QKV":
        same(matrices(at, "kernels")[f"W{name}"], layer[f"w_{name.lower()}"].values.reshape(14, -1))
        if name != "Q":  # which the corner draws
            same(matrices(at, "projections")[name], layer[name.lower()].values.reshape(11, -1))
    at = seen("concatenation", split="Keras", numbers="seed", **sizes)
    shares, results = matrices(at, "shares"), matrices(at, "results")
    for head in range(3):
        same(results[f"Z{head + 1}"], layer.context.values[0, :, head])
    same(shares["head 1"] + shares["+ head 2"] + shares["+ head 3"] + layer.params.b_o.values, shares["+ bias = output"])
    same(shares["+ bias = output"], layer.output.values[0])


def test_a_slide_shows_as_many_heads_as_the_page():
    """The paper's row has one count four times, Keras's row four counts (1,088 among them), each below its heads."""
    drawn = re.findall("<text[^>]*>([^<]+)", preview(come(present="page")) or "")
    assert [text for text in drawn if re.fullmatch(r"\d+ heads?", text)] == ["1 head", "2 heads", "4 heads", "8 heads"]
    assert [text for text in drawn if re.fullmatch(r"[\d,]+", text)] == ["1,088"] * 4 + ["284", "552", "1,088", "2,160"]


def page_with_a_chart() -> None:
    import streamlit as st

    from components.app.runtime import reported
    from components.widgets.chart import clicked, show_chart

    def show() -> None:
        st.session_state["said"] = clicked("contract"), reported("contract", "point")["data"]

    figure = {"data": [{"type": "scatter", "x": [2, 3], "y": [5, 7], "customdata": ["a", "b"]}], "layout": {"height": 50}}
    show_chart((figure, "words"), "contract", show)


def test_a_click_comes_back_as_the_number_of_its_point_and_what_the_figure_says_of_it():
    at = AppTest.from_function(page_with_a_chart).run()
    ((key, figure),) = figures(at).items()
    assert (key, figure["alt"], figure["click"]) == ("contract", "words", True)
    states = at._tree.get_widget_states()
    states.widgets.append(click(at.get("bidi_component")[0].proto.id, figure))
    at._run(states)
    assert at.session_state["said"] == (1, "b")


@pytest.mark.parametrize("forged", [None, 3, "x", {}, {"at": None}, {"at": [1]}, {"data": "cell"}], ids=str)
def test_a_forged_click_is_none(forged: object, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(st, "session_state", {"chart": {"point": forged}})
    assert clicked("chart") == -1


@pytest.fixture(scope="module")
def server() -> Addresses:
    return Addresses(Starlette())


def test_plotly_is_a_file_of_the_server_that_a_browser_keeps(server: Addresses):
    status, packed, body = fetch(server, f"/static/{PLOTLY_NAME}", b"gzip")
    assert (status, gzip.decompress(body)) == (200, PLOTLY.read_bytes())
    assert packed["content-encoding"] == "gzip"
    status, plain, body = fetch(server, f"/static/{PLOTLY_NAME}", b"identity")
    assert (status, body) == (200, PLOTLY.read_bytes())
    assert int(packed["content-length"]) < 1_600_000 < int(plain["content-length"])
    for headers in (packed, plain):
        assert headers["content-type"].startswith("text/javascript")
        assert "immutable" in headers["cache-control"]
        assert headers["vary"] == "Accept-Encoding"
    assert fetch(server, "/static/plotly-0.0.0.js")[0] == 404


def test_streamlits_own_programs_come_packed_and_nothing_else_of_its_folder(server: Addresses):
    file = max((STATIC / "static" / "js").glob("index.*.js"), key=lambda one: one.stat().st_size)
    status, packed, body = fetch(server, f"/static/js/{file.name}", b"gzip, br")
    assert (status, packed["content-encoding"], gzip.decompress(body)) == (200, "gzip", file.read_bytes())
    assert packed["content-type"].startswith("text/javascript")
    assert fetch(server, f"/static/js/{file.name}")[2] == file.read_bytes()
    for outside in ("/static/../index.html", "/static/../../__init__.py", "/static/js", "/static/js/none.js"):
        assert fetch(server, outside, b"gzip")[0] == 404


def test_it_is_asked_for_with_the_page_only_where_the_first_picture_is_plotlys(server: Addresses):
    early = f'<link rel="preload" as="script" href="./static/{PLOTLY_NAME}">'
    assert early in fetch(server, "/attention")[2].decode()
    assert early not in fetch(server, "/projections")[2].decode()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_shared_link_says_which_page_it_is_and_what_that_answers(server: Addresses, page: Page):
    """The answer is the first line of the page's script, read here as text."""
    asks = html.escape((ROOT / "pages" / f"{page.name}.py").read_text(encoding="utf-8").split('"""')[1].split("\n")[0])
    index = fetch(server, "/" if page is PAGES[0] else f"/{page.name}")[2].decode()
    assert re.findall("<title>(.*)</title>", index.split("</head>")[0]) == [f"{page.title} · Headcount"]
    for kind in ('name="description"', 'property="og:description"'):
        assert f'<meta {kind} content="{asks}">' in index
    assert f'<meta property="og:title" content="{page.title} · Headcount">' in index
    (picture,) = re.findall('<meta property="og:image" content="http://localhost:8501(.*)">', index)
    own = page.name if page.name in ("trained_heads", "projections", "attention", "concatenation", "models") else "heads"
    assert picture == f"/preview/{own}.png"
    status, headers, data = fetch(server, picture)
    assert (status, headers["content-type"], Image.open(io.BytesIO(data)).size) == (200, "image/png", (600, 315))


LONG = f"export default function () {{ {'0; ' * 400} }}"


@pytest.fixture
def serving(monkeypatch):
    """Sets the server's addresses, and removes them after the test."""
    monkeypatch.setattr(runtime, "FILES", {})
    monkeypatch.setattr("components.app.server.FILES", runtime.FILES)
    monkeypatch.setattr(runtime.Serving, "addresses", False)
    monkeypatch.setattr(runtime, "component", runtime.component.__wrapped__)
    return Addresses


def program_sent(monkeypatch, name: str, js: str) -> str:
    """The program as Streamlit gets it."""
    told: dict[str, str] = {}
    monkeypatch.setattr(runtime.v2, "component", lambda name, **parts: told.update(parts))
    runtime.component(name, js)
    return told["js"]


def test_without_a_server_a_program_is_in_the_message(serving, monkeypatch):
    assert program_sent(monkeypatch, "long", LONG) == LONG


def test_with_one_a_program_is_an_address(serving, monkeypatch):
    addresses = serving(None)
    message = program_sent(monkeypatch, "long", LONG)
    (address,) = re.findall(r'"\./([^"]+)"', message)
    assert len(message) < 400 < len(LONG)
    status, headers, body = fetch(addresses, f"/{address}")
    assert (status, body.decode()) == (200, LONG)
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith("text/javascript")
    status, headers, body = fetch(addresses, f"/{address}", b"gzip, br")
    assert (headers["content-encoding"], gzip.decompress(body).decode()) == ("gzip", LONG)


@pytest.mark.parametrize("js", [LONG, "export default function () {}"], ids=["long", "short"])
def test_what_is_fetched_says_when_it_is_drawn(serving, monkeypatch, js):
    """This holds for short programs, too: otherwise everything below stays hidden for seconds (assets/style.css)."""
    serving(None)
    assert '.dataset.testid = "stBidiComponentIsolated drawn"' in program_sent(monkeypatch, "one", js)


def test_another_program_of_the_same_name_has_another_address(serving, monkeypatch):
    serving(None)
    assert program_sent(monkeypatch, "long", LONG) != program_sent(monkeypatch, "long", LONG + "\n")


def test_an_address_of_no_program_is_404(serving):
    assert fetch(serving(None), "/programs/other.js")[0] == 404
