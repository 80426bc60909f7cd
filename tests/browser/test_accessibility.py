"""axe-core on every page in both themes: nothing of ours has a fault, and the framework's own faults are listed here."""

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from components.menu import FOLDERS, START
from tests.browser.helpers import go_to, open_app, rerun, unfold, wait_until_settled
from tests.browser.screen import PAGES as LAB
from tests.browser.screen import becomes
from tests.browser.stage import drawn
from tests.browser.test_loading import FRESH, PROBE, does_not_jump

PAGES = tuple("" if page == START.name else page for pages in FOLDERS.values() for page in pages)
PHONE = {"width": 390, "height": 844}
#: Further states of pages, by what is on them. The first is opened by a link: of another address nothing is complained of.
STATES = {
    "a complaint about the address": "?num_heads=two", "a head off": "concatenation?head_off=2",
    "a refusal": "?d_model=15&num_heads=4", "a step presented": "projections?present=1&step=5",
    "a step that is played": "?present=1&step=4", "a wrong answer": "quiz?quiz=3&number=10&answers=aaaaaaaaaa",
    "a question of pictures": "quiz?quiz=3&number=21", "a chosen cell, on the stage": "projections?cell=q.2.3.1",
}  # fmt: skip
AXE = Axe().axe_script
#: What Streamlit's own elements break: the rule, what its markup has in it, and why it is not ours to mend.
FRAMEWORK = (
    ("list", 'data-testid="stSidebarNavItems"', "the menu puts its sections' names into the list of its links, in a div"),
    ("listitem", '<li class="st-emotion-cache', "and the links stand in that div"),
    ("presentation-role-conflict", 'data-testid="stFileUploaderDropzone"', "the uploader names what it calls decoration"),
)


def findings(page: Page, *rules: str) -> Iterator[str]:
    """The faults that axe-core finds (by these rules, or by all) and the list above does not explain: rule, place, remedy."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    asked = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    for violation in page.evaluate("(asked) => axe.run(asked).then(({ violations }) => violations)", asked):
        for node in violation["nodes"]:
            if not any(rule == violation["id"] and mark in node["html"] for rule, mark, _ in FRAMEWORK):
                summary = " ".join(node["failureSummary"].split())
                yield f"{violation['id']} ({violation['impact']}): {node['html'][:160]} {summary[:240]}"


def in_both_themes(page: Page) -> dict[str, list[str]]:
    """axe-core's findings in light and in dark. Also texts, in charts too, with too little contrast (WCAG AA: 4.5 to 1, 3 to 1
    for large type), because axe-core reads neither drawings nor half-transparent layers. In dark only colours are tested."""
    found = {}
    for scheme, rules in (("light", ()), ("dark", ("color-contrast",))):
        page.emulate_media(color_scheme=scheme)
        wait_until_settled(page)
        becomes(page, lambda: page.evaluate(PALE_WORDS), [])
        found[scheme] = [*findings(page, *rules), *page.evaluate(PALE)]
    return found


def focus_and_reflow(page: Page) -> dict[str, list[str]]:
    """Faults by rules of WCAG 2.2 that axe-core does not measure: 2.5.8 (targets of 24 pixels), 2.4.11 (hidden focus), 1.4.10
    (320 pixels without sideways scrolling) and 1.4.4 (type of twice the size)."""
    found = {"small targets": page.evaluate(SMALL_TARGETS), "hidden focus": page.evaluate(HIDDEN_FOCUS)}
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    wait_until_settled(page)
    found["sideways at 200 %"] = page.evaluate(SIDEWAYS)
    page.evaluate("document.documentElement.style.fontSize = ''")
    page.set_viewport_size({"width": 320, "height": 640})
    wait_until_settled(page)
    page.wait_for_timeout(1000)  # the menu glides out of sight
    return found | {"sideways at 320 px": page.evaluate(SIDEWAYS), "hidden focus at 320 px": page.evaluate(HIDDEN_FOCUS)}


GOOD = {"small targets": [], "hidden focus": [], "sideways at 200 %": [], "sideways at 320 px": [], "hidden focus at 320 px": []}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "heads")
def test_a_page_does_not_jump_while_it_comes_and_has_nothing_that_shuts_anyone_out(
    new_page: Callable[..., Page], server: str, path: str
):
    """From the first key press on, all later parts are seen as soon as they come."""
    page = new_page(script=PROBE)
    does_not_jump(page, f"{server}/{path}")
    page.keyboard.press("Shift")
    assert not page.evaluate(FRESH)
    if path == "":  # a chart comes when it is seen
        page.locator("summary", has_text="What more heads cost").click()
        page.locator(".js-plotly-plot text").first.wait_for()
    assert in_both_themes(page) == {"light": [], "dark": []}
    assert path not in ("", "attention") or page.locator(".js-plotly-plot text").count()
    assert focus_and_reflow(page) == GOOD


def test_nor_has_a_state_of_a_page(page: Page, server: str):
    found = {}
    for state, there in STATES.items():
        go_to(page, f"/{there}") if found else open_app(page, f"{server}/{there}")
        found[state] = in_both_themes(page)
    assert found == {state: {"light": [], "dark": []} for state in STATES}
    assert "cell=" in there
    assert focus_and_reflow(page) == GOOD
    page.evaluate("""document.querySelector('h1').insertAdjacentHTML('afterend',
      '<img src="data:,"><p style="color: #aaa; background: #fff">pale</p><button></button>')""")
    assert {"image-alt", "color-contrast", "button-name"} <= {line.split(" ")[0] for line in findings(page)}, "faults are found"


def test_nor_have_the_tables_below_pictures(page: Page, server: str):
    open_app(page, f"{server}/attention")
    unfold(page)
    for switch in page.locator("[class*='_table'] summary").all():
        with rerun(page):
            switch.press("Enter")
    assert page.locator(".st-key-attention_maps_tables table, .st-key-divisors_tables table").count() == 4 + 1
    assert in_both_themes(page) == {"light": [], "dark": []}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "heads")
def test_on_a_phone_no_page_jumps_while_it_comes_and_nothing_is_wider_than_the_window(
    new_page: Callable[..., Page], server: str, path: str
):
    """The page is opened on a phone, pressed, and turned upright while open."""
    page = new_page(script=PROBE, viewport=PHONE, has_touch=True, color_scheme="dark")
    does_not_jump(page, f"{server}/{path}")
    page.mouse.click(195, 5)
    assert not page.evaluate(FRESH)
    assert page.evaluate(WIDER) == []
    if path == "attention":
        assert in_both_themes(page) == {"light": [], "dark": []}
    page.set_viewport_size({"width": 844, "height": 390})
    wait_until_settled(page)
    before = [drawn(page)] if path in LAB else []
    page.set_viewport_size(PHONE)
    becomes(page, lambda: all(drawn(page) > count for count in before), True)
    becomes(page, lambda: page.evaluate(WIDER), [])


DEEP = """const deep = (root) => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
  const main = document.querySelector('[data-testid="stMain"]');
  const name = (e) => `${e.tagName} ${e.getAttribute('aria-label') || e.textContent.trim() || e.type || ''}`.slice(0, 60);
  const target = (e) => e.closest('label')
    ?? (e.type === 'range' ? e.closest('[role="group"]') : null) ?? e;
  const usable = deep(document.body).filter(e =>
    e.matches('a[href], button:not(:disabled), input, textarea, summary, [tabindex="0"]')
    && e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getBoundingClientRect().width > 1);"""
# Links in a sentence may be as high as its line.
SMALL_TARGETS = f"""() => {{ {DEEP}
  return usable.filter(e => !e.closest('p, li, td, nav')).flatMap(e => {{
    const {{ width, height }} = target(e).getBoundingClientRect();
    return width < 23.9 || height < 23.9 ? [`${{name(e)}}: ${{Math.round(width)}} × ${{Math.round(height)}}`] : [];
  }});
}}"""
# Forwards and backwards, as Tab and Shift+Tab go.
HIDDEN_FOCUS = f"""() => {{ {DEEP}
  const within = (hit, e) => {{ for (let p = hit; p; p = p.parentNode ?? p.host) if (p === e) return true; return false; }};
  const seen = (e) => {{
    const {{ left, top, width, height }} = target(e).getBoundingClientRect(), parts = [0.05, 0.25, 0.5, 0.75, 0.95];
    return parts.some(i => parts.some(j => {{
      const x = left + i * width, y = top + j * height;
      let hit = document.elementFromPoint(x, y);
      for (let inner; hit?.shadowRoot && (inner = hit.shadowRoot.elementFromPoint(x, y)) && inner !== hit;) hit = inner;
      return hit && (within(hit, target(e)) || hit.contains(e) && hit.closest('[data-testid="stMain"]') && hit !== main
        && hit.getBoundingClientRect().height < 120);
    }}));
  }};
  const inside = usable.filter(e => within(e, main)), hidden = [];
  for (const list of [inside, [...inside].reverse()]) for (const e of list) {{ e.focus(); if (!seen(e)) hidden.push(name(e)); }}
  main.scrollTo(0, 0);
  return hidden;
}}"""
# Wider than the window, and not in a box of its own that scrolls or clips.
SIDEWAYS = """() => {
  const main = document.querySelector('[data-testid="stMain"]'), edge = document.documentElement.clientWidth + 1;
  const boxed = (e) => { for (let p = e.parentElement; p && p !== main; p = p.parentElement)
    if (getComputedStyle(p).overflowX !== 'visible') return true; return false; };
  const wide = [...main.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > edge && e.checkVisibility()
    && !boxed(e) && !e.closest('svg svg, .katex svg'));
  return [...(main.scrollWidth > main.clientWidth ? [`main: ${main.scrollWidth} of ${main.clientWidth}`] : []),
    ...wide.map(e => `${e.tagName} ${e.className} ${e.textContent}`.slice(0, 80))].slice(0, 8);
}"""

# What reaches over the window's right edge: the page itself if it scrolls sideways, and every picture.
WIDER = """() => {
  const wide = innerWidth + 1, found = [];
  for (const one of [document.documentElement, document.body, ...document.querySelectorAll('[data-testid="stMain"]')])
    if (one.scrollWidth > one.clientWidth + 1) found.push(`${one.tagName} scrolls: ${one.scrollWidth} > ${one.clientWidth}`);
  for (const host of document.querySelectorAll('[data-testid^="stBidiComponentIsolated"]'))
    for (const one of host.shadowRoot.querySelectorAll('.stage, canvas, .legend'))
      if (one.getBoundingClientRect().right > wide) found.push(`${one.className}: ${one.getBoundingClientRect().right}`);
  for (const one of document.querySelectorAll('.headcount-chart'))
    if (one.getBoundingClientRect().right > wide) found.push(`chart: ${one.getBoundingClientRect().right}`);
  return found;
}"""

# Words of charts whose colour is too close to the page's, which shows through the charts.
PALE_WORDS = """() => {
  const light = (c) => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const back = light(getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor);
  const ratio = (one) => (Math.max(one, back) + 0.05) / (Math.min(one, back) + 0.05);
  const words = [...document.querySelectorAll('.js-plotly-plot text')].filter(one => one.textContent.trim());
  return words.map(one => [one.textContent, ratio(light(getComputedStyle(one).fill))])
    .filter(([text, found]) => found < 4.5).map(([text, found]) => `${found.toFixed(2)}: ${text}`);
}"""

# Texts whose colour is too close to the first opaque background behind them; formulas and disabled fields apart.
PALE = """() => {
  const g = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (c) => {
    g.clearRect(0, 0, 1, 1); g.fillStyle = c; g.fillRect(0, 0, 1, 1);
    return [...g.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] / 255 + under[i] * (1 - top[3] / 255));
  const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement, style = getComputedStyle(one), text = walker.currentNode.data.trim();
    if (!text || !one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (one.closest('.katex-mathml, pre, kbd, svg, script, style, [disabled], [aria-hidden="true"]')) continue;
    const layers = [];
    let opacity = 1;
    for (let up = one; up; up = up.parentElement) {
      opacity *= +getComputedStyle(up).opacity;
      // A slider's value stands above its thumb, not on it.
      const thumb = up.querySelector(':scope > [data-testid="stSliderThumbValue"]');
      if (!thumb?.contains(one)) layers.push(rgba(getComputedStyle(up).backgroundColor));
    }
    const back = layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
    const ink = rgba(style.color);
    ink[3] *= opacity;
    const [low, high] = [light(over(ink, back)), light(back)].sort((a, b) => a - b), ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.6 && +style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.add(`${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  return [...found];
}"""
