// Says when the browser is connected again; shuts a phone's menu over the page that was chosen in it; marks the page as touched
// once the visitor does something (assets/style.css); and lets the address, at rest, say what the sliders say: a late answer to
// an earlier move can put an older one there. And opens the search, by the magnifier or the key "/", ready to type.
const REST_MS = 500, LINK = ".st-key-magnifier a", FIELD = ".st-key-find input";

const find = (/** @type {string} */ what) => /** @type {HTMLElement | null} */ (document.querySelector(what));

/** Into the field of the search, once its page is there. @param {number} tries */
const type = (tries) => {
  if (find(FIELD)) find(FIELD)?.focus(); else if (tries) setTimeout(type, 100, tries - 1);
};

class Touch {
  constructor() {
    /** @type {Record<string, [string, string]>} by setting, as the address spells them: its value and the usual one */
    this.values = {};
    this.back = () => {};
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
    if (!root.dataset.menuClosed && covers()) close();
    root.dataset.menuClosed = "once";
    let before = this.connected;
    this.watch = new MutationObserver(() => {
      const back = this.connected && !before;
      before = this.connected;
      this.look();
      if (back) this.back();
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

  agree() {
    if (!this.connected || this.app?.dataset.testScriptState !== "notRunning") return;
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
