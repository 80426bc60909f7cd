// Steps through a computation by buttons, by itself, or step by step with reduced motion. What a step shows is in the classes made
// from it: the card of a cell's arithmetic (play/2_card.js) and a step of the walk (present/film.js).
class Player {
  /** @param {ParentNode} root @param {string} name of its box @param {number} first the step at which it begins to play */
  constructor(root, name, first) {
    /** @template {HTMLElement} E @param {string} name @returns {E} */
    this.part = (name) => /** @type {any} */ (root.querySelector("." + name));
    this.box = this.part(name);
    /** @type {(name: string) => HTMLButtonElement} */
    const button = (name) => hold(this.part(name));
    this.play = button("play");
    this.back = button("back");
    this.next = button("next");
    this.skip = button("skip");
    this.sum = this.part("sum");
    this.first = first;
    this.step = 0;
    this.count = 0; // of steps, from 1; one more: at rest, with all of it
    this.frame = 0;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.ended = new AbortController();
    this.play.onclick = () => this.toggle();
    this.back.onclick = () => this.go(this.step - 1);
    this.next.onclick = () => this.go(this.atRest ? 1 : this.step + 1);
    this.skip.onclick = () => this.go(this.last);
  }

  end() {
    this.ended.abort();
    cancelAnimationFrame(this.frame);
  }

  get last() {
    return this.count + 1;
  }

  get atRest() {
    return this.step === this.last;
  }

  get moving() {
    return this.frame !== 0;
  }

  /** Seconds from the beginning to a step. @param {number} step @returns {number} */
  begins(step) {
    return step;
  }

  // Plays from here (from the beginning at the end), or pauses. With reduced motion: one step.
  toggle() {
    if (this.still.matches) { this.go(this.atRest ? 1 : this.step + 1); return; }
    if (this.moving) { this.go(this.step); return; }
    if (this.atRest || this.step < this.first) this.step = this.first;
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

  /** Goes to a step and stays there. @param {number} step */
  go(step) {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.step = Math.max(0, Math.min(this.last, step));
    this.draw();
  }

  // Called at each frame: the picture may have come later than the player.
  draw() {}
}
