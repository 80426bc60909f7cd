"""A file dropped in a real browser: every page of the lab shows its weights, and the real Keras layer confirms them."""

from pathlib import Path

from playwright.sync_api import Page

from headcount import Config, run
from tests.browser.helpers import address, open_app, query, rerun, wait_until_settled
from tests.browser.screen import ERRORS, arithmetic, becomes, check_line, enter, result, title, written
from tests.layer.files.files import CFG, arrays, npz

OWN = ".st-key-whose_weights"
#: The layer of the file on the inputs that the page draws.
TRACE = run(Config(11, 3, 5, 7, 13, 13), params=run(CFG).params)


def test_a_press_on_the_examples_picture_of_a_page_leads_there_also_on_a_phone(page: Page, server: str):
    for size in ((1280, 720), (390, 844)):
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        open_app(page, f"{server}/own_layer")
        wait_until_settled(page)
        matrices, names = (page.locator(one).bounding_box() for one in (".st-key-own_matrices svg", ".st-key-own_read table"))
        field, button = (page.locator(one).bounding_box() for one in (".st-key-own_file", ".st-key-take_example"))
        assert field["y"] + field["height"] <= button["y"], "the own file goes above the example"
        assert button["y"] + button["height"] <= matrices["y"], "the example's button stands with the example"
        assert matrices["y"] + matrices["height"] < 700, "the picture is whole in the first screen"
        assert matrices["y"] < names["y"] or size[0] > 640, "on a phone it comes first"
        assert names["x"] + names["width"] <= size[0]
        box = page.locator(".st-key-thumb_attention img").bounding_box()
        page.mouse.click(box["x"] + 20, box["y"] + 20)
        becomes(page, lambda: address(page), "/attention")


def test_a_file_that_is_too_large_is_refused_and_another_is_what_every_page_shows_until_it_is_let_go(
    page: Page, server: str, tmp_path: Path
):
    with (tmp_path / "large.npz").open("wb") as file:
        file.truncate((64 << 20) + 1)  # a hole: nothing is written
    open_app(page, f"{server}/own_layer")
    uploader = page.locator('input[type="file"]').first
    uploader.set_input_files(tmp_path / "large.npz")
    refusal = page.locator('[data-testid="stFileChip"] [role="alert"]')
    becomes(page, lambda: refusal.count(), 1)
    assert "64" in refusal.inner_text()
    assert refusal.bounding_box()["width"] > 100, "it can be read"
    assert title(page).startswith("Drop a file")

    (tmp_path / "mine.npz").write_bytes(npz(arrays()))
    with rerun(page):
        uploader.set_input_files(tmp_path / "mine.npz")
    becomes(page, lambda: title(page), "3 heads, 11 wide: your layer has 854 parameters.")
    sizes = {"d_model": "11", "num_heads": "3", "split": "Keras", "key_dim": "5", "value_dim": "7"}
    becomes(page, lambda: query(page), sizes)
    wait_until_settled(page)
    picture = page.locator(".st-key-own_matrices svg")
    assert "3 heads, " in picture.get_attribute("aria-label")
    enter(page, "num_heads", 2)
    becomes(page, lambda: "2 heads, " in picture.get_attribute("aria-label"), True)
    enter(page, "num_heads", 3)
    becomes(page, lambda: query(page), sizes)
    wait_until_settled(page)

    for link, cell, value in (
        ("Projections", "q.2.3.1", TRACE.q.values[0, 2, 1, 0]),
        ("Attention", "weights.1.4.3", TRACE.weights.values[0, 0, 3, 2]),
        ("Concatenation", "output.2.5", TRACE.output.values[0, 1, 4]),
    ):
        page.locator('[data-testid="stPageLink"] a', has_text=link).first.click()
        becomes(page, lambda link=link: address(page).startswith(f"/{link.lower()}") and page.locator(OWN).count(), 1)
        wait_until_settled(page)
        assert "your layer" in page.locator(OWN).inner_text()
        enter(page, "cell", cell)
        becomes(page, lambda: arithmetic(page) != "", True)
        wait_until_settled(page)
        assert abs(result(page) - value) < 6e-4
        assert not page.locator(ERRORS).count()
        if link != "Concatenation":
            enter(page, "cell", "")
            becomes(page, lambda: "cell" in query(page), False)  # else Streamlit (1.67) writes this page's address over Back
            wait_until_settled(page)
            page.evaluate("history.back()")
            becomes(page, lambda: title(page).endswith("854 parameters."), True)
            wait_until_settled(page)

    enter(page, "num_heads", 4)
    becomes(page, lambda: "seeded layer" in page.locator(OWN).inner_text(), True)
    page.get_by_role("button", name="Back to its sizes").click()
    becomes(page, lambda: written(page, "num_heads"), "3")
    becomes(page, lambda: "your layer" in page.locator(OWN).inner_text(), True)
    becomes(page, lambda: check_line(page)[:11], lambda said: said.startswith(("✓", "Numbers by")))
    page.get_by_role("button", name="Let go of it").click()
    becomes(page, lambda: page.locator(OWN).count(), 0)
    wait_until_settled(page)
    assert abs(result(page) - run(Config(11, 3, 5, 7, 13, 13)).output.values[0, 1, 4]) < 6e-4
