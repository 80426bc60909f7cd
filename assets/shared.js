// What the components share.

/** A text in which `^{…}` is raised and `_{…}` lowered. @param {string} text @returns {(string | HTMLElement)[]} */
const set = (text) => text.split(/([_^]\{[^}]*\})/).filter(Boolean).map((part) => (/^[_^]\{/.test(part)
  ? Object.assign(document.createElement(part[0] === "^" ? "sup" : "sub"), { textContent: part.slice(2, -1) }) : part));

/** Whether a component stands on a dark page. @param {Element} box */
const isDark = (box) => {
  const ground = getComputedStyle(box).getPropertyValue("--st-background-color").trim();
  const parts = /^#[0-9a-f]{6}$/i.test(ground) ? [1, 3, 5].map((i) => parseInt(ground.slice(i, i + 2), 16)) : [255, 255, 255];
  return parts.reduce((sum, part) => sum + part) < 384;
};

const SLIPS = 8; // pixels

// A press counts for the button on which it began, although the page shifts before it is let go; not if the pointer itself moves away.
/** @param {HTMLElement} button */
const hold = (button) => {
  let x = 0, y = 0;
  button.onpointerdown = (e) => { [x, y] = [e.clientX, e.clientY]; button.setPointerCapture(e.pointerId); };
  button.onpointermove = (e) => { if (Math.hypot(e.clientX - x, e.clientY - y) > SLIPS) button.releasePointerCapture(e.pointerId); };
};

// A field's value is known in the browser before the server has answered, and while a slider is dragged Streamlit waits for the
// release: the next picture was sent along, and is shown at once.
class SliderPreview {
  /**
   * @param {HTMLElement} box the picture
   * @param {"range" | "number"} kind of the field
   * @param {() => (string | undefined)[]} labels of the fields
   * @param {(value: number, label: string) => void} show
   * @param {AbortSignal} signal
   */
  constructor(box, kind, labels, show, signal) {
    this.box = box;
    this.kind = kind;
    this.labels = labels;
    this.show = show;
    this.signal = signal;
    document.addEventListener("pointerdown", (e) => this.drag(e), { capture: true, signal });
    document.addEventListener("keydown", (e) => this.press(e), { capture: true, signal });
  }

  /** The field that an event belongs to. @param {Event} e */
  field(e) {
    if (!this.box.isConnected || !(e.target instanceof Element)) return null;
    const field = e.target.closest('[data-testid="stSlider"], [data-testid="stNumberInput"]');
    const input = field && /** @type {HTMLInputElement | null} */ (field.querySelector(`input[type=${this.kind}]`));
    return input && this.labels().includes(input.getAttribute("aria-label") ?? "") ? input : null;
  }

  /** @param {HTMLInputElement} input */
  tell(input) {
    this.show(this.value(input), input.getAttribute("aria-label") ?? "");
  }

  // Of a slider with stops the number, not the place among the stops: those may have changed since the picture was sent.
  /** @param {HTMLInputElement} input */
  value(input) {
    return Number((this.kind === "range" && input.getAttribute("aria-valuetext")) || input.value);
  }

  /** @param {PointerEvent} e */
  drag(e) {
    const input = this.field(e);
    if (!input) return;
    let last = this.value(input), left = Infinity;
    const end = new AbortController(), signal = AbortSignal.any([this.signal, end.signal]);
    const release = () => { left = 3; end.abort(); }; // a step's button counts when it is let go
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, release, { signal });
    const poll = () => {
      if (this.value(input) !== last) { last = this.value(input); this.tell(input); }
      if (left-- > 0 && !this.signal.aborted) requestAnimationFrame(poll);
    };
    poll();
  }

  /** @param {KeyboardEvent} e */
  press(e) {
    const input = this.field(e), typed = this.kind === "number";
    if (!input || (typed && !["Enter", "ArrowUp", "ArrowDown"].includes(e.key))) return;
    const before = this.value(input);
    requestAnimationFrame(() => { if (this.value(input) !== before || (typed && e.key === "Enter")) this.tell(input); });
  }
}

// What a component keeps from call to call, made at the first one: `end` is called once, when the component leaves the page.
// (Streamlit also calls the cleanup of a call that a later one has overtaken.)
/**
 * @template {{ end(): void }} Kept
 * @param {ParentNode} element the component's parent element, which carries what is kept
 * @param {string} name
 * @param {() => Kept} make
 * @returns {[kept: Kept, leave: () => void]}
 */
const kept = (element, name, make) => {
  const root = /** @type {ParentNode & Record<string, any>} */ (element);
  root[name] ??= make();
  const call = (root.call = {});
  return [root[name], () => {
    if (root.call !== call) return;
    root[name].end();
    delete root[name];
  }];
};
