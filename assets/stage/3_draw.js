// Drawing: cells, frames, words, the legend.
Object.assign(Stage.prototype, {
  draw(t, was) {
    const g = this.base.getContext("2d"), c = this.colours;
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.base.width, this.base.height);
    for (const f of this.now.frames) {
      if (!f.p.go) continue;
      g.beginPath(); g.roundRect(f.x, f.y, f.w, f.h, 10);
      if (f.p.on) { g.fillStyle = c.lift; g.fill(); }
      g.lineWidth = f.p.on ? 2 : 1; g.strokeStyle = f.p.on ? c.ink : c.line; g.stroke();
    }
    for (const one of this.now.blocks) this.drawBlock(g, one, t, was);
    for (const one of this.now.texts) this.drawText(g, one);
  },

  drawBlock(g, one, t, was) {
    const { b } = one, c = this.colours, grid = b.m && this.plan.grids[b.m];
    const hue = b.hue === undefined ? null : c.heads[b.hue % c.heads.length];
    const w = Math.max(one.w, 1), h = Math.max(one.h, 1);
    g.globalAlpha = b.fd ? 0.22 : 1;
    if (grid) {
      const cw = one.w / b.nc, ch = one.h / b.nr, gap = Math.min(cw, ch) >= 5 ? 1 : 0;
      const old = was && this.before(one, was);
      const table = this.ramps[grid.k], top = this.plan.tops[grid.k] || 1, values = this.plan.values;
      const write = cw >= 26 && ch >= 16 && grid.pool === 1;
      for (let r = 0; r < b.nr; r++)
        for (let k = 0; k < b.nc; k++) {
          const i = (b.r + r) * grid.nc + b.c + k, v = values[grid.at + i];
          let x = one.x + k * cw, y = one.y + r * ch;
          if (old && b.r + r < old.nr && b.c + k < old.nc) {
            const j = 2 * ((b.r + r) * old.nc + b.c + k), ox = old[j], oy = old[j + 1];
            if (ox === ox) { x = ox + (x - ox) * t; y = oy + (y - oy) * t; }
          }
          if (v !== v) { this.hatch(g, x, y, cw, ch); continue; }
          const s = grid.k === "share" ? v / top : 0.5 + v / (2 * top);
          const colour = table[Math.max(0, Math.min(255, Math.round(s * 255)))];
          g.fillStyle = `rgb(${colour[0]},${colour[1]},${colour[2]})`;
          g.fillRect(x, y, Math.max(cw - gap, 0.6), Math.max(ch - gap, 0.6));
          if (write && t === 1) {
            g.fillStyle = colour[0] * 0.3 + colour[1] * 0.59 + colour[2] * 0.11 > 140 ? "#14181d" : "#fafafa";
            g.font = `${Math.min(Math.max(13, cw * 0.27), cw / 3)}px ${this.font}`; g.textAlign = "center"; g.textBaseline = "middle";
            g.fillText(v.toFixed(2).replace(/^-0\.00$/, "0.00").replace("-", "−"), x + cw / 2, y + ch / 2);
          }
        }
    } else { g.fillStyle = hue || c.muted; g.globalAlpha *= 0.16; g.fillRect(one.x, one.y, w, h); g.globalAlpha = b.fd ? 0.22 : 1; }
    this.drawFrame(g, one, hue, t, was);
    this.labels(g, one);
    g.globalAlpha = 1;
  },

  // A frame glides from where its block was; that of a new block fades in.
  drawFrame(g, one, hue, t, was) {
    const old = was?.rects.get(one.p.zone + "|" + one.b.id), at = (key) => (old ? old[key] + (one[key] - old[key]) * t : one[key]);
    const x = at("x"), y = at("y"), w = Math.max(at("w"), 1), h = Math.max(at("h"), 1), tight = hue && w < 5;
    if (was && !old) g.globalAlpha *= Math.max(0, 2 * t - 1);
    if (!tight) {
      g.lineWidth = hue ? 1.5 : 1; g.strokeStyle = hue || this.colours.line;
      g.beginPath(); g.roundRect(x - 1.5, y - 1.5, w + 2, h + 2, 2.5); g.stroke();
    }
    if (!hue || !one.b.st) return;
    g.fillStyle = hue;
    if (one.b.st === "top") g.fillRect(x - (tight ? 0 : 2), y - 7, w + (tight ? 0 : 3), 3.5);
    else g.fillRect(x - 7, y - (tight ? 0 : 2), 3.5, h + (tight ? 0 : 3));
  },

  labels(g, one) {
    const { b } = one, ch = one.h / b.nr, cw = one.w / b.nc, off = (side) => (b.st === side && b.hue !== undefined ? 12 : 8);
    g.fillStyle = this.colours.muted; g.font = `12px ${this.font}`; g.textBaseline = "middle";
    if (b.rl && ch >= 11) { g.textAlign = "right"; b.rl.forEach((s, i) => g.fillText(s, one.x - off("left"), one.y + (i + 0.5) * ch, 78)); }
    if (!b.cl || cw < 11) return;
    const slanted = cw < 40 || b.cl.some((s) => g.measureText(s).width > cw - 4);
    if (slanted) g.font = `${Math.min(12, 0.87 * cw)}px ${this.font}`; // two slanted ones stand no closer than their type is high
    b.cl.forEach((s, i) => {
      g.save(); g.translate(one.x + (i + 0.5) * cw, one.y - off("top"));
      if (slanted) g.rotate(-Math.PI / 3);
      g.textAlign = slanted ? "left" : "center"; g.fillText(s, 0, 0, 78); g.restore();
    });
  },

  hatch(g, x, y, w, h) {
    g.strokeStyle = this.colours.muted; g.lineWidth = 0.7;
    g.save(); g.beginPath(); g.rect(x, y, w - 1, h - 1); g.clip(); g.beginPath();
    for (let d = -h; d < w; d += 5) { g.moveTo(x + d, y + h); g.lineTo(x + d + h, y); }
    g.stroke(); g.restore();
  },

  wrap(text, width, size) {
    const g = this.base.getContext("2d"), made = [""];
    g.font = `${size}px ${this.font}`;
    for (const word of text.split(" ")) {
      const longer = (made.at(-1) + " " + word).trim();
      if (made.at(-1) && g.measureText(longer).width > width) made.push(word); else made[made.length - 1] = longer;
    }
    return made;
  },

  drawText(g, one) {
    const { t } = one, c = this.colours, parts = pieces(t.t);
    const face = (p) => `${t.k === "strong" ? 600 : 400} ${p.low || p.up ? t.s * 0.76 : t.s}px ${this.font}`;
    let wide = 0;
    for (const p of parts) { g.font = face(p); p.w = g.measureText(p.s).width; wide += p.w; }
    let x = one.x - (t.a === "middle" ? wide / 2 : t.a === "end" ? wide : 0);
    x = Math.max(0, Math.min(x, this.width - wide)); // a word at the edge stays on the canvas
    g.textAlign = "left"; g.textBaseline = "alphabetic";
    g.fillStyle = t.hue === undefined ? (t.k === "muted" ? c.muted : c.ink) : c.text[t.hue % c.text.length];
    for (const p of parts) { g.font = face(p); g.fillText(p.s, x, one.y + (p.low ? t.s * 0.22 : p.up ? -t.s * 0.38 : 0)); x += p.w; }
  },

  drawLegend() {
    this.legend.replaceChildren();
    this.legend.style.justifyContent = this.plan.large ? "center" : "";
    this.legend.style.fontSize = 12 * this.measures().zoom + "px";
    const kinds = new Set(Object.values(this.plan.grids).map((grid) => grid.k));
    for (const kind of kinds) {
      const top = this.plan.tops[kind] || 1, bar = document.createElement("span");
      const text = (s) => Object.assign(document.createElement("span"), { textContent: s });
      bar.className = "bar";
      bar.style.background = `linear-gradient(90deg, ${this.colours[kind === "share" ? kind : "signed"].join(",")})`;
      const pool = Math.max(...Object.values(this.plan.grids).filter((grid) => grid.k === kind).map((grid) => grid.pool));
      const one = document.createElement("span");
      one.className = "scale";
      one.append(text({ weight: "weights", signed: "values", score: "scores", share: "attention" }[kind]), text(kind === "share" ? "0" : "−" + top.toFixed(2)), bar,
        text(kind === "share" ? "1" : "+" + top.toFixed(2)));
      if (pool > 1) one.append(text(`each cell shows the mean of ${pool} × ${pool}`));
      this.legend.append(one);
    }
  },
});
