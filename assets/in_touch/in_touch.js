// Says when the browser is connected again; shuts a phone's menu over the page that was chosen in it; and marks the page as
// touched once the visitor does something (assets/style.css).
/** @param {ComponentCall<null>} component */
export default function ({ parentElement, setTriggerValue }) {
  const place = /** @type {ParentNode & { watch?: MutationObserver }} */ (parentElement), root = document.documentElement;
  const app = /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="stApp"]'));
  const touched = () => { root.dataset.touched = ""; };
  for (const kind of ["pointerdown", "keydown", "click"]) addEventListener(kind, touched, { capture: true, once: true });
  const state = () => app?.dataset.testConnectionState;
  let before = state();
  const watch = new MutationObserver(() => {
    const back = state() === "CONNECTED" && before !== "CONNECTED";
    before = state();
    if (back) setTriggerValue("back", 1);
  });
  place.watch?.disconnect();
  place.watch = watch;
  if (app) watch.observe(app, { attributes: true, attributeFilter: ["data-test-connection-state"] });
  const covers = () => matchMedia("(max-width: 767.98px)").matches;
  const close = () =>
    document.querySelector('[data-testid="stMain"]')?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
  /** @param {MouseEvent} event */
  const chosen = ({ target }) => { if (covers() && target instanceof Element && target.closest('[data-testid="stSidebar"] a')) close(); };
  document.addEventListener("click", chosen);
  if (!root.dataset.menuClosed && covers()) close();
  root.dataset.menuClosed = "once";
  return () => { watch.disconnect(); document.removeEventListener("click", chosen); };
}
