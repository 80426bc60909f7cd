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
    const inputs = /** @type {HTMLInputElement[]} */ ([...(e.target.closest('[class*="st-key-"]')?.querySelectorAll(`input[type=${this.kind}]`) ?? [])]);
    const [input] = inputs; // the field that has this key, not a group of several
    return inputs.length === 1 && this.labels().includes(input.getAttribute("aria-label") ?? "") ? input : null;
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

// What sliders of the page will show was sent ahead (assets/ahead): one picture takes its own.
class PreviewAhead {
  /**
   * @param {HTMLElement} box the picture
   * @param {() => number | undefined} look of what the server sent last
   * @param {(next: Uint8Array | null, held: boolean) => void} show what a slider's move leads to; null: back to what the server sent last
   * @param {AbortSignal} signal
   */
  constructor(box, look, show, signal) {
    this.box = box;
    this.look = look;
    this.show = show;
    /** @type {[value: number, label: string, held: boolean] | null} a move for which nothing had come */
    this.missed = null;
    addEventListener("headcount-ahead", () => { if (this.missed) this.find(...this.missed); }, { signal });
    const labels = () => (window.headcountAhead?.sliders ?? []).map(({ label }) => label);
    new SliderPreview(box, "range", labels, (...move) => this.find(...move), signal);
  }

  /** @param {number} value @param {string} label @param {boolean} held */
  find(value, label, held) {
    this.missed = [value, label, held];
    const { sliders, pictures } = window.headcountAhead ?? { sliders: [], pictures: {} }, root = this.box.getRootNode();
    const place = root instanceof ShadowRoot ? root.host : this.box;
    const picture = Object.entries(pictures).find(([key]) => place.closest(`.st-key-${key}`))?.[1];
    if (!picture || picture.look !== this.look()) return;
    const here = sliders.find((one) => one.label === label)?.at === value, next = picture.label === label && picture.scenes[value];
    if (!here && !next) return;
    this.missed = null;
    this.show(here || !next ? null : next, held);
  }
}
