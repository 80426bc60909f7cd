// Plays a step's computation: the stage hides what is not computed yet and marks what is computed just now. It starts by itself,
// because a presenter's remote has no key for it. With reduced motion it goes still by still.
const LEAD = 1.5; // seconds before the first still, with the results empty

class Film extends Player {
  /** @param {ParentNode} root */
  constructor(root) {
    super(root, "film", 0); // 0: before the first still
    this.act = this.part("act");
    /** @type {FilmData} */
    this.data = { name: "", rest: "", empty: [], stills: [] };
    this.seen = false; // to its end
    addEventListener("headcount-space", (e) => { if (!this.seen) { e.preventDefault(); this.toggle(); } }, { signal: this.ended.signal });
  }

  end() {
    super.end();
    dispatchEvent(new CustomEvent("headcount-film", { detail: null }));
  }

  /** @param {FilmData} data */
  show(data) {
    const other = data.name !== this.data.name;
    this.data = data;
    this.count = data.stills.length;
    if (!other) { this.draw(); return; }
    this.go(this.still.matches ? this.last : 0);
    this.seen = false;
    this.box.dataset.shown = "";
    if (this.still.matches) this.draw(); else this.toggle();
  }

  /** Seconds from the beginning to a step. @param {number} step */
  begins(step) {
    return step === 0 ? 0 : this.data.stills.slice(0, step - 1).reduce((sum, [, seconds]) => sum + seconds, LEAD);
  }

  /** @param {number} step */
  go(step) {
    this.seen ||= step >= this.last;
    super.go(step);
  }

  draw() {
    const { rest, empty, stills } = this.data, still = stills[this.step - 1];
    dispatchEvent(new CustomEvent("headcount-film", { // at each frame: the picture may have come later than the film
      detail: this.atRest ? null : { at: this.step, empty, landed: stills.slice(0, this.step).flatMap(([, , , , , , lands]) => lands), marks: still?.[5] ?? [] },
    }));
    const shown = `${this.step} ${this.moving}`;
    if (this.box.dataset.shown === `${this.data.name} ${shown}`) return;
    this.box.dataset.shown = `${this.data.name} ${shown}`;
    this.box.dataset.step = String(this.step);
    const words = this.moving ? "❚❚ Pause " : this.still.matches ? "Step " : this.atRest ? "▶ Play again " : "▶ Play ";
    this.play.replaceChildren(words, ...(this.atRest && this.seen ? [] : [element("kbd", {}, "Space")]));
    this.back.disabled = this.step === 0;
    this.skip.disabled = this.atRest;
    this.sum.ariaLive = this.moving ? "off" : "polite";
    const [act, , text, result, total] = still ?? [this.atRest ? rest : "", 0, "", "", ""];
    this.act.replaceChildren(...set(act));
    const value = element("b", {}, result), sum = element("span", { className: "total" }, "sum so far ", element("b", {}, total));
    this.sum.replaceChildren(...set(text), ...(result ? [" = ", value] : []), ...(total ? [sum] : []));
  }
}

/** @param {ComponentCall<Uint8Array>} component of FilmData */
export default function ({ data, parentElement }) {
  const [film, leave] = kept(parentElement, "film", () => new Film(parentElement));
  film.show(read(data));
  return leave;
}
