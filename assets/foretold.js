// A field's value is known in the browser before the server has answered, and while a slider is dragged Streamlit waits for the
// release: what is coming was sent along, and is told at once. `kind`: range or number; `label`: of the field, or none for now.
class Foretold {
  constructor(box, kind, label, tell) {
    Object.assign(this, { box, kind, label, tell });
    document.addEventListener("pointerdown", (e) => this.drag(e), true);
    document.addEventListener("keydown", (e) => this.press(e), true);
  }

  field(e) {
    const label = this.label();
    if (!label || !this.box.isConnected) return null;
    const input = [...document.querySelectorAll(`input[type=${this.kind}]`)].find((i) => i.getAttribute("aria-label") === label);
    return input?.closest('[data-testid="stSlider"], [data-testid="stNumberInput"]')?.contains(e.target) ? input : null;
  }

  // Of a slider with stops the number, not the place among the stops: those may have changed since the picture was sent.
  said(input) {
    return Number((this.kind === "range" && input.getAttribute("aria-valuetext")) || input.value);
  }

  drag(e) {
    const input = this.field(e);
    if (!input) return;
    let last = this.said(input), left = Infinity;
    addEventListener("pointerup", () => (left = 3), { once: true }); // a step's button counts when it is let go
    const poll = () => {
      if (this.said(input) !== last) this.tell((last = this.said(input)));
      if (left-- > 0) requestAnimationFrame(poll);
    };
    poll();
  }

  press(e) {
    const input = this.field(e), before = input && this.said(input), typed = this.kind === "number";
    if (!input || (typed && !["Enter", "ArrowUp", "ArrowDown"].includes(e.key))) return;
    requestAnimationFrame(() => { if (this.said(input) !== before || (typed && e.key === "Enter")) this.tell(this.said(input)); });
  }
}
