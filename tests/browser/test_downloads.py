"""Downloads arrive: on a slow line, while others move sliders, and by key. If one cannot, the page says why."""

import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, problems, rerun, slider, wait_until_settled
from tests.browser.screen import becomes
from tests.layer.files.files import arrays, npz
from tests.serving import Server, find_chromium
from tests.sockets import others_moving, slow_line

NUMBERS, OTHERS = "Numbers, downloads", "HTML, CSV, npz and Plotly"
#: Seconds that a request for a file takes to arrive.
WAYS = (0.0, 0.1, 0.25, 0.5)
#: What is opened first, where the buttons stand, and what they say.
PLACES = {
    "/figures?figure=divisors": (OTHERS, "files", ("HTML, works offline", "CSV", "npz", "Plotly JSON")),
    "/figures": ("", "lesson", ("The lesson on 2 sheets",)),
    "/projections": (NUMBERS, "stage_files", ("SVG", "PDF", "PNG", "HTML, works offline", "CSV", "npz")),
    "/attention": (NUMBERS, "attention_maps_files", ("SVG", "PDF", "PNG", "HTML, works offline", "CSV", "npz", "Plotly JSON")),
    "/figures?figure=heads&num_heads=2&file=PNG": (OTHERS, "figure_row", ("Save PNG",)),
    "/models": ("", "table_saved", ("CSV",)),
}  # fmt: skip


@pytest.fixture(scope="module")
def writing(tmp_path_factory: pytest.TempPathFactory):
    """A server that has a Chromium to write files with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BROWSER_PATH", find_chromium())
        with Server(tmp_path_factory.mktemp("writing") / "server.log") as running:
            yield running.url


def button(page: Page, where: str, name: str):
    return page.locator(f".st-key-{where}").get_by_role("button", name=name, exact=True).first


def saved(page: Page, where: str, name: str) -> Path:
    with page.expect_download() as saving:
        button(page, where, name).click()
    assert saving.value.failure() is None
    return saving.value.path()


def test_every_kind_of_file_comes_over_a_slow_line_while_five_others_move(page: Page, writing: str):
    """Streamlit (1.67) deletes a file written on a press when any visitor's run ends. With ROUNDS=7 in the environment 210
    buttons are pressed."""
    rounds, failed, pressed = int(os.environ.get("ROUNDS", "1")), [], 0
    with others_moving(writing, 5), slow_line(writing, itertools.cycle(WAYS if rounds > 1 else WAYS[-1:])) as slow:
        for _, (address, (opens, where, names)) in itertools.product(range(rounds), PLACES.items()):
            open_app(page, slow + address)
            if opens:
                page.get_by_text(opens).first.click()
            for name in names:
                pressed += 1
                with page.expect_download() as saving:
                    button(page, where, name).click()
                if saving.value.failure() is not None or saving.value.path().stat().st_size <= 100:
                    failed.append((address, name))
    assert (failed, pressed) == ([], rounds * sum(len(names) for _, _, names in PLACES.values()))


def test_the_address_of_a_figures_file_is_a_link_that_others_can_open(page: Page, server: str):
    open_app(page, f"{server}/figures?figure=steps&num_heads=2&theme=print")
    link = button(page, "figure_row", "Save SVG")
    link.wait_for()
    there = link.evaluate("link => link.href")
    assert there.startswith(f"{server}/file/steps.svg?")
    answer = page.request.get(there)
    assert answer.headers["content-disposition"].endswith("steps_d16_h2.svg")
    assert answer.body() == saved(page, "figure_row", "Save SVG").read_bytes()


@pytest.mark.parametrize(("address", "opens", "where"), [
    ("/figures?figure=heads", OTHERS, "files"), ("/projections", NUMBERS, "stage_files"),
])  # fmt: skip
@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_file_is_saved_by_key_and_the_focus_stays(page: Page, server: str, address: str, opens: str, where: str, key: str):
    """The first file has an address, so its button is a link. The second needs a run of the page."""
    open_app(page, server + address)
    page.get_by_text(opens).first.click()
    one = button(page, where, "CSV")
    one.focus()
    for _ in range(2):
        with page.expect_download() as saving:
            page.keyboard.press(key)
        assert saving.value.path().stat().st_size > 100
        wait_until_settled(page)
        assert one.evaluate("one => one.getRootNode().activeElement === one")


def test_a_button_follows_the_settings(page: Page, server: str):
    open_app(page, f"{server}/figures?figure=heads")
    page.get_by_text(OTHERS).click()
    button(page, "files", "CSV").wait_for()
    slider(page, "Heads `num_heads`").focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    becomes(page, lambda: button(page, "files", "CSV").get_attribute("download"), "heads_d16_h8.csv")
    assert len(saved(page, "files", "CSV").read_text().splitlines()) > 100


@pytest.mark.parametrize(("address", "opens", "where"), [
    ("/figures?figure=heads", OTHERS, "files"), ("/projections", NUMBERS, "stage_files"),
])  # fmt: skip
def test_a_file_that_does_not_come_is_a_sentence_beside_its_button(page: Page, server: str, address: str, opens: str, where: str):
    sentence = "The browser did not finish within 40 seconds. Try again, or smaller sizes."
    open_app(page, server + address)
    page.get_by_text(opens).first.click()
    said = page.locator(f".st-key-{where} [role=status]")
    answers = (
        (lambda route: route.fulfill(status=500, body=sentence, content_type="text/plain; charset=utf-8"), f"CSV: {sentence}"),
        (lambda route: route.fulfill(status=503, body="<h1>?</h1>", content_type="text/html"),
         "CSV: The server did not send it (503). Try again in a few seconds."),
        (lambda route: route.abort(), "CSV: The connection broke. Try again."),
    )  # fmt: skip
    for answer, expected in answers:
        page.route("**/file/**", answer)
        button(page, where, "CSV").click()
        becomes(page, said.inner_text, expected)
        page.unroute("**/file/**")
    problems(page).clear()
    assert saved(page, where, "CSV").stat().st_size > 100
    becomes(page, said.inner_text, "")


def test_where_there_is_no_file_a_press_says_why(page: Page, server: str):
    open_app(page, f"{server}/?d_model=4096&num_heads=2")
    page.get_by_text(NUMBERS).first.click()
    off = button(page, "law_files", "CSV")
    off.wait_for()
    assert off.get_attribute("aria-disabled") == "true"
    off.focus()
    page.keyboard.press("Enter")
    said = page.locator(".st-key-law_files [role=status]")
    becomes(
        page,
        said.inner_text,
        "At these sizes the picture is outlines, without numbers to save. The other kinds of files show it.",
    )


def test_the_file_of_an_own_layer_has_its_numbers_and_cannot_be_fetched_once_more(page: Page, server: str, tmp_path: Path):
    (tmp_path / "mine.npz").write_bytes(npz(arrays()))
    open_app(page, f"{server}/own_layer")
    with rerun(page):
        page.locator('input[type="file"]').first.set_input_files(tmp_path / "mine.npz")
    with rerun(page):
        page.get_by_role("link", name="Concatenation").first.click()
    page.get_by_text(NUMBERS).first.click()
    button(page, "stage_files", "npz").wait_for()
    fetched = []
    page.on("request", lambda request: "/file/" in request.url and fetched.append(request.url))
    with np.load(saved(page, "stage_files", "npz")) as file:
        assert json.loads(str(file["meta"]))["numbers"] == "the layer that was given"
        assert {*file["w_o"].ravel().tolist()} == {*arrays()["w_o"].ravel().tolist()}
    (there,) = fetched
    assert f"{server}/file/offered/" in there
    again = page.request.get(there)
    assert (again.status, again.text()) == (404, "This file was there for a minute and is gone. Press its button once more.")
