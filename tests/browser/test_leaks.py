"""What a page adds to the window is removed with the page: changes of page and reruns leave nothing behind."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.helpers import go_to, open_app
from tests.browser.screen import becomes

#: Counts what the app's components hold on window, document, media queries and in observers. (Streamlit names short programs
#: st-bidi-…, the others are fetched from /programs/.)
COUNT = """() => {
  const ours = () => ((stack) => ["st-bidi-", "/programs/"].some((part) => stack.includes(part)))(new Error().stack);
  const held = (window.heldByOurs = new Set());
  const name = (target) => ({ [window]: "window", [document]: "document", [matchMedia("all")]: "media query" })[target];
  const same = (a, target, type, listener, capture) =>
    a.target === target && a.type === type && a.listener === listener && a.capture === capture;
  const captures = (options) => options === true || !!options?.capture;
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    const target = this ?? window;
    if (name(target) && ours() && !options?.signal?.aborted) {
      const one = { what: `${name(target)} ${type}`, target, type, listener, capture: captures(options) };
      held.add(one);
      if (options?.signal) addEventListener.call(options.signal, "abort", () => held.delete(one));
      if (options?.once) addEventListener.call(target, type, () => held.delete(one), { once: true, capture: one.capture });
    }
    return addEventListener.call(target, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    const target = this ?? window;
    for (const one of held) if (same(one, target, type, listener, captures(options))) held.delete(one);
    return removeEventListener.call(target, type, listener, options);
  };
  for (const kind of ["ResizeObserver", "MutationObserver", "IntersectionObserver"]) {
    const { observe, disconnect } = window[kind].prototype;
    window[kind].prototype.observe = function (...all) {
      if (ours()) { this.heldAs ??= { what: kind }; held.add(this.heldAs); }
      return observe.apply(this, all);
    };
    window[kind].prototype.disconnect = function () { held.delete(this.heldAs); return disconnect.call(this); };
  }
}"""
HELD = "() => [...window.heldByOurs].map((one) => one.what).sort()"


def held(page: Page) -> list[str]:
    """What the window holds, once it no longer changes. A page is settled before its last component is there, and polls for Keras
    stop with its answer."""
    becomes(page, lambda: page.locator(".st-key-poll").count(), 0)
    seen = [page.evaluate(HELD)]
    while len(seen) < 10 or any(one != seen[-1] for one in seen[-10:]):
        assert len(seen) < 200, f"what is held goes on changing: {seen[-5:]}"
        page.wait_for_timeout(100)
        seen.append(page.evaluate(HELD))
    return seen[-1]


#: Each a change of page, of what stands around the page, or of its settings alone.
ROUND = (
    "/projections?num_heads=4", "/attention?num_heads=4&present=1&step=3", "/attention?num_heads=4", "/projections?seed=1",
    "/projections?seed=2", "/", "/trained_heads", "/attention?num_heads=4",
)  # fmt: skip


def test_sixteen_changes_of_page_and_of_settings_leave_nothing_behind(new_page: Callable[..., Page], server: str):
    """Changes are made by address, not by history: if a page is left while loading, Streamlit (1.67) rewrites its address."""
    page = new_page(script=f"({COUNT})()")
    open_app(page, server + ROUND[-1])
    for there in ROUND:
        go_to(page, there)
    before = held(page)
    assert before, "nothing is held at all: the count does not see the app's components"
    for there in ROUND * 2:
        go_to(page, there)
    becomes(page, lambda: held(page), before)
