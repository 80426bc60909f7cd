// Pointing, choosing, walking by keyboard, and lighting up what a cell comes from.
Object.assign(Stage.prototype, {
  find(e) {
    const r = this.over.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
    for (const one of this.now?.blocks || [])
      if (x >= one.x && y >= one.y && x < one.x + Math.max(one.w, 1) && y < one.y + Math.max(one.h, 1) && one.b.m)
        return { one, r: Math.floor((y - one.y) / (one.h / one.b.nr)), c: Math.floor((x - one.x) / (one.w / one.b.nc)) };
    const f = this.now?.frames.find((f) => f.p.go && x >= f.x && y >= f.y && x < f.x + f.w && y < f.y + f.h);
    return f ? { frame: f } : null;
  },

  address(hit) {
    const { b } = hit.one;
    if (!this.plan.computed.includes(b.n) || this.plan.grids[b.m].pool !== 1) return null;
    return [b.n, ...(b.hd === undefined ? [] : [b.hd + 1]), ...this.where(hit)].join(".");
  },

  // Row and column as one speaks of them, from 1: within the head's own matrix, and the other way round where it is drawn transposed.
  where({ one: { b }, r, c }) {
    const place = b.hd === undefined ? [b.r + r + 1, b.c + c + 1] : [r + 1, c + 1];
    return b.tr ? place.reverse() : place;
  },

  locate(address) {
    if (!address) return null;
    const parts = address.split("."), name = parts.shift(), [row, col] = parts.slice(-2).map((s) => s - 1);
    const head = parts.length === 3 ? parts[0] - 1 : undefined;
    return { name, head, row, col };
  },

  hits() {
    if (!this.chosen) return [];
    const { name, head, row, col } = this.chosen;
    return this.now.blocks.filter(({ b }) => b.n === name && b.hd === head && b.m && this.plan.grids[b.m].pool === 1)
      .map((one) => (one.b.tr ? { one, r: col, c: row } : head === undefined ? { one, r: row - one.b.r, c: col - one.b.c } : { one, r: row, c: col }))
      .filter(({ one, r, c }) => r >= 0 && c >= 0 && r < one.b.nr && c < one.b.nc);
  },

  point(hit) {
    this.hover = hit && hit.one ? hit : null;
    this.over.style.cursor = hit ? "pointer" : "";
    this.overlay();
    if (!this.hover) { this.tip.hidden = true; return; }
    this.say(this.hover, this.tip);
    this.tip.hidden = false;
    const { one, r, c } = hit, x = one.x + ((c + 1) * one.w) / one.b.nc + 8, y = one.y + (r * one.h) / one.b.nr;
    this.tip.style.left = Math.max(0, Math.min(x, this.width - this.tip.offsetWidth)) + "px";
    this.tip.style.top = Math.max(0, y - this.tip.offsetHeight - 6) + "px";
  },

  say(hit, into) {
    const { b } = hit.one, grid = this.plan.grids[b.m];
    const v = this.plan.values[grid.at + (b.r + hit.r) * grid.nc + b.c + hit.c];
    const label = this.plan.labels[b.n] || b.n;
    const head = b.hd === undefined ? "" : ` of head ${b.hd + 1}`;
    const [row, col] = this.where(hit);
    into.textContent = grid.pool > 1
      ? `${label}${head}: mean of ${grid.flat ? 1 : grid.pool} × ${grid.pool} numbers = ${number(v)}`
      : `${label}${head}, row ${row}, column ${col} = ${number(v)}`;
  },

  overlay() {
    const g = this.over.getContext("2d");
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.over.width, this.over.height);
    const chosen = this.hits(), c = this.colours;
    for (const hit of this.hover ? [this.hover] : chosen) this.light(g, hit, c);
    if (this.hover) for (const hit of chosen) this.ring(g, hit.one, hit.r, hit.c, 1, 1, c.accent, 2);
  },

  ring(g, one, r, c, nr, nc, colour, width) {
    const w = one.w / one.b.nc, h = one.h / one.b.nr;
    g.strokeStyle = colour; g.lineWidth = width;
    g.strokeRect(one.x + c * w - 1, one.y + r * h - 1, nc * w + 1, nr * h + 1);
  },

  light(g, hit, c) {
    const { one, r, c: k } = hit, i = one.b.r + r, j = one.b.c + k;
    for (const other of this.now.blocks) {
      if (other === one) continue;
      if (other.b.m === one.b.m && !one.b.src?.length) {
        const rr = i - other.b.r, cc = j - other.b.c;
        if (rr >= 0 && cc >= 0 && rr < other.b.nr && cc < other.b.nc) this.ring(g, other, rr, cc, 1, 1, c.ink, 2);
      }
      for (const [id, part, by] of one.b.src || []) {
        if (other.b.id !== id || other.p.zone !== one.p.zone) continue;
        const at = by === "r" ? r : k;
        if (part === "row") this.ring(g, other, at, 0, 1, other.b.nc, c.ink, 2);
        else if (part === "col") this.ring(g, other, 0, at, other.b.nr, 1, c.ink, 2);
        else if (part === "cell") this.ring(g, other, r, k, 1, 1, c.ink, 2);
      }
    }
    this.ring(g, one, r, k, 1, 1, c.ink, 4);
    this.ring(g, one, r, k, 1, 1, c.lift, 1.5);
  },

  choose(hit, soon) {
    const address = hit && this.address(hit);
    if (hit && !address) return;
    this.chosen = this.locate(address);
    this.hover = null;
    this.overlay();
    if (hit) this.say(hit, this.live);
    this.waiting = address || "";
    clearTimeout(this.patience);
    this.patience = setTimeout(() => (this.waiting = undefined), 3000);
    clearTimeout(this.later);
    this.later = setTimeout(() => this.send("cell", address || ""), soon ? 0 : 180);
  },

  click(hit) {
    if (!hit) return;
    const panel = hit.frame ? hit.frame.p : hit.one.p;
    if (panel.go) this.send("go", panel.go);
    else this.choose(hit, true);
  },

  key(e) {
    const usable = this.now.blocks.filter((one) => one.b.m && this.address({ one, r: 0, c: 0 }));
    if (!usable.length) return;
    const hit = this.hits()[0], step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
    if (e.key === "Escape") { this.choose(null, true); return; }
    if (!step && !["PageDown", "PageUp", "Home", "Enter", " "].includes(e.key)) return;
    e.preventDefault();
    if (!hit || e.key === "Home") return this.choose({ one: usable[0], r: 0, c: 0 });
    if (step) {
      const { nr, nc } = hit.one.b;
      return this.choose({ one: hit.one, r: Math.max(0, Math.min(nr - 1, hit.r + step[0])), c: Math.max(0, Math.min(nc - 1, hit.c + step[1])) });
    }
    const way = e.key === "PageDown" ? 1 : e.key === "PageUp" ? usable.length - 1 : 0;
    const next = usable[(usable.indexOf(hit.one) + way) % usable.length];
    this.choose({ one: next, r: Math.min(hit.r, next.b.nr - 1), c: Math.min(hit.c, next.b.nc - 1) }, way === 0);
  },
});
