// The stage: draws a scene (blocks of cells) on a canvas, lets the blocks glide from one scene to the next,
// and lights up where a cell comes from. The files of this folder are one program, joined in the order of their names.
const PALETTE = /*PALETTE*/{};
const GLIDE = 420, PAD = 12, GAP = 26, LINE = 18, CAPTION = 32, EDGE = 4; // EDGE: frames and rings stand out of their blocks

export default function (component) {
  const root = component.parentElement, leave = kept(root, "stage", () => new Stage(root));
  root.stage.send = component.setTriggerValue;
  root.stage.show(component.data);
  return leave;
}

const parse = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const plan = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  plan.values = new Float32Array(bytes.slice(4 + length).buffer);
  return plan;
};
const ease = (t) => (t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2);
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const ramp = (colours) => {
  const list = colours.map(rgb), table = [];
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (list.length - 1), low = Math.min(Math.floor(at), list.length - 2), part = at - low;
    table.push(list[low].map((a, j) => Math.round(a + (list[low + 1][j] - a) * part)));
  }
  return table;
};
const pieces = (text) => text.split(/([_^]\{[^}]*\})/).filter(Boolean)
  .map((s) => (/^[_^]\{/.test(s) ? { s: s.slice(2, -1), low: s[0] === "_", up: s[0] === "^" } : { s }));
const number = (v) => (Number.isNaN(v) ? "masked" : (Math.abs(v) < 5e-4 && v !== 0 ? v.toExponential(1) : v.toFixed(3)).replace("-", "−"));

class Stage {
  constructor(root) {
    this.box = root.querySelector(".stage");
    this.base = root.querySelector(".base");
    this.over = root.querySelector(".over");
    this.tip = root.querySelector(".tip");
    this.live = root.querySelector(".live");
    this.legend = root.querySelector(".legend");
    this.serial = 0;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.ended = new AbortController();
    const { signal } = this.ended;
    addEventListener("resize", () => { if (this.plan?.large) this.arrange(false); }, { signal });
    this.observer = new ResizeObserver(() => { if (this.plan && this.box.clientWidth !== this.width) this.arrange(false); });
    this.observer.observe(this.box);
    this.over.addEventListener("pointermove", (e) => this.point(this.find(e)), { signal });
    this.over.addEventListener("pointerleave", () => this.point(null), { signal });
    this.over.addEventListener("click", (e) => this.click(this.find(e)), { signal });
    this.over.addEventListener("keydown", (e) => this.key(e), { signal });
    new Foretold(this.box, "range", () => this.plan?.slider?.label, (value) => this.foretell(value), signal);
  }

  // Listeners, frames and timers end, and the canvases give their memory back.
  end() {
    this.ended.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.patience);
    clearTimeout(this.later);
    for (const canvas of [this.base, this.over]) canvas.width = canvas.height = 0;
    this.plan = this.home = this.now = null;
  }

  show(bytes) {
    const plan = parse(bytes), same = this.look === plan.look;
    this.plan = this.home = plan;
    this.look = plan.look;
    const told = plan.chosen || "";
    if (this.waiting === undefined || this.waiting === told) {
      this.waiting = undefined;
      this.chosen = this.locate(told);
    } // else: the answer to an earlier step, while a later one is on its way
    this.take();
    const style = getComputedStyle(this.box);
    const back = style.getPropertyValue("--st-background-color").trim() || "#ffffff";
    const dark = rgb(back.length === 7 ? back : "#ffffff").reduce((a, b) => a + b) < 384;
    this.colours = PALETTE[dark ? "dark" : "light"];
    this.font = style.getPropertyValue("--st-font").trim() || "sans-serif";
    const both = ramp(this.colours.signed);
    this.ramps = { signed: both, weight: both, score: both, share: ramp(this.colours.share) };
    this.drawLegend();
    this.arrange(!same && this.serial > 0);
  }

  take() {
    this.rows = this.plan.rows;
    this.over.setAttribute("aria-label", this.plan.alt);
  }

  foretell(value) {
    const { scenes, at } = this.plan.slider, next = value === at ? this.home : scenes[value];
    if (!next) return;
    const [first, ...others] = next.rows;
    const rows = [first.length ? first : this.home.rows[0].map((p) => ({ ...p, on: p.go === value })), ...others];
    this.plan = { ...this.plan, ...next, rows };
    this.look = "";
    this.take();
    this.arrange(true);
  }
}
