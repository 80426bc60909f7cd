"""Drops a file as a visitor does, and reads whose weights a page shows."""

import base64

import numpy as np

from components.pages.own_layer import intake
from tests.app.driver import figures, open_page, pictures
from tests.layer.files.files import SQUARE, arrays, keras_h5, keras_model, safetensors, torch_names

KERAS = keras_model(keras_h5(arrays()))
TORCH = safetensors(torch_names(SQUARE, arrays(SQUARE), "encoder."))


def drop(at, data: bytes, name: str = "model.keras"):
    return at.file_uploader[0].upload(name, data, "application/octet-stream").run()


def dropped(page: str = "", **query: object):
    """The page on which a layer with 3 heads, 11 wide, was dropped, or another `page` opened after that."""
    at = drop(open_page("own_layer", **query), KERAS)
    return go(at, page) if page else at


def go(at, page: str):
    return at.switch_page(f"pages/{page}.py").run()


def weights_line(at) -> str:
    """The line that says whose weights are shown; "" if there is no such line."""
    return next((element.value for element in at.markdown if element.value.startswith(":material/folder_special:")), "")


def seen_numbers(at) -> set[int]:
    """Every number in the pictures on the page, without those that are prefetched."""
    found = set()
    for plan, values in pictures(at):
        for grid in plan["grids"].values():
            found |= numbers(values[grid["at"] : grid["at"] + grid["rows"] * grid["cols"]])
    for figure in figures(at).values():
        for trace in figure["data"]:
            if trace["type"] == "heatmap":
                found |= numbers(np.frombuffer(base64.b64decode(trace["z"]["bdata"]), np.float32))
    return found


def numbers(values: np.ndarray) -> set[int]:
    return {int(n) for n in np.round(values[np.isfinite(values)] * 1e5)}


def held_layer(at) -> intake.VisitorLayer:
    return at.session_state[intake.KEY]
