// Says when the browser is connected again; shuts a phone's menu over the page that was chosen in it; marks the page as touched
// once the visitor does something (assets/style.css); and lets the address, at rest, say what the sliders say: a late answer to
// an earlier move can put an older one there.
const REST_MS = 500;
/** @param {ComponentCall<Uint8Array>} component data: by setting, as the address spells them, its value and the usual one. */
export default function ({ data, parentElement, setTriggerValue }) {
  const place = /** @type {ParentNode & { watch?: MutationObserver }} */ (parentElement), root = document.documentElement;
  const app = /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="stApp"]'));
  const touched = () => { root.dataset.touched = ""; };
  for (const kind of ["pointerdown", "keydown", "click"]) addEventListener(kind, touched, { capture: true, once: true });
  const state = () => app?.dataset.testConnectionState;
  let before = state();
  const agree = () => {
    if (state() !== "CONNECTED" || app?.dataset.testScriptState !== "notRunning") return;
    const said = new URLSearchParams(location.search), values = /** @type {Record<string, [string, string]>} */ (read(data));
    const wrong = Object.entries(values).filter(([code, [value, usual]]) => (said.get(code) ?? usual) !== value);
    for (const [code, [value, usual]] of wrong) value === usual ? said.delete(code) : said.set(code, value);
    if (wrong.length) history.replaceState(history.state, "", `${location.pathname}?${said}`);
  };
  let rest = setTimeout(agree, REST_MS);
  const stepped = () => clearTimeout(rest); // Back: the server's answer is still to come
  addEventListener("popstate", stepped);
  const watch = new MutationObserver(() => {
    clearTimeout(rest);
    rest = setTimeout(agree, REST_MS);
    const back = state() === "CONNECTED" && before !== "CONNECTED";
    before = state();
    if (back) setTriggerValue("back", 1);
  });
  place.watch?.disconnect();
  place.watch = watch;
  if (app) watch.observe(app, { attributes: true, attributeFilter: ["data-test-connection-state", "data-test-script-state"] });
  const covers = () => matchMedia("(max-width: 767.98px)").matches;
  const close = () =>
    document.querySelector('[data-testid="stMain"]')?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
  /** @param {MouseEvent} event */
  const chosen = ({ target }) => { if (covers() && target instanceof Element && target.closest('[data-testid="stSidebar"] a')) close(); };
  document.addEventListener("click", chosen);
  if (!root.dataset.menuClosed && covers()) close();
  root.dataset.menuClosed = "once";
  return () => {
    watch.disconnect();
    clearTimeout(rest);
    document.removeEventListener("click", chosen);
    removeEventListener("popstate", stepped);
  };
}
