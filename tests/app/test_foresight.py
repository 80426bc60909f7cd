"""What the stage is told to show at once when the slider moves is what the server then sends."""

import base64
import struct

import numpy as np
import pytest

from tests.app.driver import PAGES, open_page, stages


def pictures(at) -> list[tuple[dict, np.ndarray]]:
    """Plan and values of every stage of the page."""
    protos = [element.proto for element in at.get("bidi_component") if element.proto.component_name == "headcount_stage"]
    raw = [proto.bytes for proto in protos]
    return [(plan, np.frombuffer(data[4 + struct.unpack("<I", data[:4])[0]:], np.float32))
            for plan, data in zip(stages(at), raw, strict=True)]  # fmt: skip


def seen(plan: dict, values: np.ndarray, rows: list) -> list:
    """What a reader sees: every block with its place and its numbers, every word."""
    shown = []
    for panel in (panel for row in rows for panel in row):
        for block in panel["blocks"]:
            grid = plan["grids"][block["grid"]]
            whole = values[grid["at"]:grid["at"] + grid["rows"] * grid["cols"]].reshape(grid["rows"], grid["cols"])
            part = whole[block["row"]:block["row"] + block["rows"], block["col"]:block["col"] + block["cols"]]
            shown.append((panel["id"], panel["on"], block["id"], block["x"], block["y"], block["width"], block["height"],
                          base64.b64encode(part.tobytes())))  # fmt: skip
        shown += [(panel["id"], text["text"], text["x"], text["y"]) for text in panel["texts"]]
    return shown


@pytest.mark.parametrize("query", [{}, {"split": "free", "key_dim": 3, "value_dim": 5, "mask": "causal"}])
@pytest.mark.parametrize(("here", "there"), [(4, 8), (4, 2), (8, 16)])
@pytest.mark.parametrize("page", PAGES)
def test_what_is_foretold_is_what_comes(page, here, there, query):
    before, after = pictures(open_page(page, num_heads=here, **query)), pictures(open_page(page, num_heads=there, **query))
    told = [(plan, values) for plan, values in before if "slider" in plan]
    assert told
    for (plan, values), (real, real_values) in zip(told, after, strict=False):
        assert plan["slider"]["at"] == here
        if page == "heads" and query and there == 16:  # 80 numbers in a row: its cells will be means
            assert "16" not in plan["slider"]["scenes"]
            continue
        scene = plan["slider"]["scenes"][str(there)]
        first = scene["rows"][0] or [{**panel, "on": panel["go"] == there} for panel in plan["rows"][0]]
        assert seen(scene, values, [first, *scene["rows"][1:]]) == seen(real, real_values, real["rows"])
        assert (scene["alt"], scene["captions"]) == (real["alt"], real["captions"])


def test_nothing_false_is_foretold_where_the_papers_split_has_no_layer():
    """The slider's stops for a width of 6: 1, 2, 3, 6, and 4, its default."""
    (plan, _), *_ = pictures(open_page("attention", d_model=6, num_heads=3))
    assert plan["slider"]["values"] == [1, 2, 3, 4, 6]
    assert list(plan["slider"]["scenes"]) == ["2"]


def test_the_heads_slider_stops_where_the_heads_divide_the_width():
    (plan, _), *_ = pictures(open_page("attention", d_model=20, num_heads=10))
    assert plan["slider"]["values"] == [1, 2, 4, 5, 10, 20]
    (plan, _), *_ = pictures(open_page("attention", d_model=20, num_heads=10, split="free", key_dim=3, value_dim=5))
    assert plan["slider"]["values"] == [1, 2, 4, 8, 10, 16, 32, 64, 128, 256]
