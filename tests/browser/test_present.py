"""The walk by keyboard alone, as with a projector: keys work at once, the picture fits, and nothing is left behind."""

import math
from base64 import b64encode
from collections.abc import Callable
from itertools import pairwise

from playwright.sync_api import Page

from headcount.export.figures import FIGURES
from lessons.walk import FOLLOWED
from lessons.walk import STEPS as STEPS_OF_WALK
from tests.browser.helpers import address, go_back, go_to, open_app, reload, rerun, wait_until_settled
from tests.browser.screen import MAGNIFIER, becomes, everything
from tests.browser.stage import colour
from tests.browser.stage import place as place_of

HERE = "/attention?num_heads=8&head=3"
PLACE = ".st-key-presenter .place"
STEPS = len(STEPS_OF_WALK)


def place(page: Page) -> str:
    return page.locator(PLACE).inner_text()


def walk(page: Page, key: str, to: int) -> None:
    with rerun(page):
        page.keyboard.press(key)
    becomes(page, lambda: place(page), f"{to} of {STEPS}")


#: Where a step's picture is drawn: by the stage with its legend, or by another program.
PICTURES = "div.legend, .st-key-presented_sentence svg, .headcount-chart"
#: Of a picture, the share of the window's height that may stay empty below it.
MAX_EMPTY = 0.28
LARGE, LAPTOP, PHONE = (1920, 1080), (1280, 720), (390, 844)


def room_below(page: Page) -> float:
    """Pixels between the lowest part of the step's picture and the bar."""
    boxes = [place.bounding_box() for place in page.locator(".st-key-presenter").locator(PICTURES).all()]
    lowest = max((box["y"] + box["height"] for box in boxes if box and box["height"] > 0), default=math.inf)
    return page.locator(".st-key-presenter nav").bounding_box()["y"] - lowest


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    wait_until_settled(page)


def fills_the_window_and_no_more(page: Page, step: int, size: tuple[int, int]) -> None:
    resize(page, size)
    wide, high = size
    most = MAX_EMPTY * high if wide > 640 and STEPS_OF_WALK[step - 1].figure in FIGURES else math.inf
    becomes(page, lambda: page.locator("h1:visible").count(), 1)
    becomes(page, lambda: room_below(page), lambda room: 0 <= room < most)
    assert page.evaluate("document.documentElement.scrollWidth") <= wide, step
    for gone in ("stSidebar", "stHeader", "stSidebarNavLink"):
        assert not page.locator(f'[data-testid="{gone}"]').first.is_visible()


def test_the_walk_is_done_by_keyboard_alone_every_step_fills_the_window_and_the_page_is_left_as_it_was(page: Page, server: str):
    open_app(page, server + HERE)
    before = everything(page)
    page.get_by_role("button", name="Present").focus()
    with rerun(page):
        page.keyboard.press("Enter")
    becomes(page, lambda: address(page), f"{HERE}&present=page")
    for step, key in zip(range(1, STEPS + 1), ("PageDown", *("PageDown", "Space", "ArrowRight") * STEPS), strict=False):
        walk(page, key, step)
        becomes(page, lambda step=step: address(page), f"{HERE}&present=1&step={step}")
        for size in (LARGE, LAPTOP):
            fills_the_window_and_no_more(page, step, size)
    walk(page, "ArrowLeft", STEPS - 1)
    walk(page, "PageUp", STEPS - 2)
    walk(page, "Shift+Space", STEPS - 3)
    walk(page, "Home", 1)
    walk(page, "End", STEPS)
    with rerun(page):
        page.keyboard.press("Escape")
    becomes(page, lambda: address(page), HERE)
    assert everything(page) == before


def test_a_link_to_a_step_walks_at_the_first_key_quick_presses_are_steps_and_back_goes_a_step_back(page: Page, server: str):
    open_app(page, f"{server}/concatenation?present=1&step=2")
    assert place(page) == f"2 of {STEPS}"
    page.keyboard.press("/")  # elsewhere it opens the search
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    becomes(page, lambda: address(page), "/concatenation?present=1&step=5")
    becomes(page, lambda: place(page), f"5 of {STEPS}")
    assert page.locator(MAGNIFIER).count() == 0
    go_back(page)
    becomes(page, lambda: place(page), f"4 of {STEPS}")


#: Whether a step's picture or bar is on its way, or its film not there yet. And to a film's place half-way, or to its end.
UNDER_WAY = """() => {
  const parts = [...document.querySelectorAll(".st-key-presenter *")].map((one) => one.shadowRoot).filter(Boolean);
  const box = document.querySelector(".st-key-presented_film"), film = parts.find((one) => one.film)?.film;
  return parts.some((one) => one.stage?.gliding || one.getAnimations().length) || Boolean(box) !== Boolean(film?.count);
}"""
FILM_GOES = """(end) => {
  const film = [...document.querySelectorAll("*")].map((one) => one.shadowRoot?.film).find(Boolean);
  film?.go(end ? film.last : Math.ceil(film.count / 2));
  return Boolean(film);
}"""
#: How many colours of two pictures differ, by more than letters do that are laid on the page once more.
DIFFERENT = """async (pictures) => {
  const [one, other] = await Promise.all(pictures.map(async (text) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const g = new OffscreenCanvas(image.width, image.height).getContext("2d");
    g.drawImage(image, 0, 0);
    return g.getImageData(0, 0, image.width, image.height).data;
  }));
  return one.filter((value, i) => Math.abs(value - other[i]) > 8).length;
}"""
#: How one gets from a step to the next, or to the one before.
WAYS: tuple[Callable[[Page, bool], None], ...] = (
    lambda page, on: page.keyboard.press("ArrowRight" if on else "PageUp"),
    lambda page, on: page.locator(".st-key-bar").locator(".next" if on else ".back").click(),
    lambda page, on: page.locator(".st-key-bar").locator(".next" if on else ".back").tap(),
)


def seen(page: Page) -> list[bytes]:
    """Screenshots of the step: half-way through its film, if it has one, and at its end. No button is pointed at."""
    page.mouse.move(1, 1)
    page.evaluate("document.activeElement.blur()")
    shots = []
    becomes(page, lambda: page.evaluate(UNDER_WAY), False)
    for end in (False, True):
        if page.evaluate(FILM_GOES, end) or end:
            becomes(page, lambda: page.evaluate(UNDER_WAY), False)
            shots.append(page.screenshot())
    return shots


def test_each_step_that_is_walked_to_from_either_side_looks_as_when_it_is_opened_by_its_address(
    new_page: Callable[..., Page], server: str
):
    """By key, button and touch in turn, compared pixel by pixel. Motion is on, because without it no picture glides."""
    page = new_page(reduced_motion="no-preference", has_touch=True)
    opened: dict[tuple[tuple[int, int], int], list[bytes]] = {}
    for step in range(1, STEPS + 1):
        open_app(page, f"{server}/?present=1&step={step}")
        for size in (LAPTOP, PHONE):
            resize(page, size)
            opened[size, step] = seen(page)
    assert sorted(step for (size, step), shots in opened.items() if size == PHONE and len(shots) == 2) == [3, 4, 7, 10, 12]
    other = []
    for size in (LAPTOP, PHONE):
        go_to(page, "/?present=1&step=1")
        resize(page, size)
        for was, step in pairwise([*range(1, STEPS + 1), *range(STEPS - 1, 0, -1)]):
            with rerun(page):
                WAYS[(was + 2 * (size == PHONE)) % 3](page, step > was)
            becomes(page, lambda step=step: place(page), f"{step} of {STEPS}")
            for walked, right in zip(seen(page), opened[size, step], strict=True):
                if walked != right and page.evaluate(DIFFERENT, [b64encode(one).decode() for one in (walked, right)]):
                    other.append((*size, was, step))
    assert other == []


def test_the_buttons_walk_too_space_on_a_button_presses_it_once_and_a_guess_is_a_key(page: Page, server: str):
    open_app(page, f"{server}/?present=1&step=7")
    with rerun(page):
        page.get_by_role("button", name="Next").click()
    becomes(page, lambda: place(page), f"8 of {STEPS}")
    walk(page, "Space", 9)  # the button has the focus
    walk(page, "ArrowRight", 10)
    walk(page, "ArrowRight", 11)
    page.keyboard.press("3")  # a guess is a key, too
    becomes(page, lambda: address(page), "/?present=1&step=12&guess_keras=double")
    becomes(page, lambda: page.get_by_text("You said 2,160: right.").first.is_visible(), True)
    with rerun(page):
        page.get_by_role("button", name="Leave").click()
    becomes(page, lambda: address(page), "/")
    start_in_the_window(page)
    with rerun(page):
        page.get_by_role("button", name="Start here").click()
    becomes(page, lambda: address(page), "/?present=1&step=1")


def start_in_the_window(page: Page) -> None:
    box = page.get_by_role("button", name="Start here").bounding_box()
    assert box["y"] + box["height"] < page.viewport_size["height"]


def test_back_from_a_step_that_was_loaded_anew_leads_to_a_page_that_is_seen(page: Page, server: str):
    open_app(page, server)
    with rerun(page):
        page.get_by_role("button", name="Start here").click()
    reload(page)
    go_back(page)
    becomes(page, lambda: address(page), "/")
    start_in_the_window(page)
    assert page.get_by_role("button", name="Start here").is_visible()


def test_the_charts_type_is_read_in_a_hall(page: Page, server: str):
    """As on the app's slides (headcount/export/style.py): type of 16 on a height of 540 points."""
    open_app(page, f"{server}/?present=1&step=15")
    resize(page, LARGE)
    sizes = "[...document.querySelectorAll('.headcount-chart text')].map((one) => parseFloat(getComputedStyle(one).fontSize))"
    becomes(page, lambda: min(page.evaluate(sizes), default=0), lambda least: least >= 16 / 540 * LARGE[1])


def tap(page: Page, name: str) -> None:
    """Taps the button on a phone. A laptop's button is tapped, too."""
    button = page.get_by_role("button", name=name)
    resize(page, LAPTOP)
    button.tap(trial=True)
    resize(page, PHONE)
    with rerun(page):
        button.tap()


#: Of the steps whose rows have words, the matrices that have them on a phone; small maps side by side draw none.
MATRICES = {2: 1, 4: 1, 5: 1}


def test_one_reader_starts_at_once_guesses_by_touch_and_on_a_phone_every_step_fits_and_every_row_has_its_word(
    new_page: Callable[..., Page], server: str
):
    """Words are 12 pixels high, and rows lower than 11 pixels have no word (assets/stage/layout.json)."""
    page = new_page(viewport={"width": PHONE[0], "height": PHONE[1]}, has_touch=True)
    open_app(page, server)
    start_in_the_window(page)
    with rerun(page):
        page.get_by_role("button", name="Start here").tap()
    becomes(page, lambda: address(page), "/?present=1&step=1")
    for step in range(1, STEPS + 1):
        becomes(page, lambda step=step: place(page), f"{step} of {STEPS}")
        fills_the_window_and_no_more(page, step, PHONE)
        if step in MATRICES:
            becomes(page, lambda step=step: len(page.evaluate(ROOM)), MATRICES[step])
            assert min(page.evaluate(ROOM)) >= 12
        if step < 6:
            tap(page, "Next")
        elif step == 6:
            tap(page, "2,176")
            becomes(page, lambda: address(page), "/?present=1&step=7&guess=double")
            becomes(page, lambda: page.get_by_text("You said 2,176; it is 1,088.").first.is_visible(), True)
        elif step < STEPS:
            walk(page, "PageDown", step + 1)
    tap(page, "Leave")
    becomes(page, lambda: address(page), "/")


STAGE = "[...document.querySelectorAll('*')].map(one => one.shadowRoot?.stage).find(Boolean)"
#: Of each matrix with words, how high a row is.
ROOM = f"{STAGE}.now.blocks.filter(({{ block }}) => block.row_labels?.length).map(({{ block, h }}) => h / block.rows)"
#: Whether the picture is there, and of its film how many areas are filled in and which are marked.
FILLED = f"(() => {{ const film = {STAGE}?.film; return film && [film.landed.length, film.marks]; }})()"
MOVING = "[...document.querySelectorAll('*')].map(one => one.shadowRoot?.film).find(Boolean).moving"


def still(page: Page) -> int:
    return int(page.locator(".st-key-presented_film .film").get_attribute("data-step") or -1)


def hidden(page: Page, name: str, row: int, col: int) -> bool:
    """Whether nothing of this cell's number is visible."""
    return colour(page, place_of(page, name, row, col, key="presented"), "presented", "over", 0.5, 0.5)[3] == 255


def test_a_computation_is_played_by_the_space_bar_still_by_still_and_no_other_key_waits_for_it(page: Page, server: str):
    """The row of "she" in X times the first column of W_Q: 16 products and the bias; then the number appears in Q."""
    open_app(page, f"{server}/?present=1&step=3")
    assert page.evaluate(FILLED) is None, "without motion the whole picture stands at first"
    assert not hidden(page, "q", FOLLOWED, 0)
    for k in range(1, 17):
        page.keyboard.press("Space")
        becomes(page, lambda: page.evaluate(FILLED), [0, [["x", FOLLOWED, k - 1, 1, 1], ["w_q", k - 1, 0, 1, 1]]])
        assert hidden(page, "q", FOLLOWED, 0)
    page.keyboard.press("Space")
    becomes(page, lambda: page.evaluate(FILLED), [0, [["b_q", 0, 0, 1, 1]]])
    page.keyboard.press("Space")
    becomes(page, lambda: page.evaluate(FILLED), [1, [["q", FOLLOWED, 0, 1, 1]]])
    assert not hidden(page, "q", FOLLOWED, 0)
    assert hidden(page, "q", FOLLOWED, 1)
    assert address(page) == "/?present=1&step=3"
    page.get_by_role("button", name="Skip").click()
    becomes(page, lambda: page.evaluate(FILLED), None)
    page.get_by_role("button", name="Step back").click()
    becomes(page, lambda: page.evaluate(FILLED) is not None, True)
    walk(page, "PageDown", 4)
    becomes(page, lambda: page.evaluate(FILLED), None)
    walk(page, "PageUp", 3)
    page.get_by_role("button", name="Step forward").click()
    becomes(page, lambda: still(page), 1)
    page.get_by_role("button", name="Skip").click()
    # The button, switched off, loses the focus with the next frame.
    becomes(page, lambda: page.evaluate("document.activeElement === document.body"), True)
    walk(page, "Space", 4)  # what has been seen to its end no longer takes the space bar


def test_where_motion_is_wanted_the_film_begins_by_itself_pauses_and_leaves_nothing_behind(
    new_page: Callable[..., Page], server: str
):
    """A presenter's remote has no key that could start it."""
    page = new_page(reduced_motion="no-preference")
    open_app(page, f"{server}/?present=1&step=10")
    becomes(page, lambda: still(page) >= 1, True)
    page.keyboard.press("Space")
    becomes(page, lambda: page.evaluate(MOVING), False)
    here = still(page)
    page.wait_for_timeout(2500)  # longer than a still
    assert still(page) == here
    page.keyboard.press("Space")
    becomes(page, lambda: still(page) > here, True)
    walk(page, "PageDown", 11)
    becomes(page, lambda: page.evaluate(FILLED) is None, True)


#: How many cards are drawn, and whether they still glide.
CARDS = (
    f"(() => {{ const {{ now, gliding }} = {STAGE};"
    " return [now.blocks.filter(({ block }) => block.id === ' w_q').length, gliding]; })()"
)


def test_the_space_bar_lets_a_layer_after_the_other_glide_out_of_the_one_before_it(new_page: Callable[..., Page], server: str):
    page = new_page(reduced_motion="no-preference")
    open_app(page, f"{server}/?present=1&step=7")
    for step in (7, 12):
        if step != 7:
            go_to(page, f"/?present=1&step={step}")
        becomes(page, lambda: page.evaluate(CARDS)[0], 2)
        page.keyboard.press("Space")
        becomes(page, lambda: page.evaluate(MOVING), False)
        page.keyboard.press("Space")
        becomes(page, lambda: page.evaluate(CARDS), [3, True])
        page.get_by_role("button", name="Skip").click()
        becomes(page, lambda: page.evaluate(CARDS), [4, False])
        page.get_by_role("button", name="Play again").click()
        becomes(page, lambda: page.evaluate(CARDS)[0], 1)
        walk(page, "PageDown", step + 1)
