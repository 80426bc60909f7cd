// The card's bar: play, steps, close. The stage hears of each step and marks where its numbers stand; its keys come here.
class Player {
  /** @param {HTMLElement | ShadowRoot} root */
  constructor(root) {
    /** @template {HTMLElement} E @param {string} name @returns {E} */
    const part = (name) => /** @type {any} */ (root.querySelector("." + name));
    this.box = part("player");
    /** @type {(name: string) => HTMLButtonElement} */
    const button = (name) => part(name);
    this.play = button("play");
    this.back = button("back");
    this.next = button("next");
    this.skip = button("skip");
    this.line = part("line");
    this.added = part("added");
    this.sum = part("sum");
    this.step = 0; // 0 and one more than there are terms: at rest, with the whole arithmetic
    this.frame = 0;
    this.cell = "";
    /** @type {Term[]} */
    this.terms = [];
    this.soFar = "";
    this.divides = false;
    /** @type {(name: string, value: unknown) => void} */
    this.send = () => {};
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    const host = root instanceof ShadowRoot ? root.host : root;
    this.card = /** @type {HTMLElement | null} */ (host.closest(".st-key-explain"));
    this.ended = new AbortController();
    const { signal } = this.ended;
    this.play.onclick = () => this.toggle();
    this.back.onclick = () => this.go(this.step - 1);
    this.next.onclick = () => this.go(this.step + 1);
    this.skip.onclick = () => this.go(this.terms.length + 1);
    this.shut = button("close");
    this.shut.onclick = () => this.close();
    for (const one of [this.play, this.back, this.next, this.skip, this.shut]) hold(one);
    addEventListener("headcount-play", (e) => this.obey(/** @type {CustomEvent<string>} */ (e).detail), { signal });
    document.addEventListener("keydown", (e) => this.key(e), { signal });
    document.addEventListener("focusin", (e) => this.uncover(e), { signal });
  }

  end() {
    this.ended.abort();
    cancelAnimationFrame(this.frame);
    this.tell(null);
    this.card?.removeAttribute("data-playing");
  }

  /** @param {Played} data */
  show({ cell, terms, so_far, divides, closes }) {
    this.shut.hidden = !closes;
    this.card?.toggleAttribute("data-example", !closes);
    const other = cell !== this.cell || terms.length !== this.terms.length;
    Object.assign(this, { cell, terms, soFar: so_far, divides });
    for (const one of [this.play, this.back, this.next]) one.hidden = terms.length === 0;
    if (!other) { this.draw(); return; }
    this.go(0);
    dispatchEvent(new CustomEvent("headcount-card"));
  }

  // What gets the focus behind the card is scrolled to above it.
  /** @param {FocusEvent} e */
  uncover(e) {
    const path = e.composedPath(), target = path[0];
    if (!this.card || path.includes(this.card) || !(target instanceof HTMLElement) || target.offsetHeight > innerHeight / 3) return;
    const main = this.card.closest('[data-testid="stMain"]'), above = this.card.getBoundingClientRect(), behind = target.getBoundingClientRect();
    if (main?.contains(/** @type {Node} */ (e.target)) && behind.bottom > above.top && behind.top < above.bottom) main.scrollBy(0, behind.bottom - above.top + 12);
  }

  get moving() {
    return this.frame !== 0;
  }

  // Plays from here, or from the beginning; or pauses. Without motion: one step.
  toggle() {
    if (this.still.matches) { this.go(this.step > this.terms.length ? 1 : this.step + 1); return; }
    if (this.moving) { this.go(this.step); return; }
    if (this.step < 1 || this.step > this.terms.length) this.step = 1;
    const count = this.terms.length, start = performance.now() - 1000 * begins(this.step, count);
    /** @param {number} time */
    const tick = (time) => {
      const step = reached((time - start) / 1000, count);
      this.frame = step > count ? 0 : requestAnimationFrame(tick);
      if (step !== this.step || !this.moving) { this.step = step; this.draw(); }
    };
    this.frame = requestAnimationFrame(tick);
    this.draw();
  }

  /** Stands at a step. @param {number} step */
  go(step) {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.step = Math.max(0, Math.min(this.terms.length + 1, step));
    this.draw();
  }

  close() {
    this.go(0);
    this.send("close", true);
  }

  draw() {
    const shown = shownAt(this.terms, this.step, this.divides), count = this.terms.length;
    this.box.dataset.step = String(this.step);
    this.play.textContent = this.moving ? "❚❚ Pause" : this.still.matches ? "Step" : "▶ Play";
    this.back.disabled = this.step === 0;
    this.next.disabled = this.step > count;
    this.skip.hidden = this.line.hidden = !shown;
    const { card } = this, ground = getComputedStyle(this.box).getPropertyValue("--st-background-color");
    card?.style.setProperty("--ground", ground);
    if (card && shown && !card.hasAttribute("data-playing")) card.style.minHeight = card.offsetHeight + "px"; // the buttons stay where they are
    card?.toggleAttribute("data-playing", shown !== null);
    if (card && !shown) card.style.minHeight = "";
    this.tell(shown);
    if (!shown) return;
    const now = document.createElement("b");
    now.append(...set(shown.text));
    this.added.replaceChildren(shown.cut ? "… + " : "", ...shown.before.flatMap((text) => [...set(text), " + "]), now, " = " + shown.result);
    this.sum.ariaLive = this.moving ? "off" : "polite";
    const total = Object.assign(document.createElement("b"), { textContent: shown.total });
    this.sum.replaceChildren(`step ${this.step} of ${count} · ${this.soFar} `, total);
  }

  /** Where the present numbers stand: to the stage. @param {ShownTerm | null} shown */
  tell(shown) {
    const detail = shown && { cell: this.cell, from: shown.from, to: shown.to };
    dispatchEvent(new CustomEvent("headcount-term", { detail }));
  }

  /** @param {string} what of the stage's keys was pressed */
  obey(what) {
    if (what === "close") this.go(0);
    else if (!this.terms.length) return;
    else if (what === "toggle") this.toggle();
    else this.go(this.step + (what === "next" ? 1 : -1));
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const path = e.composedPath(), inside = this.card !== null && path.includes(this.card);
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || !(inside || path[0] === document.body)) return;
    if (e.key === "Escape") { e.preventDefault(); this.close(); }
    if (!inside || !this.terms.length) return;
    if (e.key === "ArrowLeft" || e.key === "ArrowRight") { e.preventDefault(); this.go(this.step + (e.key === "ArrowRight" ? 1 : -1)); }
    else if (e.key === " " && !(path[0] instanceof HTMLButtonElement)) { e.preventDefault(); this.toggle(); }
  }
}

/** @param {ComponentCall<Uint8Array>} component of what is Played */
export default function (component) {
  const [player, leave] = kept(component.parentElement, "player", () => new Player(component.parentElement));
  player.send = component.setTriggerValue;
  player.show(read(component.data));
  return leave;
}
