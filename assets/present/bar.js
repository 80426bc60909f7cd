// Moves through the walk by buttons and keys. Each step is an entry in the browser's history, as for Back and Forward.
const NEXT = ["ArrowRight", "PageDown", " "], BACK = ["ArrowLeft", "PageUp"], BLACK = ["b", "B", "."];
const TYPED_INTO = "input, textarea, select, [contenteditable]";
/** The address's keys that stay through a sequence. */
const KEPT = ["sequence", "room"];
const NOTES = "headcount-notes";

/** @typedef {[code: string, label: string, stops: number[], at: number]} Size */
/** @typedef {{ first: number, most: number, next: string, says: string, link: string, asked: string[], note: string, sizes: Size[], lines: string[] }} Place
 * where in the walk (components/presenter): the least step and the last one, what Next says, the picture's sliders, and a sequence's addresses */

/** Obeys keys that were pressed before this program was loaded. A guess obeys them, too. @param {string[]} keys @param {AbortSignal} signal */
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
  /** @param {string} name @returns {any} the element of that class */
  const find = (name) => root.querySelector("." + name);
  const asked = () => new URLSearchParams(location.search);
  const here = () => Math.max(data.first, Math.min(data.most, Number(asked().get("step")) || data.first));
  const show = () => {
    find("place").parentElement.style.setProperty("--part", String(here() / data.most));
    find("place").textContent = here() ? `${here()} of ${data.most}` : "";
    find("back").hidden = find("place").hidden = !here();
    find("back").disabled = here() === 1;
    find("next").disabled = here() === data.most;
    find("next").textContent = data.next;
  };
  /** @param {number} step */
  const go = (step) => {
    if (step < 1 || step > data.most || step === here()) return;
    // The buttons that show the votes, or the answer of the quiz.
    const first = [".st-key-show_votes button", ".st-key-reveal button"].map((one) => document.querySelector(one)).find(Boolean);
    if (first && step === here() + 1) { /** @type {HTMLElement} */ (first).click(); return; }
    const before = asked(), line = data.lines[step - 1];
    visit((query) => {
      for (const key of line ? KEPT : []) if (before.has(key)) query.set(key, before.get(key) ?? "");
      query.set("present", line ? "page" : "1");
      query.set("step", String(step));
    }, line);
    show();
  };
  const tell = () => {
    if (!window.headcountNotes || window.headcountNotes.closed) return;
    const { body } = window.headcountNotes.document;
    window.headcountNotes.document.title = `${here()} of ${data.most}`;
    body.style.font = "28px/1.4 sans-serif";
    body.textContent = data.note;
  };
  /** Opens a window for the speaker's own screen. It has no program of its own, and passes its keys to this one. */
  const openNotes = () => {
    const notes = window.headcountNotes = window.open("", NOTES, "popup,width=640,height=360");
    if (notes) notes.onkeydown = (e) => document.dispatchEvent(new KeyboardEvent("keydown", { key: e.key, code: e.code, shiftKey: e.shiftKey, bubbles: true, cancelable: true }));
    tell();
  };
  const leave = () => visit((query) => ["present", "step", "sequence", ...data.asked].forEach((key) => query.delete(key)));
  /** @param {KeyboardEvent} e */
  const press = (e) => {
    const target = /** @type {Element} */ (e.composedPath()[0]), black = find("black");
    const moves = target.matches?.("[type=range]") ? e.key.startsWith("Arrow") : target.matches?.(TYPED_INTO);
    if (e.ctrlKey || e.metaKey || e.altKey || moves) return;
    if (BLACK.includes(e.key)) { black.hidden = !black.hidden; return; }
    black.hidden = true;
    if (e.key === " " && target.matches?.("button, a")) return;
    if (e.key === "n" || e.key === "N") { openNotes(); return; }
    // A film (film.js) takes the space bar until it has been seen.
    if (e.key === " " && !e.shiftKey && !dispatchEvent(new CustomEvent("headcount-space", { cancelable: true }))) { e.preventDefault(); return; }
    const step = e.key === "Home" ? 1 : e.key === "End" ? data.most : BACK.includes(e.key) || (e.key === " " && e.shiftKey) ? here() - 1
      : NEXT.includes(e.key) ? here() + 1 : null;
    if (step === null && e.key !== "Escape") return;
    e.preventDefault();
    e.stopPropagation(); // the picture has keys of its own, for where it is not presented
    if (step === null) leave(); else go(step);
  };
  const sliders = find("sliders");
  if (sliders.children.length !== data.sizes.length) {
    sliders.replaceChildren(...data.sizes.map(([, label]) => {
      const input = Object.assign(document.createElement("input"), { type: "range", ariaLabel: label });
      return element("label", {}, label, input, element("b", {}));
    }));
    if (!data.lines.length) sliders.querySelector("input")?.focus();
  }
  data.sizes.forEach(([code, , stops, at], place) => {
    const [input, number] = sliders.children[place].children;
    const put = (/** @type {number} */ value) => { number.textContent = input.ariaValueText = String(value); };
    input.max = stops.length - 1;
    if (String(at) === (asked().get(code) ?? String(at))) { input.value = stops.indexOf(at); put(at); } // else it is still being moved
    input.oninput = () => {
      put(stops[input.value]);
      visit((query) => query.set(code, String(stops[input.value])), undefined, "replaceState");
    };
  });
  find("back").onclick = () => go(here() - 1);
  find("next").onclick = () => go(here() + 1);
  find("leave").onclick = leave;
  find("notes").onclick = openNotes;
  find("notes").hidden = !data.note;
  tell();
  for (const name of ["back", "next", "leave", "notes"]) hold(find(name));
  find("page").href = data.link;
  find("page").hidden = !data.link;
  find("live").textContent = data.says;
  show();
  root.ended?.abort();
  const ended = (root.ended = new AbortController()); // of this call: Streamlit may end one that a later one has overtaken
  document.addEventListener("keydown", press, { capture: true, signal: ended.signal });
  const early = window.headcountKeys ?? [];
  window.headcountKeys = null; // from now on they are heard
  hearEarly(early, ended.signal);
  return () => ended.abort();
}
