// Plays a step's computation: the stage hides what is not computed yet and marks what is computed just now. Plays by itself when the
// step is reached, for a presenter's remote has no key for it; where no motion is wanted, still by still.
const LEAD = 1.5; // seconds before the first still, with the results empty

class Film {
  /** @param {ParentNode} root */
  constructor(root) {
    /** @template {HTMLElement} E @param {string} name @returns {E} */
    const part = (name) => /** @type {any} */ (root.querySelector("." + name));
    this.box = part("film");
    /** @type {(name: string) => HTMLButtonElement} */
    const button = (name) => part(name);
    this.play = button("play");
    this.back = button("back");
    this.next = button("next");
    this.skip = button("skip");
    this.act = part("act");
    this.sum = part("sum");
    /** @type {FilmData} */
    this.data = { name: "", rest: "", empty: [], stills: [] };
    this.step = 0; // 0: before the first still; one more than there are stills: at rest, with the whole picture
    this.seen = false; // to its end
    this.frame = 0;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.ended = new AbortController();
    this.play.onclick = () => this.toggle();
    this.back.onclick = () => this.go(this.step - 1);
    this.next.onclick = () => this.go(this.atRest ? 1 : this.step + 1);
    this.skip.onclick = () => this.go(this.last);
    for (const one of [this.play, this.back, this.next, this.skip]) hold(one);
    addEventListener("headcount-space", (e) => { if (!this.seen) { e.preventDefault(); this.toggle(); } }, { signal: this.ended.signal });
  }

  end() {
    this.ended.abort();
    cancelAnimationFrame(this.frame);
    dispatchEvent(new CustomEvent("headcount-film", { detail: null }));
  }

  /** @param {FilmData} data */
  show(data) {
    const other = data.name !== this.data.name;
    this.data = data;
    if (!other) { this.draw(); return; }
    this.go(this.still.matches ? this.last : 0);
    this.seen = false;
    this.box.dataset.shown = "";
    if (this.still.matches) this.draw(); else this.toggle();
  }

  get last() {
    return this.data.stills.length + 1;
  }

  get atRest() {
    return this.step === this.last;
  }

  get moving() {
    return this.frame !== 0;
  }

  /** Seconds from the beginning to a step. @param {number} step */
  begins(step) {
    return step === 0 ? 0 : this.data.stills.slice(0, step - 1).reduce((sum, [, seconds]) => sum + seconds, LEAD);
  }

  // Plays from here, at rest from the beginning; or pauses. Without motion: one still.
  toggle() {
    if (this.still.matches) { this.go(this.atRest ? 1 : this.step + 1); return; }
    if (this.moving) { this.go(this.step); return; }
    if (this.atRest) this.step = 0;
    const start = performance.now() - 1000 * this.begins(this.step);
    /** @param {number} time */
    const tick = (time) => {
      while (!this.atRest && this.begins(this.step + 1) <= (time - start) / 1000) this.step++;
      if (this.atRest) { this.go(this.step); return; }
      this.frame = requestAnimationFrame(tick);
      this.draw();
    };
    this.frame = requestAnimationFrame(tick);
    this.draw();
  }

  /** Stands at a step. @param {number} step */
  go(step) {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.step = Math.max(0, Math.min(this.last, step));
    this.seen ||= this.atRest;
    this.draw();
  }

  draw() {
    const { rest, empty, stills } = this.data, still = stills[this.step - 1];
    dispatchEvent(new CustomEvent("headcount-film", { // at each frame: the picture may have come later than the film
      detail: this.atRest ? null : { empty, landed: stills.slice(0, this.step).flatMap(([, , , , , , lands]) => lands), marks: still?.[5] ?? [] },
    }));
    const shown = `${this.step} ${this.moving}`;
    if (this.box.dataset.shown === `${this.data.name} ${shown}`) return;
    this.box.dataset.shown = `${this.data.name} ${shown}`;
    this.box.dataset.step = String(this.step);
    const words = this.moving ? "❚❚ Pause " : this.still.matches ? "Step " : this.atRest ? "▶ Play again " : "▶ Play ";
    this.play.replaceChildren(words, ...(this.atRest && this.seen ? [] : [Object.assign(document.createElement("kbd"), { textContent: "Space" })]));
    this.back.disabled = this.step === 0;
    this.skip.disabled = this.atRest;
    this.sum.ariaLive = this.moving ? "off" : "polite";
    const [act, , text, result, total] = still ?? [this.atRest ? rest : "", 0, "", "", ""];
    this.act.replaceChildren(...set(act));
    const value = Object.assign(document.createElement("b"), { textContent: result }), sum = document.createElement("span");
    sum.className = "total";
    sum.append("sum so far ", Object.assign(document.createElement("b"), { textContent: total }));
    this.sum.replaceChildren(...set(text), ...(result ? [" = ", value] : []), ...(total ? [sum] : []));
  }
}

/** @param {ComponentCall<Uint8Array>} component of FilmData */
export default function ({ data, parentElement }) {
  const [film, leave] = kept(parentElement, "film", () => new Film(parentElement));
  film.show(read(data));
  return leave;
}
