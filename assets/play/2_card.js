// The card's bar: a cell's terms, and the button that closes it. It tells the stage each step, so that the stage marks the step's
// numbers, and obeys the stage's keys.
class Card extends Player {
  /** @param {HTMLElement | ShadowRoot} root */
  constructor(root) {
    super(root, "player", 1);
    this.line = this.part("line");
    this.added = this.part("added");
    this.drawn = "";
    this.cell = "";
    /** @type {Term[]} */
    this.terms = [];
    this.soFar = "";
    this.divides = this.brief = false;
    this.example = false; // of the page, until it is played
    /** @type {(name: string, value: unknown) => void} */
    this.send = () => {};
    const host = root instanceof ShadowRoot ? root.host : root;
    this.card = /** @type {HTMLElement | null} */ (host.closest(".st-key-explain"));
    const { signal } = this.ended;
    /** @type {HTMLButtonElement} */
    this.shut = hold(this.part("close"));
    this.shut.onclick = () => this.close();
    addEventListener("headcount-play", (e) => this.obey(/** @type {CustomEvent<string>} */ (e).detail), { signal });
    document.addEventListener("keydown", (e) => this.key(e), { signal });
    document.addEventListener("focusin", (e) => this.uncover(e), { signal });
  }

  end() {
    super.end();
    this.tell(null);
    this.card?.removeAttribute("data-playing");
  }

  /** @param {Played} data */
  show({ cell, terms, so_far, divides, closes, brief }) {
    this.brief = brief;
    this.example = !closes;
    const other = cell !== this.cell || terms.length !== this.terms.length;
    Object.assign(this, { cell, terms, soFar: so_far, divides, count: terms.length, drawn: "" });
    for (const one of [this.play, this.back, this.next]) one.hidden = terms.length === 0;
    if (!other) { this.draw(); return; }
    this.go(0);
    dispatchEvent(new CustomEvent("headcount-card"));
  }

  // Scrolls an element that gets the focus behind the card to above it.
  /** @param {FocusEvent} e */
  uncover(e) {
    const path = e.composedPath(), target = path[0];
    if (!this.card || path.includes(this.card) || !(target instanceof HTMLElement) || target.offsetHeight > innerHeight / 3) return;
    const main = this.card.closest('[data-testid="stMain"]'), above = this.card.getBoundingClientRect(), behind = target.getBoundingClientRect();
    if (main?.contains(/** @type {Node} */ (e.target)) && behind.right > above.left && behind.bottom > above.top && behind.top < above.bottom) main.scrollBy(0, behind.bottom - above.top + 12);
  }

  /** @param {number} step */
  begins(step) {
    return begins(step, this.count);
  }

  close() {
    this.go(0);
    this.send("close", true);
  }

  draw() {
    const shown = shownAt(this.terms, this.step, this.divides, this.brief ? 0 : EARLIER), { count, drawn } = this;
    this.drawn = `${this.step} ${this.moving}`;
    if (this.drawn === drawn) return;
    this.box.dataset.step = String(this.step);
    this.play.textContent = this.moving ? "❚❚ Pause" : this.still.matches ? "Step" : "▶ Play";
    this.back.disabled = this.step === 0;
    this.next.disabled = this.step > count;
    const { card } = this, ground = getComputedStyle(this.box).getPropertyValue("--st-background-color");
    if (card && shown && !card.hasAttribute("data-playing")) card.style.minHeight = card.offsetHeight + "px"; // what is below it, and the buttons, stay where they are
    this.skip.hidden = this.line.hidden = !shown;
    this.shut.hidden = this.example && !this.step;
    card?.toggleAttribute("data-example", this.shut.hidden);
    card?.style.setProperty("--ground", ground);
    card?.toggleAttribute("data-playing", shown !== null);
    if (card && !shown) card.style.minHeight = "";
    this.tell(shown);
    if (!shown) return;
    const now = element("b", {}, ...set(shown.text));
    this.added.replaceChildren(shown.cut ? "… + " : "", ...shown.before.flatMap((text) => [...set(text), " + "]), now, " = " + shown.result);
    this.sum.ariaLive = this.moving ? "off" : "polite";
    this.sum.replaceChildren(`step ${this.step} of ${count} · ${this.soFar} `, element("b", {}, shown.total));
  }

  /** Tells the stage the places of the present numbers. @param {ShownTerm | null} shown */
  tell(shown) {
    const detail = shown && { cell: this.cell, from: shown.from, to: shown.to };
    dispatchEvent(new CustomEvent("headcount-term", { detail }));
  }

  /** @param {string} what the meaning of the stage's key that was pressed */
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
  const [player, leave] = kept(component.parentElement, "player", () => new Card(component.parentElement));
  player.send = component.setTriggerValue;
  player.show(read(component.data));
  return leave;
}
