// The layout: from a picture, a width and the widths of words to places, without a browser. headcount/stage/layout.py does the same
// for files; tests/stage/golden/placements.json has the places that both must give.

/** The width of a label, whose subscripts and superscripts are smaller. @param {string} text @param {number} size @param {boolean} bold @param {Measure} measure */
const textWidth = (text, size, bold, measure) =>
  pieces(text).reduce((sum, p) => sum + measure(p.text, p.low || p.up ? size * LAYOUT.words.smaller : size, bold), 0);

/** The left edge of a label that is `wide` pixels wide. @param {Pick<Wire.Text, "anchor">} text @param {number} x @param {number} wide */
const leftOf = (text, x, wide) => x - { start: 0, middle: wide / 2, end: wide }[text.anchor];

/** The text in lines of at most `width` pixels. @param {string} text @param {number} width @param {number} size @param {Measure} measure */
const wrap = (text, width, size, measure) => {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && textWidth(longer, size, false, measure) <= width) lines[lines.length - 1] = longer; else lines.push(word);
  }
  return lines;
};

/** Groups of labels side by side, which could overlap. @param {Wire.Text[]} texts @param {(l: Wire.Length) => number} px @param {number} [zoom] */
const sideBySide = (texts, px, zoom = 1) => {
  /** @type {Wire.Text[][]} */
  const groups = [];
  for (const text of [...texts].sort((a, b) => px(a.y) - px(b.y))) {
    const before = groups.at(-1)?.at(-1);
    if (before && px(text.y) - px(before.y) < LAYOUT.words.same_line * text.size * zoom) groups[groups.length - 1].push(text);
    else groups.push([text]);
  }
  return groups;
};

/** The total width of columns. @param {number[]} columns @param {number} apart pixels from one another */
const together = (columns, apart) => columns.reduce((sum, wide) => sum + wide + apart, -apart);

/** The cell at a point, or the panel that can be chosen there. @param {Placed} placed @param {number} x @param {number} y @returns {Hit | PlacedPanel | PlacedText | null} */
const cellAt = (placed, x, y) => {
  for (const one of placed.blocks)
    if (x >= one.x && y >= one.y && x < one.x + Math.max(one.w, 1) && y < one.y + Math.max(one.h, 1) && one.block.grid)
      return { one, r: Math.floor((y - one.y) / (one.h / one.block.rows)), c: Math.floor((x - one.x) / (one.w / one.block.cols)) };
  const word = placed.texts.find(({ text, box }) => text.press && box && x >= box.x && y >= box.y && x < box.x + box.w && y < box.y + box.h);
  return word ?? placed.frames.find((f) => f.panel.go && x >= f.x && y >= f.y && x < f.x + f.w && y < f.y + f.h) ?? null;
};

/** The place on a straight line or a cubic Bézier curve. @param {[x: number, y: number][]} points @param {number} t from 0 to 1 */
const along = (points, t) => {
  const shares = points.length === 2 ? [1 - t, t] : [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3];
  return [0, 1].map((side) => shares.reduce((sum, share, i) => sum + share * points[i][side], 0));
};

/** Pixels between two of a block's cells. @param {Wire.Block} block @param {Rect} rect */
const gapIn = ({ rows, cols }, { w, h }) => (Math.min(w / cols, h / rows) >= LAYOUT.cell.gap_from ? LAYOUT.cell.gap : 0);

/** A block's outline and the cuts at its left and top, as thin rectangles. They are between cells, so that a matrix covers the same
 * pixels in every cut. @param {Wire.Block} block @param {Rect} rect @returns {Rect[]} */
const linesOf = (block, rect) => {
  const { outline: thick, cut, share } = LAYOUT.edge, gap = gapIn(block, rect), [top, right, bottom, left] = block.edges ?? "oooo";
  const x = rect.x - (left === "o" ? thick : gap), y = rect.y - (top === "o" ? thick : gap);
  const w = rect.x + Math.max(rect.w, 1) - gap + (right === "o" ? thick : 0) - x;
  const h = rect.y + Math.max(rect.h, 1) - gap + (bottom === "o" ? thick : 0) - y;
  const across = Math.min(cut, rect.w * share), down = Math.min(cut, rect.h * share), lines = [];
  if (top === "o") lines.push({ x, y, w, h: thick });
  if (right === "o") lines.push({ x: x + w - thick, y, w: thick, h });
  if (bottom === "o") lines.push({ x, y: y + h - thick, w, h: thick });
  if (left === "o") lines.push({ x, y, w: thick, h });
  if (top === "c") lines.push({ x, y: rect.y - (gap + down) / 2, w, h: down });
  if (left === "c") lines.push({ x: rect.x - (gap + across) / 2, y, w: across, h });
  for (const piece of bandsOf(block, rect).slice(1))
    if (piece.w >= LAYOUT.tint.cut_from) lines.push({ x: piece.x - (gap + 1) / 2, y, w: 1, h });
  return lines;
};

/** The parts of a sheet, one for each head; none for other blocks. @param {Wire.Block} block @param {Rect} rect @returns {Rect[]} */
const bandsOf = ({ bands = 0 }, { x, y, w, h }) => Array.from({ length: bands }, (_, k) => ({ x: x + (k * w) / bands, y, w: w / bands, h }));

/** The strip in a head's colour above its block or at its left, with a gap between two heads if there is room.
 * @param {Wire.Block} block @param {Rect} rect @returns {Rect} */
const stripOf = (block, rect) => {
  const { off, thick, apart: most, tight_below } = LAYOUT.strip, { outline } = LAYOUT.edge, gap = gapIn(block, rect);
  const [top, right, bottom, left] = block.edges ?? "oooo", above = block.strip === "top";
  const [before, after] = above ? [left, right] : [top, bottom], start = above ? rect.x : rect.y;
  const length = Math.max(above ? rect.w : rect.h, 1), apart = length < tight_below ? 0 : most;
  const low = start - (before === "o" ? outline : (gap - apart) / 2), high = start + length - gap + (after === "o" ? outline : (gap - apart) / 2);
  return above ? { x: low, y: rect.y - off, w: high - low, h: thick } : { x: rect.x - off, y: low, w: thick, h: high - low };
};

class Arrangement {
  /**
   * @param {Wire.Picture} picture
   * @param {number} width of the page, in pixels
   * @param {Measure} measure
   * @param {{ zoom: number, most: number } | null} large if so: type, gaps and padding are `zoom` times as large, cells at most `most` pixels
   */
  constructor(picture, width, measure, large = null) {
    this.picture = picture;
    this.inner = width - 2 * LAYOUT.page.edge;
    this.measure = measure;
    this.large = large;
    this.zoom = large?.zoom ?? 1;
    this.most = large?.most ?? picture.max_cell;
    this.table = picture.narrow !== undefined;
    this.linked = true; // but on a narrow page
    this.between = LAYOUT.panel[this.table ? "columns" : "between"] * (large ? 2 * large.zoom : 1); // of a large picture, panels are told apart from afar
    /** @type {Wire.Panel | null} */
    this.beside = picture.beside ? this.withRoom([picture.beside])[0] : null;
    this.gap = this.table ? LAYOUT.panel.table * this.zoom : LAYOUT.panel.line;
    this.rows = picture.rows.map((row) => this.withRoom(row));
    const least = this.table ? this.largestCell(this.rows) : 0;
    if (picture.narrow && (least < picture.min_cell || this.width(this.rows, least) > this.inner + 0.5)) {
      this.rows = picture.narrow.map((row) => this.withRoom(row));
      this.beside = null;
      this.linked = false;
      this.gap = LAYOUT.panel.narrow * this.zoom;
      this.between = LAYOUT.panel.narrow * this.zoom;
    }
  }

  /** The widths of a table's columns, or of the panels of a single line: that of the widest panel. A panel alone in its row is in no
   * column, unless all are alone. @param {Wire.Panel[][]} rows @param {number} cell */
  columns(rows, cell) {
    const most = Math.max(...rows.map((row) => row.length)), full = rows.filter((row) => row.length === most);
    return full[0].map((_, k) => Math.max(...full.map((row) => this.panelWidth(row[k], cell))));
  }

  /** The width of the rows, with the panel beside them. @param {Wire.Panel[][]} rows @param {number} cell */
  width(rows, cell) {
    const alone = this.table ? rows.filter((row) => row.length === 1).map(([panel]) => this.panelWidth(panel, cell)) : [];
    return Math.max(together(this.columns(rows, cell), this.between), ...alone) + this.besideWidth(cell);
  }

  /** Pixels that a panel left of a table takes, with the gap. @param {number} cell */
  besideWidth(cell) {
    return this.beside ? this.panelWidth(this.beside, cell) + LAYOUT.panel.beside * this.zoom : 0;
  }

  /** @param {Wire.Length} length @param {number} cell */
  px(length, cell) {
    return length[0] * cell + length[1] * this.zoom;
  }

  /** @param {Wire.Text} text */
  wide(text) {
    return textWidth(text.text, text.size, text.role === "strong", this.measure) * this.zoom;
  }

  /** The least width of a panel: that of its labels side by side, but at most the page's. @param {Wire.Panel} panel */
  leastWidth(panel) {
    const { small_cell, apart } = LAYOUT.words, small = this.table ? Math.max(small_cell, this.picture.min_cell) : small_cell;
    const groups = sideBySide(panel.texts, (length) => length[0] * small + length[1]);
    const sums = groups.map((group) => group.reduce((sum, text) => sum + this.wide(text) / this.zoom + apart, -apart));
    return Math.min(Math.max(panel.least_px, ...sums), this.inner / this.zoom);
  }

  /** The row with its panels wide enough for their words. @param {Wire.Panel[]} row */
  withRoom(row) {
    return row.map((panel) => ({ ...panel, least_px: this.leastWidth(panel) }));
  }

  /** @param {Wire.Panel} panel @param {number} cell */
  panelWidth(panel, cell) {
    return Math.max(this.px(panel.width, cell), panel.least_px * this.zoom);
  }

  /** The largest cell with which the rows fit, by bisection. @param {Wire.Panel[][]} rows */
  largestCell(rows) {
    let low = LAYOUT.cell.least, high = this.most;
    if (this.width(rows, high) <= this.inner) return high;
    for (let k = 0; k < LAYOUT.cell.halvings; k++) {
      const middle = (low + high) / 2;
      if (this.width(rows, middle) <= this.inner) low = middle; else high = middle;
    }
    return high;
  }

  // The size of all cells of the scene. The first row decides: as many panels in a line as stay legible. Other rows break, unless
  // slightly smaller cells avoid it.
  cellSize() {
    let cell = this.table ? this.largestCell(this.rows) : this.most;
    for (const [place, row] of this.table ? [] : this.rows.entries()) {
      let fit = 0;
      for (let n = place === 0 ? row.length : 1; n >= 1; n--) {
        fit = Infinity;
        for (let i = 0; i < row.length; i += n) fit = Math.min(fit, this.largestCell([row.slice(i, i + n)]));
        if (fit >= Math.min(this.picture.min_cell, this.most) * LAYOUT.cell.legible) break;
      }
      cell = Math.min(cell, fit);
    }
    for (const row of this.table ? [] : this.rows.slice(1)) {
      const whole = this.largestCell([row]);
      if (whole >= cell * LAYOUT.cell.spares_a_line) cell = Math.min(cell, whole);
    }
    return cell > LAYOUT.cell.halves_above ? Math.floor(cell * 2 + 0.02) / 2 : cell;
  }

  /** The largest cell with which `most` panels fit in a line. @param {number} most */
  cellWith(most) {
    if (this.table) return this.largestCell(this.rows);
    let cell = this.most;
    for (const row of this.rows)
      for (let i = 0; i < row.length; i += most) cell = Math.min(cell, this.largestCell([row.slice(i, i + most)]));
    return cell;
  }

  /** A row broken into lines that fit, of at most `most` panels. @param {Wire.Panel[]} row @param {number} cell @param {number} most */
  lines(row, cell, most) {
    if (this.table) return [row];
    /** @type {Wire.Panel[][]} */
    const lines = [];
    for (const panel of row) {
      const line = lines.at(-1);
      if (line && line.length < most && this.width([[...line, panel]], cell) <= this.inner + 0.5) line.push(panel); else lines.push([panel]);
    }
    return lines;
  }

  /** Pixels that are added between two columns of a line that is not full. @param {number[]} columns @param {number} cell */
  extra(columns, cell) {
    const { extra } = LAYOUT.panel, spare = this.inner - this.besideWidth(cell) - together(columns, this.between);
    return columns.length > 1 ? Math.min(extra, Math.max(0, spare) / (columns.length - 1)) : extra;
  }

  /** Each label's place in the panel, moved if it would leave the frame or touch its neighbour.
   * @param {Wire.Panel} panel @param {number} left @param {number} top @param {Rect} frame @param {number} cell @returns {PlacedText[]} */
  labels(panel, left, top, frame, cell) {
    const apart = LAYOUT.words.apart * this.zoom, moved = new Map();
    for (const group of sideBySide(panel.texts, (length) => this.px(length, cell), this.zoom)) {
      const spans = group.map((text) => {
        const wide = this.wide(text), start = leftOf(text, left + this.px(text.x, cell), wide);
        return { text, wide, start, now: start };
      }).sort((a, b) => a.start - b.start);
      let least = frame.x, most = frame.x + frame.w;
      for (const span of spans) {
        span.now = Math.max(span.start, least);
        least = span.now + span.wide + apart;
      }
      for (const span of spans.reverse()) {
        span.now = Math.min(span.now, most - span.wide);
        most = span.now - apart;
        moved.set(span.text, span.now - span.start);
      }
    }
    return panel.texts.map((text) => ({
      text: { ...text, size: text.size * this.zoom }, x: left + this.px(text.x, cell) + moved.get(text), y: top + this.px(text.y, cell),
    })).map((one) => (one.text.mark ? { ...one, box: this.around(one) } : one));
  }

  /** The box around a marked label. @param {PlacedText} one @returns {Rect} */
  around({ text, x, y }) {
    const wide = textWidth(text.text, text.size, text.role === "strong", this.measure), [beside, above, below] = LAYOUT.curve.frame;
    const pad = beside * this.zoom;
    return { x: leftOf(text, x, wide) - pad, y: y - above * text.size, w: wide + 2 * pad, h: (above + below) * text.size };
  }

  /** The places of everything. @param {number} [cell] @param {number} [most] panels in a line @returns {Placed} */
  place(cell = this.cellSize(), most = Infinity) {
    const { edge, foot } = LAYOUT.page, below = this.gap, { size, line: leading, baseline, below: after } = LAYOUT.caption;
    /** @type {Placed} */
    const placed = { cell, height: 0, frames: [], blocks: [], texts: [], curves: [], links: [] };
    const outset = this.table ? Math.min(this.between / 2 - 1, LAYOUT.panel.columns * this.zoom / 2 - 1) : 0;
    /** @param {Wire.Panel} panel @param {number} x @param {number} y @param {number} tall of its line */
    const put = (panel, x, y, tall) => {
      const w = this.panelWidth(panel, cell), h = this.px(panel.height, cell), out = panel.go ? outset : 0;
      // In whole pixels: equal matrices in two panels cover equal pixels.
      const at = Math.round(x), left = panel === this.beside ? at : at + Math.round((w - this.px(panel.width, cell)) / 2), top = y + (panel.low ? tall - h : 0);
      const [x0, x1] = out ? [Math.max(at - out, 1), Math.min(at + w + out, this.inner + 2 * edge - 1)] : [at, at + w];
      placed.frames.push({ panel, x: x0, y: top, w: x1 - x0, h });
      for (const block of panel.blocks)
        placed.blocks.push({
          block, panel, x: left + this.px(block.x, cell), y: top + this.px(block.y, cell), w: block.width * cell, h: block.height * cell,
        });
      placed.texts.push(...this.labels(panel, left, top, { x: at, y: top, w, h }, cell));
      for (const curve of panel.curves ?? [])
        placed.curves.push({ curve, points: curve.points.map(([x, y]) => [left + this.px(x, cell), top + this.px(y, cell)]) });
    };
    /** @param {Wire.Panel[]} row */
    const tallest = (row) => Math.max(...row.map((panel) => this.px(panel.height, cell)));
    let y = edge, gap = below, low = 0, start = edge;
    if (this.beside) {
      const columns = this.columns(this.rows, cell), used = together(columns, this.between + this.extra(columns, cell)), high = this.px(this.beside.height, cell);
      const spare = this.large ? this.rows.reduce((sum, row) => sum + tallest(row) + below, -below) - high : 0;
      if (this.large) start += (this.inner - this.besideWidth(cell) - used) / 2;
      put(this.beside, start, y + Math.max(spare, 0) / 2, 0);
      low = y + high;
    }
    for (const [place, row] of this.rows.entries()) {
      const caption = this.picture.captions[place];
      if (caption) {
        for (const text of wrap(caption, this.inner, size, this.measure)) {
          placed.texts.push({ text: { text, size, anchor: "start", role: "ink" }, x: edge, y: y + baseline });
          y += leading;
        }
        y += after;
      }
      const lines = this.lines(row, cell, most).map((line) => ({ line, columns: this.columns(this.table ? this.rows : [line], cell) }));
      const extra = Math.min(...lines.map(({ columns }) => this.extra(columns, cell))); // one for all lines, so that panels stand in columns
      for (const { line, columns } of lines) {
        const tall = tallest(line), used = together(columns, this.between + extra);
        let x = this.large && !this.beside ? edge + (this.inner - used) / 2 : start + this.besideWidth(cell);
        for (const [k, panel] of line.entries()) {
          put(panel, x, y, tall);
          x += columns[k] + this.between + extra;
        }
        gap = this.table && line.length < columns.length ? LAYOUT.panel.heading * this.zoom : below;
        y += tall + gap;
      }
    }
    placed.height = Math.max(y - gap, low) + foot;
    placed.links = this.links(placed.frames);
    return placed;
  }

  /** Links from the lower edge of one panel to the upper edge of another below it.
   * @param {PlacedPanel[]} frames @returns {PlacedLink[]} */
  links(frames) {
    const places = new Map(frames.map((frame) => [frame.panel.id, frame]));
    return ((this.linked && this.picture.links) || []).flatMap(({ first, second, text }) => {
      const one = places.get(first), other = places.get(second);
      if (!one || !other) return [];
      const x = Math.min(one.x + one.w / 2, other.x + other.w / 2);
      return [{ text, start: [x, one.y + one.h], end: [x, other.y] }];
    });
  }
}
