// Requests the pictures of a slider's next stops when it is touched, and again after the answer to a move. Gives them to the
// pictures by their keys.
const RESTS = 60; // milliseconds that the pointer rests on a slider before anything is asked for
const STANDS = 250; // milliseconds after the last change of the picture
const WAITS = 2000; // milliseconds after a change
const LOST = 8000; // milliseconds without an answer: where another fragment polls in the same tick, Streamlit 1.67 gives none

class Ahead {
  constructor() {
    /** @type {Foresight.Head | null} */
    this.head = null;
    /** @type {(what: string) => void} */
    this.ask = () => {};
    this.over = ""; // codes of the sliders under the pointer and with the focus
    this.focused = "";
    this.held = false; // a slider below the pointer: what it shows is not told to the server yet
    this.timer = 0;
    this.asked = "";
    this.ended = new AbortController();
    const { signal } = this.ended;
    document.addEventListener("pointerover", (e) => { this.over = this.code(e); this.soon(RESTS); }, { capture: true, signal });
    document.addEventListener("focusin", (e) => { this.focused = this.code(e); this.soon(0); }, { capture: true, signal });
    for (const kind of ["pointerdown", "pointerup", "pointercancel"])
      addEventListener(kind, () => { this.held = kind === "pointerdown"; }, { capture: true, signal });
    // A request in the same message as a change could undo the change, so it waits until the new picture is there.
    for (const kind of ["keydown", "pointerup", "click", "popstate"])
      addEventListener(kind, () => { if (this.timer) this.soon(WAITS); }, { capture: true, signal });
  }

  end() {
    this.ended.abort();
    clearTimeout(this.timer);
    delete window.headcountAhead;
  }

  /** The code of the slider that an event belongs to, or "". @param {Event} e */
  code(e) {
    const { target } = e;
    return (target instanceof Element && this.head?.sliders.find(({ code }) => target.closest(`.st-key-${code}`))?.code) || "";
  }

  /** Whether a slider was moved and has no answer yet, after which a request made now would be out of date. */
  get moved() {
    return !this.held && this.head?.sliders.some(({ code, at }) => {
      const shown = document.querySelector(`.st-key-${code} input[type=range]`)?.getAttribute("aria-valuetext");
      return shown && Number(shown) !== at;
    });
  }

  /** @param {number} after milliseconds */
  soon(after) {
    clearTimeout(this.timer);
    this.timer = 0;
    const code = this.over || this.focused, wanted = `${code} ${this.over ? "far" : "near"}`, { head } = this;
    if (!head || !code || (head.touched === code && (head.far || !this.over))) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (this.moved) return; // its answer comes through `take`
      this.ask((this.asked = wanted));
      this.soon(0);
    }, wanted === this.asked ? LOST : after);
  }

  /** @param {Uint8Array} bytes */
  take(bytes) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true), rest = bytes.subarray(4 + length);
    const head = (this.head = /** @type {Foresight.Head} */ (JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)))));
    const label = head.sliders.find((one) => one.code === head.touched)?.label ?? "";
    const pictures = Object.fromEntries(Object.entries(head.pictures).map(([key, { look, scenes }]) =>
      [key, { look, label, scenes: Object.fromEntries(Object.entries(scenes).map(([value, [from, to]]) => [value, rest.subarray(from, to)])) }]));
    const detail = (window.headcountAhead = { sliders: head.sliders, pictures });
    dispatchEvent(new CustomEvent("headcount-ahead", { detail }));
    this.asked = "";
    this.soon(STANDS);
  }
}

/** @param {ComponentCall<Uint8Array>} component */
export default function (component) {
  const [ahead, leave] = kept(component.parentElement, "ahead", () => new Ahead());
  ahead.ask = (what) => component.setTriggerValue("ask", what);
  ahead.take(component.data);
  return leave;
}
