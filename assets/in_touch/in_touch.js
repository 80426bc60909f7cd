// Reports that the browser is connected again, and returns the focus to the control that had it. Closes a phone's menu after a page
// is chosen. Marks the page as touched once the visitor does something (assets/style.css). Corrects the address at rest, because a
// late answer to an earlier move can put an older value there. Opens the search by the magnifier or the key "/".
const REST_MS = 500, LINK = ".st-key-magnifier a", FIELD = ".st-key-find input";

const find = (/** @type {string} */ what) => /** @type {HTMLElement | null} */ (document.querySelector(what));

/** @type {Element | null} the element with the focus, or the one that had it when Streamlit (1.67) disabled it without a connection */
let held = null;

/** Focuses the field of the search once its page is there. @param {number} tries */
const type = (tries) => {
  if (find(FIELD)) find(FIELD)?.focus(); else if (tries) setTimeout(type, 100, tries - 1);
};

class Touch {
  constructor() {
    /** @type {Record<string, [string, string]>} each setting's value and default, as the address spells them */
    this.values = {};
    this.back = () => {};
    this.lost = false; // whether the page has not been at rest since it was connected again
    this.rest = 0;
    this.ended = new AbortController();
    this.app = find('[data-testid="stApp"]');
    const { signal } = this.ended, root = document.documentElement, once = { capture: true, once: true, signal };
    for (const kind of ["pointerdown", "keydown", "click", "popstate"]) addEventListener(kind, () => { root.dataset.touched = ""; }, once);
    addEventListener("popstate", () => clearTimeout(this.rest), { signal }); // Back: the server's answer is still to come
    const covers = () => matchMedia("(max-width: 767.98px)").matches;
    const close = () =>
      find('[data-testid="stMain"]')?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
    document.addEventListener("click", ({ target }) => {
      if (covers() && target instanceof Element && target.closest('[data-testid="stSidebar"] a')) close();
    }, { signal });
    document.addEventListener("click", (e) => {
      if (!(e.target instanceof Element && e.target.closest(LINK))) return;
      if (find(FIELD)) { e.preventDefault(); e.stopPropagation(); }
      type(50);
    }, { capture: true, signal });
    document.addEventListener("keydown", (e) => {
      const [at] = e.composedPath();
      if (e.key !== "/" || e.ctrlKey || e.metaKey || (at instanceof Element && at.matches("input:not([type=range]), textarea"))) return;
      if (find(LINK)) e.preventDefault();
      find(LINK)?.click();
    }, { signal });
    if (document.activeElement !== document.body) held = document.activeElement;
    document.addEventListener("focusin", ({ target }) => { held = target instanceof Element ? target : null; }, { signal });
    document.addEventListener("focusout", ({ target }) => {
      if (target instanceof Element && target.matches(":enabled, a")) held = null; // the visitor has left it
    }, { signal });
    if (!root.dataset.menuClosed && covers()) close();
    root.dataset.menuClosed = "once";
    let before = this.connected;
    this.watch = new MutationObserver(() => {
      const back = this.connected && !before;
      before = this.connected;
      this.lost ||= !before;
      this.look();
      if (back) this.back();
      this.hold();
    });
    const attributeFilter = ["data-test-connection-state", "data-test-script-state"];
    if (this.app) this.watch.observe(this.app, { attributes: true, attributeFilter });
  }

  get connected() { return this.app?.dataset.testConnectionState === "CONNECTED"; }

  look() {
    find('[data-testid="stExpandSidebarButton"]')?.setAttribute("aria-label", "Menu");
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.agree(), REST_MS);
  }

  /** Returns the focus to the control that had it, which may have been drawn again. */
  hold() {
    if (!this.lost || !this.connected || document.activeElement !== document.body) return;
    const name = held?.getAttribute("aria-label");
    const there = held?.isConnected || !name ? held : find(`[aria-label="${CSS.escape(name)}"]`);
    if (there instanceof HTMLElement) there.focus({ preventScroll: true });
  }

  agree() {
    if (!this.connected || this.app?.dataset.testScriptState !== "notRunning") return;
    this.hold();
    this.lost = false;
    const said = new URLSearchParams(location.search);
    const wrong = Object.entries(this.values).filter(([code, [value, usual]]) => (said.get(code) ?? usual) !== value);
    for (const [code, [value, usual]] of wrong) value === usual ? said.delete(code) : said.set(code, value);
    if (wrong.length) history.replaceState(history.state, "", `${location.pathname}?${said}`);
  }

  end() {
    this.ended.abort();
    this.watch.disconnect();
    clearTimeout(this.rest);
  }
}

/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data, parentElement, setTriggerValue }) {
  const [touch, leave] = kept(parentElement, "touch", () => new Touch());
  touch.values = read(data);
  touch.back = () => setTriggerValue("back", 1);
  touch.look();
  return leave;
}
