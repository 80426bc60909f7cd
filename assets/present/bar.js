// Walks by buttons and by keys. A step is a place in the browser's history: it is gone to as Back and Forward go to one.
const NEXT = ["ArrowRight", "PageDown", " "], BACK = ["ArrowLeft", "PageUp"];
const TYPED_INTO = "input, textarea, select, [contenteditable]";

/** @typedef {{ most: number, step: number, says: string, link: string, asked: string[], note: string }} Place where in the walk (components/presenter) */

/** Keys that were pressed before there was a program to hear them; a guess hears them, too. @param {string[]} keys @param {AbortSignal} signal */
const hearEarly = (keys, signal) => {
  if (!keys.length || signal.aborted) return;
  const guess = [...document.querySelectorAll(".st-key-presented_guess *")];
  if (guess.length && !guess.some((one) => one.shadowRoot?.querySelector("button"))) { setTimeout(() => hearEarly(keys, signal), 50); return; }
  for (const key of keys) document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
};

/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data: sent, parentElement }) {
  /** @type {Place} */
  const data = read(sent);
  const root = /** @type {ParentNode & { ended?: AbortController }} */ (parentElement);
  /** @param {string} name @returns {any} the element of that class, of whichever kind */
  const find = (name) => root.querySelector("." + name);
  const here = () => Math.max(1, Math.min(data.most, Number(new URLSearchParams(location.search).get("step")) || 1));
  const show = () => {
    find("place").parentElement.style.setProperty("--part", String(here() / data.most));
    find("place").textContent = `${here()} of ${data.most}`;
    find("back").disabled = here() === 1;
    find("next").disabled = here() === data.most;
  };
  /** @param {number} step */
  const go = (step) => {
    if (step < 1 || step > data.most || step === here()) return;
    visit((query) => query.set("step", String(step)));
    show();
  };
  const toggle = () => {
    window.headcountNotes = !window.headcountNotes; // from step to step
    showNote();
  };
  const showNote = () => {
    find("note").hidden = !window.headcountNotes;
    find("note").textContent = data.note;
    find("notes").setAttribute("aria-expanded", String(Boolean(window.headcountNotes)));
  };
  const leave = () => visit((query) => ["present", "step", ...data.asked].forEach((key) => query.delete(key)));
  /** @param {KeyboardEvent} e */
  const press = (e) => {
    const target = /** @type {Element} */ (e.composedPath()[0]);
    if (e.ctrlKey || e.metaKey || e.altKey || target.matches?.(TYPED_INTO)) return;
    if (e.key === " " && target.matches?.("button, a")) return;
    if (e.key === "n" || e.key === "N") { toggle(); return; }
    // What can be played (film.js) takes the space bar until it has been seen.
    if (e.key === " " && !e.shiftKey && !dispatchEvent(new CustomEvent("headcount-space", { cancelable: true }))) { e.preventDefault(); return; }
    const step = e.key === "Home" ? 1 : e.key === "End" ? data.most : BACK.includes(e.key) || (e.key === " " && e.shiftKey) ? here() - 1
      : NEXT.includes(e.key) ? here() + 1 : null;
    if (step === null && e.key !== "Escape") return;
    e.preventDefault();
    e.stopPropagation(); // the picture has keys of its own, for where it is not presented
    if (step === null) leave(); else go(step);
  };
  find("back").onclick = () => go(here() - 1);
  find("next").onclick = () => go(here() + 1);
  find("leave").onclick = leave;
  find("notes").onclick = toggle;
  showNote();
  for (const name of ["back", "next", "leave", "notes"]) hold(find(name));
  find("page").href = data.link;
  find("live").textContent = `Step ${data.step} of ${data.most}: ${data.says}`;
  show();
  root.ended?.abort();
  const ended = (root.ended = new AbortController()); // of this call: Streamlit may end one that a later one has overtaken
  document.addEventListener("keydown", press, { capture: true, signal: ended.signal });
  const early = window.headcountKeys ?? [];
  window.headcountKeys = null; // from now on they are heard
  hearEarly(early, ended.signal);
  return () => ended.abort();
}
