"""Two windows of a lecturer and phones of five sizes in one room: vote, bars, second vote, answer, and back. One phone leaves,
one comes late, and the server dies and comes back."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from components.app.votes import SECRET, VARIABLE, new_code, signature
from tests.browser.screen import becomes
from tests.serving import Server

PHONES = ((320, 568), (360, 740), (390, 844), (412, 915), (844, 390))
WALL = (1280, 720)
OPTIONS = ["544", "1,088", "2,176", "4,352"]
QUESTION = "How many parameters do twice as many heads have?"


@contextmanager
def window(browser: Browser, size: tuple[int, int], address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, has_touch=size != WALL, is_mobile=size != WALL)
    try:
        page = context.new_page()
        page.goto(address)
        yield page
    finally:
        context.close()


def heading(page: Page) -> str:
    found = page.locator(".st-key-presenter h1").all_inner_texts()
    return found[0] if found else ""


def counts(page: Page) -> list[str]:
    """The number above each bar."""
    return [text.strip().split(": ")[-1] for text in page.locator('[data-testid="stProgress"]').all_inner_texts()]


def says(page: Page, words: str) -> None:
    becomes(page, lambda: page.locator(".st-key-presenter").inner_text(), lambda text: words in text)


def vote(page: Page, place: int) -> None:
    button = page.get_by_role("button", name=OPTIONS[place])
    assert button.bounding_box()["height"] >= 44
    button.tap()
    says(page, "Another press changes it.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_room_from_the_first_vote_to_the_answer_and_past_the_servers_death(browser: Browser, tmp_path: Path):
    code = new_code()
    server = Server(tmp_path / "log", **{VARIABLE: SECRET})
    room, lead = f"{server.url}/?room={code}", f"&lead={signature(code)}"
    with ExitStack() as stack:
        stack.callback(server.kill)
        server.start()
        server.wait()
        first, second, third, fourth = (stack.enter_context(window(browser, size, room)) for size in PHONES[:4])
        becomes(first, lambda: heading(first), "This room is not open.")
        wall = stack.enter_context(window(browser, WALL, f"{room}{lead}&present=1&step=6"))
        becomes(wall, lambda: "lead" in wall.url, False)
        wall.reload()  # it leads on
        for phone, place in ((first, 2), (second, 2), (third, 1), (fourth, 0)):
            becomes(phone, lambda phone=phone: heading(phone), QUESTION)
            vote(phone, place)
        vote(second, 3)
        says(wall, "4 votes, 4 phones here.")
        assert counts(wall) == []

        second.reload()  # the tab is the same
        says(second, "Another press changes it.")
        assert second.get_by_role("button", name=OPTIONS[3]).get_attribute("kind") == "primary"
        fourth.close()  # its vote stays

        laptop = stack.enter_context(window(browser, WALL, f"{room}{lead}&present=1&step=11"))
        becomes(first, lambda: first.get_by_role("button", name="1,088").count(), 1)
        becomes(first, lambda: heading(first), lambda text: text != QUESTION)
        wall.reload()
        says(wall, "4 votes")
        first.wait_for_timeout(3500)
        assert heading(first) != QUESTION, "a reload asks nothing anew"
        wall.keyboard.press("PageDown")
        becomes(wall, lambda: counts(wall), ["1", "1", "1", "1"])
        assert "step=6" in wall.url
        laptop.goto(f"{room}{lead}&present=1&step=6")
        becomes(laptop, lambda: counts(laptop), ["1", "1", "1", "1"])
        becomes(first, lambda: counts(first), ["1", "1", "1", "1"])
        late = stack.enter_context(window(browser, PHONES[4], room))
        becomes(late, lambda: counts(late), ["1", "1", "1", "1"])
        says(late, "This vote is over.")

        with wall.expect_popup() as opened:
            wall.keyboard.press("n")
        opened.value.keyboard.press("V")
        for phone in (first, second, third, late):
            says(phone, "Second vote. Press one.")
            vote(phone, 1)
        says(wall, "4 votes")
        says(laptop, "4 votes")
        laptop.keyboard.press("2")  # a guess shows the votes, too, and in both windows
        becomes(wall, lambda: counts(wall), ["1", "1", "1", "1", "0", "4", "0", "0"])
        becomes(late, lambda: counts(late), ["1", "1", "1", "1", "0", "4", "0", "0"])
        left, right = (wall.locator('[data-testid="stProgress"]').nth(place).bounding_box() for place in (0, 4))
        assert abs(left["y"] - right["y"]) < 2
        assert left["x"] + left["width"] <= right["x"]
        assert "Right:" not in late.locator(".st-key-presenter").inner_text()

        wall.keyboard.press("PageDown")
        says(first, "Right: 1,088, the same. You took it.")
        becomes(wall, lambda: counts(wall), ["1", "1", "1", "1", "0", "4", "0", "0"])
        wall.keyboard.press("PageUp")
        says(first, "This vote is over.")
        becomes(wall, lambda: counts(wall), ["1", "1", "1", "1", "0", "4", "0", "0"])
        assert "step=6" in wall.url

        server.kill()
        server.environment.pop(VARIABLE)  # as when it is started by hand
        server.start()
        server.wait()
        becomes(first, lambda: heading(first), "This room is not open.")
        says(wall, "This room has ended: the server that signed its link is gone.")
        wall.get_by_role("button", name="Let phones vote").click()
        says(wall, "0 votes, 0 phones here.")
        becomes(wall, lambda: "lead" in wall.url, False)
        third.goto(wall.url.replace("present=1&step=6", ""))
        becomes(third, lambda: heading(third), QUESTION)
