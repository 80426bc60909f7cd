// A field's value is known in the browser before the server has answered, and while a slider is dragged Streamlit waits for the
// release: the next picture was sent along, and is shown at once.
class SliderPreview {
  /**
   * @param {HTMLElement} box the picture
   * @param {"range" | "number"} kind of the field
   * @param {() => (string | undefined)[]} labels of the fields
   * @param {(value: number, label: string, held: boolean) => void} show `held`: by a pointer that may go on
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

  /** @param {HTMLInputElement} input @param {boolean} [held] */
  tell(input, held = false) {
    this.show(this.value(input), input.getAttribute("aria-label") ?? "", held);
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
      if (this.value(input) !== last) { last = this.value(input); this.tell(input, left === Infinity); }
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
