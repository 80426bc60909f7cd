// Places: one cell size for the whole scene, panels in lines that fit the width.
Object.assign(Stage.prototype, {
  // Type, gaps and cells of a large picture grow with the window.
  measures() {
    const zoom = this.plan.large ? Math.max(1, Math.min(3, innerWidth / 850)) : 1;
    const px = (l, cell) => l[0] * cell + l[1] * zoom, pad = (p) => (p.go ? 2 * PAD : 0);
    const wide = (p, cell) => Math.max(px(p.w, cell), p.least * zoom) + pad(p);
    return { zoom, px, pad, wide, most: this.plan.large ? 90 : this.plan.maxCell };
  },

  // How large a cell may be for this width: one size for the whole scene.
  cellFor(width) {
    const { wide, most } = this.measures();
    const line = (list, cell) => list.reduce((sum, p) => sum + wide(p, cell) + 10, -10);
    let cell = most;
    for (const row of this.rows) {
      let fit = 0;
      // The first row decides: as many panels a line as stay legible. Others break where they must, so that the size stays.
      for (let n = row === this.rows[0] ? row.length : 1; n >= 1; n--) {
        fit = Infinity;
        for (let i = 0; i < row.length; i += n) {
          let low = 0.02, high = most;
          for (let k = 0; k < 18; k++) {
            const middle = (low + high) / 2;
            if (line(row.slice(i, i + n), middle) <= width) low = middle; else high = middle;
          }
          fit = Math.min(fit, high);
        }
        if (fit >= Math.min(this.plan.minCell, most) * 0.98) break;
      }
      cell = Math.min(cell, fit);
    }
    return cell > 4 ? Math.floor(cell * 2 + 0.02) / 2 : cell;
  },

  // Where everything goes, for this width and one cell size.
  arrange(glide) {
    const whole = (this.width = this.box.clientWidth), width = whole - 2 * EDGE;
    if (width <= 0) return;
    let cell = this.cellFor(width), made = this.lay(cell, width);
    // A large picture leaves room for its legend and the bar at the window's foot, which has two lines on a phone.
    const foot = this.legend.offsetHeight + (innerWidth > 640 ? 82 : 126);
    const room = innerHeight - this.box.getBoundingClientRect().top - scrollY - foot;
    while (this.plan.large && made.height > Math.max(room, 240) && cell > 2) made = this.lay((cell *= 0.96), width);
    this.put(made, cell, whole, glide);
  },

  // A row's panels broken into lines that fit, and how wide each is.
  lines(row, cell, width) {
    const { wide } = this.measures(), made = [];
    for (const p of row) {
      const line = made.at(-1), next = wide(p, cell);
      if (line && line.used + 10 + next <= width + 0.5) { line.group.push(p); line.used += 10 + next; }
      else made.push({ group: [p], used: next });
    }
    return made;
  },

  lay(cell, width) {
    const { zoom, px, pad, wide } = this.measures(), large = (t) => (zoom === 1 ? t : { ...t, s: t.s * zoom });
    const now = { blocks: [], texts: [], frames: [], at: new Map(), rects: new Map() };
    let y = 4;
    for (const [place, row] of this.rows.entries()) {
      const caption = this.plan.captions[place];
      if (caption) {
        for (const t of this.wrap(caption, width, 15)) {
          now.texts.push({ t: { t, s: 15, a: "start", k: "ink" }, x: EDGE, y: y + 16 });
          y += 20;
        }
        y += CAPTION - 20;
      }
      const lines = this.lines(row, cell, width);
      // One space for all lines of a row, so that panels of one width stand in columns.
      const extra = Math.min(...lines.map(({ group: { length: n }, used }) => (n > 1 ? Math.min(GAP, (width - used) / (n - 1)) : GAP)));
      for (const { group, used } of lines) {
        const size = (p) => px(p.h, cell) + pad(p), tall = Math.max(...group.map(size));
        let x = this.plan.large ? EDGE + (width - used - extra * (group.length - 1)) / 2 : EDGE;
        for (const p of group) {
          const w = wide(p, cell), left = x + (w - px(p.w, cell)) / 2, top = y + (p.low ? tall - size(p) : 0) + pad(p) / 2;
          now.frames.push({ p, x: x + 0.5, y: top - pad(p) / 2 + 0.5, w: w - 1, h: size(p) - 1 });
          for (const b of p.blocks)
            now.blocks.push({ b, p, x: left + px(b.x, cell), y: top + px(b.y, cell), w: b.w * cell, h: b.h * cell });
          for (const t of p.texts) now.texts.push({ t: large(t), x: left + px(t.x, cell), y: top + px(t.y, cell) });
          x += w + 10 + extra;
        }
        y += tall + LINE;
      }
    }
    return { now, height: Math.ceil(Math.max(y - LINE + 8, 20)) };
  },

  put({ now, height }, cell, whole, glide) {
    const ratio = window.devicePixelRatio || 1;
    this.cell = cell;
    for (const c of [this.base, this.over])
      if (c.width !== Math.round(whole * ratio) || c.height !== Math.round(height * ratio)) {
        c.width = Math.round(whole * ratio); c.height = Math.round(height * ratio);
        c.style.width = whole + "px"; c.style.height = height + "px";
      }
    this.ratio = ratio;
    for (const one of now.blocks) { this.place(one, now.at); now.rects.set(one.p.zone + "|" + one.b.id, one); }
    const was = glide && !this.still.matches ? this.now : null;
    this.now = now;
    cancelAnimationFrame(this.frame);
    if (was) {
      const start = performance.now();
      const step = (time) => {
        const t = Math.min(1, Math.max(0, (time - start) / GLIDE));
        this.draw(ease(t), was);
        if (t < 1) this.frame = requestAnimationFrame(step);
      };
      this.draw(0, was);
      this.frame = requestAnimationFrame(step);
    } else this.draw(1, null);
    this.overlay();
    this.box.dataset.drawn = ++this.serial;
    this.box.dataset.cell = cell;
  },

  // Every cell's place by what it is (zone, grid, copy, row, column), so that it can glide from where it was.
  place(one, at) {
    const { b, p } = one;
    if (!b.m) return;
    const grid = this.plan.grids[b.m], key = p.zone + "|" + b.m + "|" + (b.cp || 0);
    let list = at.get(key);
    if (!list) {
      at.set(key, (list = new Float32Array(grid.nr * grid.nc * 2).fill(NaN)));
      list.nc = grid.nc; list.nr = grid.nr;
    }
    const w = one.w / b.nc, h = one.h / b.nr;
    for (let r = 0; r < b.nr; r++)
      for (let c = 0; c < b.nc; c++) {
        const i = 2 * ((b.r + r) * grid.nc + b.c + c);
        list[i] = one.x + c * w; list[i + 1] = one.y + r * h;
      }
  },

  before(one, was) {
    const { b, p: { zone } } = one;
    for (let copy = b.cp || 0; copy >= 0; copy--) {
      const list = was.at.get(zone + "|" + b.m + "|" + copy);
      if (list) return list;
    }
    return null;
  },
});
