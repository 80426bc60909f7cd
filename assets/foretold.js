// A field's value is known in the browser before the server has answered, and while a slider is dragged Streamlit waits for the
// release: what is coming was sent along, and is told at once. `kind`: range or number; `label`: of the field, or none for now.
class Foretold {
  constructor(box, kind, label, tell, signal) {
    Object.assign(this, { box, kind, label, tell, signal });
    document.addEventListener("pointerdown", (e) => this.drag(e), { capture: true, signal });
    document.addEventListener("keydown", (e) => this.press(e), { capture: true, signal });
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
    const end = new AbortController(), signal = AbortSignal.any([this.signal, end.signal]);
    const release = () => { left = 3; end.abort(); }; // a step's button counts when it is let go
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, release, { signal });
    const poll = () => {
      if (this.said(input) !== last) this.tell((last = this.said(input)));
      if (left-- > 0 && !this.signal.aborted) requestAnimationFrame(poll);
    };
    poll();
  }

  press(e) {
    const input = this.field(e), before = input && this.said(input), typed = this.kind === "number";
    if (!input || (typed && !["Enter", "ArrowUp", "ArrowDown"].includes(e.key))) return;
    requestAnimationFrame(() => { if (this.said(input) !== before || (typed && e.key === "Enter")) this.tell(this.said(input)); });
  }
}

// What a component keeps from call to call, made at its first: `end` is called once, when the component leaves the page.
// (Streamlit also calls the cleanup of a call that a later one has overtaken.)
const kept = (root, name, make) => {
  root[name] ??= make();
  const call = (root.call = {});
  return () => {
    if (root.call !== call) return;
    root[name].end();
    delete root[name];
  };
};
