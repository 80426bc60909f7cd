"""What the walk in Chromium looks for is found where it is, and not where it is not."""

import pytest

from tests.visitor.chromium import HERE

pytestmark = pytest.mark.browser
OUTSIDE, CLICKABLE = ((HERE / f"{name}.js").read_text() for name in ("outside", "clickable"))


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(("body", "said"), [
    ('<p style="width: 600px">wide words that go on and on and on and on and on and on</p>', "the page scrolls sideways"),
    ('<p style="position: fixed; left: 300px; white-space: nowrap">words that end beyond it</p>', "text outside the window"),
    ('<p style="width: 50px; overflow: hidden; white-space: nowrap">words cut off by a box</p>', "text cut off"),
    ('<header data-testid="stHeader"><button style="position: fixed; left: 380px">…</button></header>', "a button outside"),
])  # fmt: skip
def test_what_cannot_be_read_is_found(page, body, said):
    page.set_content(body)
    assert any(sentence.startswith(said) for sentence in page.evaluate(OUTSIDE))


@pytest.mark.parametrize("body", [
    "<p>words that fit</p>", '<div style="width: 50px; overflow: auto"><p style="width: 600px">a table that scrolls</p></div>',
    '<p style="width: 50px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis">shortened, and says so</p>',
    '<p style="position: absolute; width: 1px; height: 1px; overflow: hidden; white-space: nowrap">for a screen reader</p>',
    '<p style="visibility: hidden; position: fixed; left: 380px">not to be seen</p>',
])  # fmt: skip
def test_what_can_be_read_or_is_not_meant_to_be_seen_is_not(page, body):
    page.set_content(body)
    assert page.evaluate(OUTSIDE) == []


def test_everything_that_can_be_clicked_is_offered_and_nothing_else(page):
    page.set_content("""<button>a</button><button disabled>b</button><input type="range"><input type="number"><input type="text">
      <a href="https://example.invalid">far</a><summary>c</summary><input type="file"><div role="tab">d</div>
      <button style="visibility: hidden">e</button><div style="display: none"><input type="range"></div>
      <button style="position: fixed; left: -300px">f</button>""")
    offered = page.evaluate(CLICKABLE)
    kinds = [one["kind"] for one in offered]
    assert sorted(kinds) == ["button", "button", "button", "number", "slider", "text"]
    assert {one["name"] for one in offered if one["kind"] == "button"} == {"a", "c", "d"}
