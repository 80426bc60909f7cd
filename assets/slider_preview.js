// The browser knows a slider's value before the server has answered, and during a drag Streamlit waits for the release. The pictures
// of next stops are prefetched (assets/ahead): a picture takes its own, and shows it at once.
class PreviewAhead {
  /**
   * @param {HTMLElement} box the picture
   * @param {() => number | undefined} look the number of the picture that the server sent last
   * @param {(next: Uint8Array | null, held: boolean) => void} show shows a prefetched picture; null: the server's last one
   * again; `held`: a pointer holds the slider and may go on
   * @param {AbortSignal} signal
   */
  constructor(box, look, show, signal) {
    this.box = box;
    this.look = look;
    this.show = show;
    this.signal = signal;
    /** @type {[input: HTMLInputElement, held: boolean, value: number] | null} a move without a prefetched picture */
    this.missed = null;
    addEventListener("headcount-ahead", () => { if (this.missed) this.find(...this.missed); }, { signal });
    document.addEventListener("pointerdown", (e) => this.drag(e), { capture: true, signal });
    document.addEventListener("keydown", (e) => this.press(e), { capture: true, signal });
  }

  get sent() {
    return window.headcountAhead ?? { sliders: [], pictures: {} };
  }

  /** The slider that an event belongs to. @param {Event} e */
  slider(e) {
    if (!this.box.isConnected || !(e.target instanceof Element)) return null;
    const inputs = /** @type {HTMLInputElement[]} */ ([...(e.target.closest('[class*="st-key-"]')?.querySelectorAll("input[type=range]") ?? [])]);
    const [input] = inputs; // the slider that has this key, not a group of several
    return inputs.length === 1 && this.sent.sliders.some(({ label }) => label === input.getAttribute("aria-label")) ? input : null;
  }

  // The number, not its place among the stops, which may have changed since the picture was sent.
  /** @param {HTMLInputElement} input */
  value(input) {
    return Number(input.getAttribute("aria-valuetext") || input.value);
  }

  /** @param {PointerEvent} e */
  drag(e) {
    const input = this.slider(e);
    if (!input) return;
    let last = this.value(input), left = Infinity;
    const end = new AbortController(), signal = AbortSignal.any([this.signal, end.signal]);
    const release = () => { left = 3; end.abort(); }; // a press on the track counts when it is let go
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, release, { signal });
    const poll = () => {
      if (this.value(input) !== last) { last = this.value(input); this.find(input, left === Infinity); }
      if (left-- > 0 && !this.signal.aborted) requestAnimationFrame(poll);
    };
    poll();
  }

  /** @param {KeyboardEvent} e */
  press(e) {
    const input = this.slider(e);
    if (!input) return;
    const before = this.value(input);
    requestAnimationFrame(() => { if (this.value(input) !== before) this.find(input, false); });
  }

  /** @param {HTMLInputElement} input @param {boolean} held @param {number} value */
  find(input, held, value = this.value(input)) {
    this.missed = [input, held, value];
    const label = input.getAttribute("aria-label"), { sliders, pictures } = this.sent;
    const root = this.box.getRootNode(), place = root instanceof ShadowRoot ? root.host : this.box;
    const picture = Object.entries(pictures).find(([key]) => place.closest(`.st-key-${key}`))?.[1];
    if (!picture || picture.look !== this.look()) return;
    const here = sliders.find((one) => one.label === label)?.at === value, next = picture.label === label && picture.scenes[value];
    if (!here && !next) return;
    this.missed = null;
    this.show(here || !next ? null : next, held);
  }
}
