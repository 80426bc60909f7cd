// The stage itself: two canvases (cells; rings over them), glides, the pointer and the keys.
const GLIDE = 420; // milliseconds
/** The step of an arrow key: to the right, down. @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Pixels that a cell's arithmetic needs in the corner of a product: its width, its usual height, its least height. */
const CORNER = { wide: 190, tall: 212, least: 150 };

/** @param {number} t */
const ease = (t) => (t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2);

/** A rectangle on its way from its old place, if it had one. @param {Rect | null | undefined} from @param {Rect} to @param {number} t @returns {Rect} */
const mixed = (from, to, t) => {
  const at = (/** @type {keyof Rect} */ key) => (from ? from[key] + (to[key] - from[key]) * t : to[key]);
  return { x: at("x"), y: at("y"), w: at("w"), h: at("h") };
};

class Stage {
  /** @param {ParentNode} root */
  constructor(root) {
    /** @type {<E extends HTMLElement = HTMLElement>(name: string) => E} */
    const part = (name) => /** @type {any} */ (root.querySelector("." + name));
    this.box = part("stage");
    this.base = /** @type {HTMLCanvasElement} */ (part("base"));
    this.over = /** @type {HTMLCanvasElement} */ (part("over"));
    this.tip = part("tip");
    this.live = part("live");
    this.legend = part("legend");
    this.serial = 0;
    this.width = 0;
    this.ratio = 1;
    this.begins = 0; // below the window's top
    this.fits = false; // so large that the window holds it
    this.frame = 0; // of the animation that is under way
    this.font = "sans-serif";
    this.colours = PALETTE.light;
    /** @type {Float32Array} */
    this.values = new Float32Array();
    /** @type {Wire.Plan | null} the drawn plan; it differs from the one sent (below) while a slider is ahead of the server */
    this.plan = null;
    /** @type {Wire.Plan | null} */
    this.sent = null;
    this.sentValues = this.values;
    this.gliding = false;
    /** @type {Shown | null} */
    this.now = null;
    /** @type {Hit | null} */
    this.hover = null;
    /** @type {PlacedPanel | null} of a table, under the pointer */
    this.card = null;
    /** @type {ChosenCell | null} */
    this.chosen = null;
    /** @type {string[]} the addresses chosen here that the server has not yet answered, oldest first */
    this.unanswered = [];
    /** @type {PlayedTerm | null} the term of a chosen cell's arithmetic that is added just now (assets/play) */
    this.term = null;
    /** @type {FilmStill | null} the part of a large picture that its film has computed by now (assets/present/film.js) */
    this.film = null;
    /** @type {number | undefined} the number of the film's still that is drawn, if each has a picture */
    this.at = undefined;
    /** @type {number | null} */
    this.look = null;
    this.waitTimer = this.sendTimer = this.revealTimer = 0;
    this.confirmed = ""; // the address of the chosen cell that the server sent last
    /** @type {(name: string, value: unknown) => void} */
    this.send = () => {};
    /** @type {Partial<Record<Wire.Scale | "pale", Shade[]>>} */
    this.ramps = {};
    /** @type {Shade[][]} */
    this.hues = [];
    /** @type {Map<string, number>} */
    this.widths = new Map();
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.ended = new AbortController();
    const { signal } = this.ended;
    addEventListener("resize", () => { if (this.plan?.large) this.arrange(false); }, { signal });
    this.observer = new ResizeObserver(() => {
      if (this.plan && (this.box.clientWidth !== this.width || (this.fits && this.top() !== this.begins))) this.arrange(false);
    });
    /** @type {HTMLElement | null} the card with a chosen cell's arithmetic, beside this picture */
    this.sum = null;
    this.sums = new ResizeObserver(() => requestAnimationFrame(() => { if (!this.sum?.hasAttribute("data-playing")) this.tellCorner(); }));
    this.observer.observe(this.box);
    // Elements above a picture may come later than the picture, or go.
    const around = /** @type {ShadowRoot} */ (this.box.getRootNode()).host?.closest('[data-testid="stMainBlockContainer"]');
    if (around) this.observer.observe(around);
    this.over.addEventListener("pointermove", (e) => this.point(this.find(e)), { signal });
    this.over.addEventListener("pointerleave", () => this.point(null), { signal });
    this.over.addEventListener("click", (e) => this.click(this.find(e)), { signal });
    this.over.addEventListener("keydown", (e) => this.key(e), { signal });
    addEventListener("headcount-term", (e) => this.follow(/** @type {CustomEvent<PlayedTerm | null>} */ (e).detail), { signal });
    addEventListener("headcount-card", () => { this.tellCorner(); this.revealSoon(); }, { signal });
    addEventListener("headcount-film", (e) => {
      this.film = /** @type {CustomEvent<FilmStill | null>} */ (e).detail;
      if (!this.plan?.large) return;
      this.stand();
      this.overlay();
    }, { signal });
    this.ahead = new PreviewAhead(this.box, () => this.sent?.look, (next) => this.foresee(next), signal);
  }

  // Listeners, frames and timers end, and the canvases give their memory back.
  end() {
    this.ended.abort();
    this.observer.disconnect();
    this.sums.disconnect();
    cancelAnimationFrame(this.frame);
    for (const timer of [this.waitTimer, this.sendTimer, this.revealTimer]) clearTimeout(timer);
    for (const canvas of [this.base, this.over]) canvas.width = canvas.height = 0;
    this.plan = this.sent = this.now = null;
  }

  /** @param {Uint8Array} bytes */
  show(bytes) {
    const { plan, values } = parse(bytes), same = this.look === plan.look;
    this.ahead.missed = null;
    this.sent = plan;
    this.sentValues = values;
    const chosen = plan.chosen || "", another = chosen !== this.confirmed;
    this.confirmed = chosen;
    const answered = this.unanswered.indexOf(chosen) + 1; // the server answers in order, but may leave some out
    if (answered) this.unanswered.splice(0, answered);
    else if (another) this.unanswered = [];
    if (!this.unanswered.length) this.chosen = cellOf(chosen); // else a later step is on its way
    this.colours = PALETTE[isDark(this.box) ? "dark" : "light"];
    this.font = getComputedStyle(this.box).getPropertyValue("--st-font").trim() || "sans-serif";
    this.widths.clear();
    const signed = ramp(this.colours.signed);
    this.hues = [];
    this.ramps = { signed, weight: signed, input: signed, score: signed, share: ramp(this.colours.share), pale: ramp(this.colours.pale) };
    if (same && this.gliding) { // the picture that was foreseen, still on its way
      this.plan = plan;
      this.overlay();
    } else this.see(plan, values, !same && this.serial > 0);
    this.at = plan.slider?.at;
    if (plan.large && this.film) this.stand(false);
    if (chosen && another && !plan.example) this.revealSoon();
  }

  // Scrolls once everything above the picture and the card are drawn. The card may come much later, and reports it.
  revealSoon() {
    clearTimeout(this.revealTimer);
    this.revealTimer = setTimeout(() => this.reveal(), 300);
  }

  // Scrolls until the chosen cell is between the header and the card with its arithmetic, but no further.
  reveal() {
    const row = document.querySelector(".st-key-row_card"), root = this.box.getRootNode();
    if ((this.plan?.example && !this.term) || (row && root instanceof ShadowRoot && !row.contains(root.host))) return;
    const hit = this.hits()[0], main = this.box.getRootNode() instanceof ShadowRoot && document.querySelector('[data-testid="stMain"]');
    if (!hit || !main) return;
    const { one, r } = hit, high = one.h / one.block.rows, inner = root instanceof ShadowRoot && root.host.closest(".st-key-query");
    if (inner) inner.scrollTop = one.y + r * high - inner.clientHeight / 2; // of many keys' rows
    const y = this.over.getBoundingClientRect().top + one.y + r * high;
    const card = document.querySelector(".st-key-explain:not([data-corner] *)")?.getBoundingClientRect();
    const hangs = card && card.bottom < innerHeight / 2; // at the window's upper edge
    const top = hangs ? Math.max(card.bottom + 12, 60) : 60, foot = Math.min((hangs ? null : card?.top) ?? innerHeight, innerHeight) - 12;
    const sum = inner && card ? Math.min(card.bottom + 12 - innerHeight, y - 60) : 0; // of a row, its foot is to be seen with the cell
    if (sum <= 0 && y >= top && y + high <= foot) return;
    main.scrollBy({ top: sum > 0 ? sum : this.term ? y < top ? y - top : y + high - foot : y - (top + foot) / 2, behavior: this.still.matches ? "instant" : "smooth" });
  }

  // Draws the film's present still, if each has a picture.
  stand(glide = true) {
    const most = this.sent?.slider?.at, at = most && Math.max(1, Math.min(most, this.film?.at ?? most));
    if (!at || at === this.at) return;
    this.preview(this.at = at, glide);
  }

  /** The card shows a term of the chosen cell's arithmetic, or none. @param {PlayedTerm | null} term */
  follow(term) {
    const begins = !this.term;
    this.term = term && term.cell === this.plan?.chosen ? term : null;
    this.overlay();
    if (begins && this.term) this.reveal();
  }

  /** Draws a prefetched picture as soon as a slider moves, before the server has answered. @param {Uint8Array | null} next */
  foresee(next) {
    const { sent } = this;
    if (!sent) return;
    if (!next) return this.see(sent, this.sentValues);
    const { plan, values } = parse(next);
    this.see({ ...plan, chosen: sent.chosen }, values);
  }

  /** Draws a picture that is in the plan, as in a file that works offline and in a film. @param {number} value */
  preview(value, glide = true) {
    const { sent } = this, next = value === sent?.slider?.at ? sent : sent?.slider?.scenes[value];
    if (sent && next) this.see({ ...sent, links: undefined, ...next }, this.sentValues, glide);
    this.look = null;
  }

  /** @param {Wire.Plan} plan @param {Float32Array} values */
  see(plan, values, glide = true) {
    this.plan = plan;
    this.values = values;
    this.look = plan.look;
    this.over.setAttribute("aria-label", plan.alt);
    this.drawLegend(plan);
    this.arrange(glide);
  }

  /** @param {HTMLCanvasElement} canvas */
  context(canvas) {
    return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  }

  /** @type {Measure} */
  measure = (text, size, bold) => {
    const key = `${bold ? 600 : 400} ${size}px ${text}`;
    let wide = this.widths.get(key);
    if (wide === undefined) {
      const g = this.context(this.base);
      g.font = `${bold ? 600 : 400} ${size}px ${this.font}`;
      this.widths.set(key, (wide = g.measureText(text).width));
    }
    return wide;
  };

  // Type, gaps and cells of a large picture grow with the window; those of a table, which has many words, not as much.
  zoom() {
    return this.plan?.large ? Math.max(1, Math.min(3, innerWidth / (this.plan.rows.length > 1 && this.plan.narrow ? 1350 : 850))) : 1;
  }

  /** Computes all places for this width and one cell size. @param {boolean} glide */
  arrange(glide) {
    const { plan } = this, width = (this.width = this.box.clientWidth);
    this.legend.style.fontSize = 14 * this.zoom() + "px";
    this.begins = this.top();
    if (!plan || width <= 2 * LAYOUT.page.edge) return;
    const arrangement = new Arrangement(plan, width, this.measure, plan.large ? { zoom: this.zoom(), most: 150 } : null);
    let placed = arrangement.place();
    if (plan.large) placed = this.largest(arrangement);
    const room = innerHeight - Math.max(this.begins, 0) - 24; // a table is seen whole
    const corner = this.corner(placed), holds = (/** @type {Corner | null} */ one) => one && one.wide >= CORNER.wide && one.tall >= CORNER.tall;
    this.fits = Boolean(plan.large || plan.narrow || corner);
    while ((plan.narrow || corner) && placed.height > room - (corner ? this.legend.offsetHeight - 8 : 0) && placed.cell > LAYOUT.cell.halves_above && width >= (corner ? 440 : 640)) {
      const smaller = arrangement.place(placed.cell - 0.5);
      if (holds(corner) && !holds(this.corner(smaller))) break; // rather lower than the window than with a card that is cut
      placed = smaller;
    }
    const root = this.box.getRootNode(), card = root instanceof ShadowRoot && root.host.closest(".st-key-query");
    const most = card ? parseFloat(getComputedStyle(card).maxHeight) || Infinity : Infinity; // what is higher is scrolled
    while (placed.height > most && placed.cell > 20) placed = arrangement.place(placed.cell - 0.5);
    this.put(placed, plan.grids, glide);
  }

  // How far below the window's top the picture begins, unscrolled.
  top() {
    const main = document.querySelector('[data-testid="stMain"]');
    return Math.round(this.box.getBoundingClientRect().top + scrollY + (main ? main.scrollTop : 0));
  }

  /** The layout with the largest cells that the window allows, with any number of panels in a line. @param {Arrangement} arrangement */
  largest(arrangement) {
    // Leaves room for the legend and the bar at the window's foot.
    const foot = this.legend.offsetHeight + 82;
    const room = Math.max(innerHeight - this.begins - foot, 240);
    let best = null;
    const longest = Math.max(...arrangement.rows.map((row) => row.length));
    for (let lines = 1; lines <= longest; lines++) {
      const most = Math.ceil(longest / lines);
      let placed = arrangement.place(arrangement.cellWith(most), most);
      while (placed.height > room && placed.cell > 2) placed = arrangement.place(placed.cell * 0.96, most);
      if (!best || (placed.height <= room && placed.cell > best.cell * 1.05) || (best.height > room && placed.height < best.height)) best = placed;
    }
    return /** @type {Placed} */ (best);
  }

  /** @param {Placed} placed @param {Record<string, Wire.Grid>} grids @param {boolean} glide */
  put(placed, grids, glide) {
    const ratio = (this.ratio = window.devicePixelRatio || 1), { width } = this, height = Math.ceil(Math.max(placed.height, 20));
    for (const c of [this.base, this.over])
      if (c.width !== Math.round(width * ratio) || c.height !== Math.round(height * ratio)) {
        c.width = Math.round(width * ratio); c.height = Math.round(height * ratio);
        c.style.width = width + "px"; c.style.height = height + "px";
      }
    /** @type {Shown} */
    const now = { ...placed, spots: new Map(), rects: new Map() };
    for (const one of now.blocks) {
      if (one.block.grid) this.locate(one, grids[one.block.grid], now.spots);
      now.rects.set(`${one.panel.zone}|${one.block.id}|${one.block.copy || 0}`, one);
    }
    const was = glide && !this.still.matches ? this.now : null;
    this.now = now;
    this.card = null;
    cancelAnimationFrame(this.frame);
    this.gliding = false;
    if (was) {
      const start = performance.now();
      /** @param {number} time */
      const step = (time) => {
        const t = Math.min(1, Math.max(0, (time - start) / GLIDE));
        this.gliding = t < 1;
        this.draw(ease(t), was);
        if (t < 1) this.frame = requestAnimationFrame(step);
      };
      this.gliding = true;
      this.draw(0, was);
      this.frame = requestAnimationFrame(step);
    } else this.draw(1, null);
    this.overlay();
    this.box.dataset.drawn = String(++this.serial);
    document.getElementById("first")?.remove(); // what the server sent in its place
    this.tellCorner();
  }

  // Tells the page the empty corner of a product, left of the weight matrix and above its input, for a cell's arithmetic.
  tellCorner() {
    const root = this.box.getRootNode(), around = root instanceof ShadowRoot && /** @type {HTMLElement | null} */ (root.host.closest(".st-key-corner, .st-key-row_card"));
    const head = this.chosen?.head, hues = this.colours.head_text;
    if (around) around.style.setProperty("--corner-hue", head === undefined ? this.colours.ink : hues[head % hues.length]);
    const corner = this.now && this.corner(this.now);
    if (!around || !corner) return;
    const { wide, tall } = corner, sum = /** @type {HTMLElement | null} */ (around.querySelector(".st-key-explain"));
    around.style.setProperty("--corner-wide", `${Math.min(wide, 340)}px`);
    hues.forEach((hue, i) => around.style.setProperty(`--head-${i}`, hue));
    around.toggleAttribute("data-corner", wide >= CORNER.wide && tall >= CORNER.least);
    if (sum && sum.offsetHeight > tall) around.removeAttribute("data-corner"); // with more words than have room there
    if (sum === this.sum) return;
    this.sums.disconnect();
    this.sum = sum;
    if (sum) this.sums.observe(sum);
  }

  /** The empty corner of a product; null for another picture. @param {Placed} placed @returns {Corner | null} */
  corner({ blocks }) {
    const calm = blocks.filter(({ block }) => block.calm);
    if (!calm.length) return null;
    const left = Math.min(...calm.map(({ x }) => x)), top = Math.min(...calm.map(({ y }) => y));
    return { wide: Math.min(...calm.filter(({ y }) => y < top + 1).map(({ x }) => x)) - 32, tall: Math.min(...calm.filter(({ x }) => x < left + 1).map(({ y }) => y)) - 54 };
  }

  /** Records every cell's place by its identity (zone, grid, copy, row, column), so that it can glide from its old place.
   * @param {PlacedBlock} one @param {Wire.Grid} grid @param {Map<string, Spots>} spots */
  locate({ block, panel, x, y, w, h }, { rows, cols }, spots) {
    const key = `${panel.zone}|${block.grid}|${block.copy || 0}`;
    let known = spots.get(key);
    if (!known) spots.set(key, (known = { rows, cols, xy: new Float32Array(rows * cols * 2).fill(NaN) }));
    const wide = w / block.cols, high = h / block.rows;
    for (let r = 0; r < block.rows; r++)
      for (let c = 0; c < block.cols; c++) {
        const i = 2 * ((block.row + r) * cols + block.col + c);
        known.xy[i] = x + c * wide; known.xy[i + 1] = y + r * high;
      }
  }

  /** The old state of a block or its cells: of the same copy, or of the one before.
   * @template T @param {PlacedBlock} one @param {Map<string, T> | undefined} were @param {string | null} id of the block or of its grid */
  before({ block, panel }, were, id) {
    for (let copy = block.copy || 0; copy >= 0; copy--) {
      const found = were?.get(`${panel.zone}|${id}|${copy}`);
      if (found) return found;
    }
    return null;
  }

  // Drawing: cells, frames, words, the legend. `t` runs from 0 (all as it `was`) to 1.

  /** @param {number} t @param {Shown | null} was */
  draw(t, was) {
    const { plan, now, colours } = this, g = this.context(this.base);
    if (!plan || !now) return;
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.base.width, this.base.height);
    for (const frame of now.frames) {
      if (!frame.panel.on) continue;
      const { x, y, w, h } = mixed(was?.frames.find((other) => other.panel.on), frame, t);
      g.beginPath(); g.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, 10);
      g.fillStyle = colours.lift; g.lineWidth = 2; g.strokeStyle = colours.ink;
      g.fill(); g.stroke();
    }
    for (const one of now.blocks) this.drawBlock(g, plan, one, t, was);
    for (const one of now.curves) this.drawCurve(g, one);
    for (const one of now.curves) if (one.curve.label) this.drawRing(g, one);
    for (const one of now.texts) this.drawText(g, one);
    for (const link of now.links) this.drawLink(g, link);
  }

  /** @param {CanvasRenderingContext2D} g @param {PlacedCurve} one */
  drawCurve(g, { curve: { hue, thick, faded, dot }, points: [[x, y], ...others] }) {
    const { ink, lift, heads } = this.colours;
    g.globalAlpha = faded ? LAYOUT.curve.faded : 1;
    g.strokeStyle = g.fillStyle = hue === undefined ? ink : hue < 0 ? lift : heads[hue % heads.length]; g.lineWidth = thick * this.zoom(); g.lineCap = "round";
    g.beginPath(); g.moveTo(x, y);
    if (others.length > 1) g.bezierCurveTo(...others[0], ...others[1], ...others[2]); else g.lineTo(...others[0]);
    g.stroke();
    g.lineCap = "butt";
    if (dot) { g.beginPath(); g.arc(x, y, LAYOUT.curve.dot * this.zoom(), 0, 2 * Math.PI); g.fill(); }
    g.globalAlpha = 1;
  }

  /** A curve's label in its ring. @param {CanvasRenderingContext2D} g @param {PlacedCurve} one */
  drawRing(g, { curve: { hue, label = "", along: t = 0.5, faded }, points }) {
    const [x, y] = along(points, t), { ink, lift, heads } = this.colours, size = LAYOUT.curve.size * this.zoom();
    g.beginPath(); g.arc(x, y, LAYOUT.curve.ring * this.zoom(), 0, 2 * Math.PI);
    g.fillStyle = lift; g.fill();
    g.globalAlpha = faded ? LAYOUT.curve.faded : 1;
    g.strokeStyle = hue === undefined ? ink : heads[hue % heads.length]; g.lineWidth = 1.75; g.stroke();
    this.drawText(g, { text: { text: label, size, anchor: "middle", role: "strong", hue }, x, y: y + size * 0.34 });
    g.globalAlpha = 1;
  }

  /** Draws the mark of a word. @param {CanvasRenderingContext2D} g @param {string} mark @param {Rect} box */
  drawMark(g, mark, { x, y, w, h }) {
    const { ink, lift, muted } = this.colours;
    g.beginPath();
    if (mark === "frame") {
      g.roundRect(x, y, w, h, 6);
      g.fillStyle = lift; g.strokeStyle = ink; g.lineWidth = 1.75; g.fill(); g.stroke();
    } else {
      g.strokeStyle = muted; g.lineWidth = 1.5; g.setLineDash([2, 2]);
      g.moveTo(x + LAYOUT.curve.frame[0], y + h); g.lineTo(x + w - LAYOUT.curve.frame[0], y + h); g.stroke(); g.setLineDash([]);
    }
  }

  /** Draws a link: its line, and in the middle its words in a frame with round ends. @param {CanvasRenderingContext2D} g @param {PlacedLink} link */
  drawLink(g, { text, start, end }) {
    const { size, tall, beside } = LAYOUT.link, { ink, lift } = this.colours, zoom = this.zoom(), high = tall * zoom;
    const [x, y] = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
    const wide = Math.max(textWidth(text, size * zoom, true, this.measure) + beside * zoom, high);
    g.strokeStyle = ink; g.lineWidth = 1.5;
    g.beginPath(); g.moveTo(...start); g.lineTo(...end); g.stroke();
    g.beginPath(); g.roundRect(x - wide / 2, y - high / 2, wide, high, high / 2);
    g.fillStyle = lift; g.fill(); g.stroke();
    const label = { text, size: size * zoom, anchor: /** @type {const} */ ("middle"), role: /** @type {const} */ ("strong") };
    this.drawText(g, { text: label, x, y: y + size * zoom * 0.34 });
  }

  /** @param {CanvasRenderingContext2D} g @param {Wire.Plan} plan @param {PlacedBlock} one @param {number} t @param {Shown | null} was */
  drawBlock(g, plan, one, t, was) {
    const { block } = one, { heads, muted, warn } = this.colours, grid = block.grid === null ? null : plan.grids[block.grid];
    const hue = block.hue === undefined ? null : heads[block.hue % heads.length];
    const ghost = block.faded && !grid && !hue;
    const alpha = (g.globalAlpha = block.faded && !ghost ? LAYOUT.cell.faded : 1);
    if (block.bands) this.drawSheet(g, one, grid !== null, t, was);
    if (grid) this.drawCells(g, plan, one, grid, t, was);
    else if (!block.bands) {
      g.fillStyle = block.warn ? warn : hue || muted;
      g.globalAlpha = alpha * (ghost ? LAYOUT.cell.ghost : LAYOUT.cell.empty);
      g.fillRect(one.x, one.y, Math.max(one.w, 1), Math.max(one.h, 1));
      g.globalAlpha = alpha;
      if (block.warn) this.hatch(g, one.x, one.y, one.w + 1, one.h + 1, warn);
    }
    this.drawFrame(g, one, hue, t, was);
    this.drawTokens(g, one);
    g.globalAlpha = 1;
  }

  /** The background of a sheet: a raised surface under its numbers, otherwise its heads' tints.
   * @param {CanvasRenderingContext2D} g @param {PlacedBlock} one @param {boolean} numbers @param {number} t @param {Shown | null} was */
  drawSheet(g, one, numbers, t, was) {
    const rect = this.between(one, t, was);
    g.fillStyle = this.colours.lift;
    if (numbers) g.fillRect(rect.x, rect.y, rect.w, rect.h);
    else for (const [head, piece] of bandsOf(one.block, rect).entries()) {
      g.fillStyle = this.bandTints(one.block, head)[256].fill;
      g.fillRect(piece.x, piece.y, piece.w, piece.h);
    }
    const { rows, cols } = one.block, gap = numbers || rows < 2 ? 0 : gapIn(one.block, rect);
    if (!gap) return;
    g.fillStyle = this.colours.lift; // between squares
    for (let c = 1; c < cols; c++) g.fillRect(rect.x + (c * rect.w) / cols - gap, rect.y, gap, rect.h);
    for (let r = 1; r < rows; r++) g.fillRect(rect.x, rect.y + (r * rect.h) / rows - gap, rect.w, gap);
  }

  /** The present place of a gliding block. @param {PlacedBlock} one @param {number} t @param {Shown | null} was @returns {Rect} */
  between(one, t, was) {
    return mixed(this.before(one, was?.rects, one.block.id), one, t);
  }

  /** The tints of a sheet's head, counted from its first. @param {Wire.Block} block @param {number} head */
  bandTints({ hue = 0, pale }, head) {
    return this.tints(hue + head, pale?.includes(head));
  }

  /** A head's tints: 256 from the smallest number to the largest, and the plain one. Head -1: greys. @param {number} head @param {boolean} [pale] */
  tints(head, pale = false) {
    const { heads, lift, muted } = this.colours, { low, even, high, grey, pale: faint } = LAYOUT.tint, hue = head < 0 ? heads.length : head % heads.length;
    const ground = rgb(lift), ink = rgb(heads[hue] ?? muted), by = head < 0 ? grey : pale ? faint : 1;
    /** @param {number} share */
    const mixed = (share) => "#" + ground.map((a, j) => Math.round(a + (ink[j] - a) * share * by).toString(16).padStart(2, "0")).join("");
    return (this.hues[pale ? heads.length + 1 + hue : hue] ??= [...ramp([mixed(low), mixed(high)]), ...ramp([mixed(even), mixed(even)]).slice(0, 1)]);
  }

  /** @param {CanvasRenderingContext2D} g @param {Wire.Plan} plan @param {PlacedBlock} one @param {Wire.Grid} grid @param {number} t @param {Shown | null} was */
  drawCells(g, plan, one, grid, t, was) {
    const old = this.before(one, was?.spots, one.block.grid), cols = this.before(one, was?.rects, one.block.id)?.block.cols ?? Infinity;
    if (!old) one = { ...one, ...this.between(one, t, was) };
    const rules = LAYOUT.cell, { block } = one, wide = one.w / block.cols, high = one.h / block.rows;
    const gap = gapIn(block, one);
    const top = plan.tops[grid.scale] || 1;
    const write = wide >= Math.max(34, innerWidth / 40) && high >= rules.number_height && grid.pool === 1 && t === 1;
    if (write) {
      g.font = `${Math.min(Math.max(rules.number_size * this.zoom(), wide * rules.number_growth), Math.max(wide / rules.number_share, 12))}px ${this.font}`;
      g.textAlign = "center"; g.textBaseline = "middle";
    }
    for (let r = 0; r < block.rows; r++) {
      const scale = this.ramps[!block.bands && block.pale?.includes(r) ? "pale" : grid.scale] ?? [];
      for (let c = 0; c < block.cols; c++) {
        const v = this.values[grid.at + (block.row + r) * grid.cols + block.col + c];
        let x = one.x + c * wide, y = one.y + r * high;
        if (old && block.row + r < old.rows && block.col + c < old.cols) {
          const j = 2 * ((block.row + r) * old.cols + block.col + (c % cols)), ox = old.xy[j], oy = old.xy[j + 1];
          if (!Number.isNaN(ox)) { x = ox + (x - ox) * t; y = oy + (y - oy) * t; }
        }
        if (Number.isNaN(v)) { this.hatch(g, x, y, wide, high); continue; }
        if (block.look) { this.drawLine(g, block, v, x, y, wide, high, grid.scale); continue; }
        const share = grid.scale === "share" ? v / top : 0.5 + v / (2 * top);
        const table = block.bands ? this.bandTints(block, Math.floor((c * block.bands) / block.cols)) : block.calm ? this.tints(block.hue ?? -1) : scale;
        const { fill, ink } = table[Math.max(0, Math.min(255, Math.round(share * 255)))];
        g.fillStyle = fill;
        g.fillRect(x, y, Math.max(wide - gap, rules.drawn_least), Math.max(high - gap, rules.drawn_least));
        if (!write) continue;
        g.fillStyle = ink;
        g.fillText(decimals(grid.scale === "share" ? below(v, 2) : v), x + wide / 2, y + high / 2);
      }
    }
  }

  /** A number without a background, or an attention weight as a bar with its number at the right. @param {CanvasRenderingContext2D} g @param {Wire.Block} block
   * @param {number} v @param {number} x @param {number} y @param {number} wide @param {number} high @param {Wire.Scale} scale */
  drawLine(g, { look }, v, x, y, wide, high, scale) {
    const { number, high: part } = LAYOUT.bar, zoom = this.zoom(), long = wide - number * zoom, [ground, ...shades] = this.colours.share;
    g.font = `${Math.min(Math.max(LAYOUT.cell.number_size * zoom, 0.48 * high), 0.8 * high, (wide - 4) / 2.4)}px ${this.font}`;
    g.textAlign = "right"; g.textBaseline = "middle";
    if (look === "bar") for (const [fill, share] of /** @type {[string, number][]} */ ([[ground, 1], [shades.at(-1), v]])) {
      g.fillStyle = fill;
      g.fillRect(x, y + (high * (1 - part)) / 2, long * share, high * part);
    }
    g.fillStyle = this.colours.ink;
    g.fillText(scale === "share" ? decimals(below(v, 3), 3) : decimals(v, wide < 40 * zoom ? 1 : 2), x + wide - 4, y + high / 2);
  }

  /** Outline, cuts and strip glide from the block's old place; those of a new block fade in.
   * @param {CanvasRenderingContext2D} g @param {PlacedBlock} one @param {string | null} hue @param {number} t @param {Shown | null} was */
  drawFrame(g, one, hue, t, was) {
    const rect = this.between(one, t, was);
    if (was && !this.before(one, was.rects, one.block.id)) g.globalAlpha *= Math.max(0, 2 * t - 1);
    g.fillStyle = this.colours.ink;
    for (const line of linesOf(one.block, rect)) g.fillRect(line.x, line.y, line.w, line.h);
    if (!hue || !one.block.strip) return;
    const strip = stripOf(one.block, rect);
    g.fillStyle = hue;
    g.fillRect(strip.x, strip.y, strip.w, strip.h);
  }

  /** Tokens beside rows, and below the column with the largest weight. One word among thin rows has room.
   *  `only`: one row's word, in ink. @param {CanvasRenderingContext2D} g @param {PlacedBlock} one @param {number} [only] */
  drawTokens(g, { block, x, y, w, h }, only) {
    const rules = LAYOUT.token, zoom = this.zoom(), longest = rules.longest * zoom, high = h / block.rows, wide = w / block.cols;
    // On the screen type grows with the cells.
    const size = Math.max(rules.size * zoom, Math.min(0.92 * high, rules.most * zoom));
    const off = (block.strip === "left" && block.hue !== undefined ? rules.beside_strip : rules.beside) * zoom;
    const { ink, muted } = this.colours;
    g.fillStyle = only === undefined ? muted : ink; g.font = `${size}px ${this.font}`; g.textBaseline = "middle";
    if (block.row_labels && (high >= rules.cell_from || block.row_labels.filter(Boolean).length === 1)) {
      g.textAlign = "right";
      block.row_labels.forEach((s, i) => { if ((only ?? i) === i) g.fillText(s, x - off, y + (i + 0.5) * high, longest); });
    }
    if (only !== undefined || block.hit === undefined || !block.col_labels) return;
    const word = block.col_labels[block.hit] ?? "", most = this.width - Math.min(g.measureText(word).width, longest) / 2;
    g.textAlign = "center"; g.fillText(word, Math.min(x + (block.hit + 0.5) * wide, most), y + h + off + 2 * zoom, longest);
  }

  /** @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} w @param {number} h @param {string} [colour] */
  hatch(g, x, y, w, h, colour = this.colours.muted) {
    g.strokeStyle = colour; g.lineWidth = LAYOUT.strokes.thick;
    g.save(); g.beginPath(); g.rect(x, y, w - 1, h - 1); g.clip(); g.beginPath();
    for (let d = -h; d < w; d += LAYOUT.strokes.apart) { g.moveTo(x + d, y + h); g.lineTo(x + d + h, y); }
    g.stroke(); g.restore();
  }

  /** @param {CanvasRenderingContext2D} g @param {PlacedText} one */
  drawText(g, { text, x: wanted, y, box }) {
    if (text.mark && box) this.drawMark(g, text.mark, box);
    const { smaller, lowered, raised } = LAYOUT.words, { ink, muted, warn, head_text: hues } = this.colours, { size } = text, bold = text.role === "strong";
    const wide = textWidth(text.text, size, bold, this.measure);
    let x = Math.max(0, Math.min(leftOf(text, wanted, wide), this.width - wide)); // a word at the edge stays on the canvas
    g.textAlign = "left"; g.textBaseline = "alphabetic";
    const plain = text.role === "muted" ? muted : text.role === "warn" ? warn : ink;
    g.fillStyle = text.hue === undefined ? plain : hues[text.hue % hues.length];
    for (const p of pieces(text.text)) {
      const own = p.low || p.up ? size * smaller : size, step = this.measure(p.text, own, bold);
      g.font = `${bold ? 600 : 400} ${own}px ${this.font}`;
      g.fillText(p.text, x, y + (p.low ? size * lowered : p.up ? size * raised : 0));
      x += step;
    }
  }

  /** @param {Wire.Plan} plan */
  drawLegend(plan) {
    this.legend.replaceChildren();
    this.legend.className = plan.large ? "legend large" : "legend";
    const sheets = new Set([...plan.rows.flat(), ...(plan.beside ? [plan.beside] : [])].flatMap((panel) => panel.blocks).filter((block) => block.bands || block.look).map((block) => block.grid));
    const grids = Object.entries(plan.grids).filter(([name]) => !sheets.has(name)).map(([, grid]) => grid);
    for (const scale of new Set(grids.map((grid) => grid.scale))) {
      const name = plan.scales?.[scale] ?? LAYOUT.scale_names[scale];
      if (!name) continue; // what stands beside the picture says it
      const top = plan.tops[scale] || 1, bar = element("span", { className: "bar" });
      bar.style.background = `linear-gradient(90deg, ${this.colours[scale === "share" ? "share" : "signed"].join(",")})`;
      const [low, high] = scale === "share" ? ["0", "1"] : ["−" + scaleEnd(top), "+" + scaleEnd(top)];
      const pool = Math.max(...Object.values(plan.grids).filter((grid) => grid.scale === scale).map((grid) => grid.pool));
      const words = [name, low, bar, high, ...(pool > 1 ? [`each cell shows the mean of ${pool} × ${pool}`] : [])];
      this.legend.append(element("span", { className: "scale" }, ...words.map((one) => (typeof one === "string" ? element("span", {}, one) : one))));
    }
  }

  // Pointing, choosing, moving by keyboard, and highlighting the numbers that give a cell.

  /** @param {MouseEvent} e */
  find(e) {
    const r = this.over.getBoundingClientRect();
    return this.now && cellAt(this.now, e.clientX - r.left, e.clientY - r.top);
  }

  /** The grid of a block, if it has one. @param {Wire.Block} block */
  grid(block) {
    return block.grid === null ? undefined : this.plan?.grids[block.grid];
  }

  /** @param {Hit} hit */
  address(hit) {
    const { block } = hit.one;
    if (block.bands || !this.plan?.computed.includes(block.name) || this.grid(block)?.pool !== 1) return null;
    return [block.name, ...(block.head === undefined ? [] : [block.head + 1]), ...this.where(hit)].join(".");
  }

  /** Row and column, counted from 1, within the head's own matrix; swapped if it is drawn transposed.
   * @param {Hit} hit */
  where({ one: { block }, r, c }) {
    if (block.bands) return [r + 1, (c % (block.cols / block.bands)) + 1];
    const place = block.head === undefined ? [block.row + r + 1, block.col + c + 1] : [r + 1, c + 1];
    if (block.turned) place.reverse();
    return [place[0] + (block.first || 0), place[1]];
  }

  /** The drawn places of the chosen cell. @returns {Hit[]} */
  hits() {
    if (!this.chosen || !this.now) return [];
    const { name, head, row, col } = this.chosen;
    return this.now.blocks.filter(({ block }) => block.name === name && block.head === head && this.grid(block)?.pool === 1)
      .map((one) => {
        const { block } = one, at = row - (block.first || 0);
        return block.turned ? { one, r: col, c: at } : head === undefined ? { one, r: row - block.row, c: col - block.col } : { one, r: at, c: col };
      })
      .filter(({ one, r, c }) => r >= 0 && c >= 0 && r < one.block.rows && c < one.block.cols);
  }

  /** @param {Hit | PlacedPanel | PlacedText | null} hit */
  point(hit) {
    this.hover = hit && "one" in hit ? hit : null;
    const panel = hit && ("one" in hit ? hit.one.panel : "panel" in hit ? hit.panel : null);
    this.card = (this.plan?.narrow && panel?.go && !panel.on && this.now?.frames.find((frame) => frame.panel === panel)) || null;
    this.over.style.cursor = hit ? "pointer" : "";
    this.overlay();
    if (!this.hover) { this.tip.hidden = true; return; }
    this.describe(this.hover, this.tip);
    this.tip.hidden = false;
    const { one, r, c } = this.hover, x = one.x + ((c + 1) * one.w) / one.block.cols + 8, y = one.y + (r * one.h) / one.block.rows;
    this.tip.style.left = Math.max(0, Math.min(x, this.width - this.tip.offsetWidth)) + "px";
    this.tip.style.top = Math.max(0, y - this.tip.offsetHeight - 6) + "px";
  }

  /** @param {Hit} hit @param {HTMLElement} into */
  describe(hit, into) {
    const { block } = hit.one, grid = this.grid(block);
    if (!grid) return;
    const value = this.values[grid.at + (block.row + hit.r) * grid.cols + block.col + hit.c], v = grid.scale === "share" ? below(value, 3) : value;
    const label = this.plan?.labels[block.name] || block.name;
    const wide = block.bands ? block.cols / block.bands : 0, whose = wide ? Math.floor(hit.c / wide) : block.head;
    const head = whose === undefined ? "" : ` of head ${whose + 1}`;
    const named = (/** @type {string | undefined} */ word, /** @type {number} */ place) => (word && word !== `${place}` ? `${place} (${word})` : `${place}`);
    const words = [block.row_labels?.[hit.r], block.col_labels?.[hit.c]];
    if (block.turned) words.reverse();
    const [row, col] = this.where(hit).map((place, side) => named(words[side], place));
    into.textContent = grid.pool > 1
      ? `${label}${head}: mean of ${grid.pool} × ${grid.pool} numbers = ${number(v)}`
      : `${label}${head}, row ${row}, column ${col} = ${number(v)}`;
  }

  overlay() {
    const g = this.context(this.over);
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.over.width, this.over.height);
    if (this.card) {
      const { x, y, w, h } = this.card;
      g.strokeStyle = this.colours.line; g.lineWidth = 2;
      g.beginPath(); g.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, 10); g.stroke();
    }
    if (this.film && this.plan?.large) this.screen(g, this.film);
    const chosen = this.hits();
    for (const hit of chosen) if (hit.one.block.look) this.band(g, hit, this.term ? Math.max(this.term.from, 0) : hit.r);
    for (const hit of this.hover ? [this.hover] : chosen) this.light(g, hit);
    if (this.term) for (const hit of chosen) this.mark(g, hit, this.term);
    if (this.hover) for (const hit of chosen) this.ring(g, hit.one, hit.r, hit.c, 1, 1, this.colours.ink, 2);
  }

  /** A band across the panel at the row of a chosen number, or of the term that is played. @param {CanvasRenderingContext2D} g @param {Hit} hit @param {number} r */
  band(g, { one: { block, y, h, panel } }, r) {
    const frame = this.now?.frames.find((other) => other.panel === panel), high = h / block.rows, { head_text: hues } = this.colours;
    if (!frame || r >= block.rows) return;
    g.fillStyle = hues[(block.head ?? 0) % hues.length]; g.globalAlpha = 0.13;
    g.fillRect(frame.x, y + r * high, frame.w, high);
    g.globalAlpha = 1;
  }

  /** A frame around `rows` × `cols` cells from row `r` and column `c`. @param {CanvasRenderingContext2D} g @param {PlacedBlock} one @param {number} r
   * @param {number} c @param {number} rows @param {number} cols @param {string} colour @param {number} width */
  ring(g, one, r, c, rows, cols, colour, width) {
    const w = one.w / one.block.cols, h = one.h / one.block.rows;
    g.strokeStyle = colour; g.lineWidth = width;
    g.strokeRect(one.x + c * w - 1, one.y + r * h - 1, cols * w + 1, rows * h + 1);
  }

  /** A pale block's numbers in their own colours, `rows` × `cols` from row `r` and column `c`. @param {CanvasRenderingContext2D} g
   * @param {PlacedBlock} one @param {number} r @param {number} c @param {number} rows @param {number} cols */
  uncover(g, one, r, c, rows, cols) {
    const { plan } = this, grid = this.grid(one.block);
    if (!plan || !grid || !one.block.calm) return;
    const { block } = one, wide = one.w / block.cols, high = one.h / block.rows;
    const part = { ...block, calm: false, row: block.row + r, col: block.col + c, rows, cols };
    this.drawCells(g, plan, { ...one, block: part, x: one.x + c * wide, y: one.y + r * high, w: cols * wide, h: rows * high }, grid, 1, null);
  }

  /** @param {CanvasRenderingContext2D} g @param {Hit} hit */
  light(g, { one, r, c }) {
    const { block } = one, { ink, lift, head_text: hues } = this.colours, i = block.row + r, j = block.col + c;
    /** @type {(other: PlacedBlock, r: number, c: number, rows: number, cols: number) => void} */
    const show = (other, ...part) => {
      this.uncover(g, other, ...part);
      if (!other.block.look) this.ring(g, other, ...part, ink, other.block.calm ? 3 : 2); // a column of plain numbers has no cells
    };
    /** @type {PlacedBlock[]} */
    const rows = [], /** @type {PlacedBlock[]} */ cols = [];
    this.uncover(g, one, r, c, 1, 1);
    for (const other of this.now?.blocks ?? []) {
      if (other === one) continue;
      if (other.block.grid === block.grid && !block.sources?.length) {
        const row = i - other.block.row, col = j - other.block.col;
        if (row >= 0 && col >= 0 && row < other.block.rows && col < other.block.cols) show(other, row, col, 1, 1);
      }
      for (const source of block.sources ?? []) {
        if (other.block.id !== source.block || other.panel.zone !== one.panel.zone) continue;
        const at = source.by === "r" ? r : c;
        if (source.part === "row") { rows.push(other); show(other, at, 0, 1, other.block.cols); this.drawTokens(g, other, at); }
        else if (source.part === "col") { cols.push(other); show(other, 0, at, other.block.rows, 1); }
        else show(other, r, c, 1, 1);
      }
    }
    this.ring(g, one, r, c, 1, 1, ink, 4);
    if (block.calm && block.hue !== undefined) this.ring(g, one, r, c, 1, 1, hues[block.hue % hues.length], 3);
    else this.ring(g, one, r, c, 1, 1, lift, 1.5);
    if (!rows[0]?.block.calm || !cols.length) return;
    const x = one.x + ((c + 0.5) * one.w) / block.cols, y = one.y + ((r + 0.5) * one.h) / block.rows;
    const left = Math.min(...(this.now?.blocks ?? []).filter((other) => other.block.name === block.name).map((other) => other.x));
    this.arrow(g, Math.max(...rows.map((row) => row.x + row.w)) + 4, y, left - 3, y);
    g.setLineDash([2, 4]);
    this.arrow(g, x, Math.max(...cols.map((col) => col.y + col.h)) + 4, x, y - one.h / block.rows / 2 - 4);
    g.setLineDash([]);
  }

  /** An arrow from the row or the column to the cell where they meet. @param {CanvasRenderingContext2D} g @param {number} x0 @param {number} y0
   * @param {number} x1 @param {number} y1 */
  arrow(g, x0, y0, x1, y1) {
    const long = Math.hypot(x1 - x0, y1 - y0) || 1, dx = (5 * (x1 - x0)) / long, dy = (5 * (y1 - y0)) / long;
    g.strokeStyle = this.colours.ink; g.lineWidth = 1.5;
    g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke();
    g.setLineDash([]);
    g.beginPath(); g.moveTo(x1 - dx - dy, y1 - dy + dx); g.lineTo(x1, y1); g.lineTo(x1 - dx + dy, y1 - dy - dx); g.stroke();
  }

  /** Marks the numbers of the present term in the row and the column of a chosen cell, whose own number is hidden.
   * @param {CanvasRenderingContext2D} g @param {Hit} hit @param {PlayedTerm} term */
  mark(g, { one, r, c }, term) {
    const { lift, ink } = this.colours, wide = one.w / one.block.cols, high = one.h / one.block.rows;
    g.fillStyle = lift;
    g.fillRect(one.x + c * wide, one.y + r * high, wide - 1, high - 1);
    for (const source of one.block.sources ?? [])
      for (const other of this.now?.blocks ?? []) {
        const { block } = other, across = source.part === "row";
        if (block.id !== source.block || other.panel.zone !== one.panel.zone || source.part === "cell") continue;
        const at = source.by === "r" ? r : c, [first, most] = across ? [block.col, block.cols] : [block.row, block.rows];
        const from = Math.max(0, term.from - first), count = Math.min(most, term.to - first) - from;
        if (count <= 0) continue;
        if (across) this.ring(g, other, at, from, 1, count, ink, 4); else this.ring(g, other, from, at, count, 1, ink, 4);
      }
  }

  /** @param {CanvasRenderingContext2D} g @param {FilmStill} film */
  screen(g, { empty, landed, marks }) {
    g.fillStyle = this.colours.lift; g.strokeStyle = this.colours.line; g.lineWidth = 1;
    for (const { block, x, y, w, h } of this.now?.blocks ?? []) {
      if (!empty.includes(block.id)) continue;
      const wide = w / block.cols, high = h / block.rows, gap = gapIn(block, { x, y, w, h });
      const there = landed.filter(([id]) => id === block.id);
      for (let r = 0; r < block.rows; r++)
        for (let c = 0; c < block.cols; c++)
          if (!there.some(([, row, col, rows, cols]) => r >= row && r < row + rows && c >= col && c < col + cols)) {
            const last = [c === block.cols - 1 ? gap : 0, r === block.rows - 1 ? gap : 0]; // the outline stays
            g.fillRect(x + c * wide, y + r * high, wide - last[0], high - last[1]);
            g.strokeRect(x + c * wide, y + r * high, wide - last[0], high - last[1]);
          }
    }
    for (const [id, row, col, rows, cols] of marks)
      for (const one of this.now?.blocks ?? []) if (one.block.id === id) this.ring(g, one, row, col, rows, cols, this.colours.ink, 2 + this.zoom());
  }

  /** @param {Hit | null} hit @param {boolean} [soon] */
  choose(hit, soon) {
    const address = hit && this.address(hit);
    if (hit && !address) return;
    this.chosen = cellOf(address || "");
    this.hover = null;
    this.overlay();
    if (hit) this.describe(hit, this.live);
    this.unanswered.push(address || "");
    clearTimeout(this.waitTimer);
    this.waitTimer = setTimeout(() => (this.unanswered = []), 30000); // an answer was left out, or the message was lost
    clearTimeout(this.sendTimer);
    this.sendTimer = setTimeout(() => this.send("cell", address || ""), soon ? 0 : 180);
  }

  /** @param {Hit | PlacedPanel | PlacedText | null} hit */
  click(hit) {
    if (!hit) return;
    if ("text" in hit) return this.send("go", hit.text.press);
    const panel = "one" in hit ? hit.one.panel : hit.panel;
    if (panel.go) this.send("go", panel.go);
    else if ("one" in hit) this.choose(hit, true);
  }

  /** Passes a key to the card with the chosen cell's arithmetic. @param {"toggle" | "next" | "back" | "close"} what */
  ask(what) {
    dispatchEvent(new CustomEvent("headcount-play", { detail: what }));
  }

  /** Arrow keys choose the word before or the next word, among those that can be pressed. @param {KeyboardEvent} e @param {PlacedText[]} words */
  stepWord(e, words) {
    const way = WAYS[e.key]?.[0], here = words.findIndex(({ text }) => text.mark === "frame");
    if (!way) return;
    e.preventDefault();
    this.send("go", words[(here + way + words.length) % words.length].text.press);
  }

  /** In a table, arrow keys choose the next card in their direction. @param {KeyboardEvent} e */
  step(e) {
    const cards = this.now?.frames.filter((frame) => frame.panel.go) ?? [], on = cards.find((frame) => frame.panel.on);
    const way = WAYS[e.key];
    if (!way || !on) return;
    e.preventDefault();
    const off = (/** @type {PlacedPanel} */ one) => [one.x - on.x, one.y - on.y];
    const ahead = cards.filter((one) => { const [x, y] = off(one); return way[0] ? x * way[0] > 1 && Math.abs(y) < on.h / 2 : y * way[1] > 1 && Math.abs(x) < 2; });
    const next = ahead.sort((a, b) => Math.hypot(...off(a)) - Math.hypot(...off(b)))[0];
    if (next?.panel.go) this.send("go", next.panel.go);
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const words = this.now?.texts.filter(({ text }) => text.press) ?? [];
    if (words.length) return this.stepWord(e, words);
    if (this.plan?.narrow) return this.step(e);
    const usable = this.now?.blocks.filter((one) => one.block.grid && this.address({ one, r: 0, c: 0 })) ?? [];
    if (!usable.length) return;
    const hit = this.hits()[0], step = WAYS[e.key];
    if (e.key === "Escape") { this.ask("close"); this.choose(null, true); return; }
    if (hit && e.key === " ") { e.preventDefault(); this.ask("toggle"); return; }
    if (this.term && step?.[0]) { e.preventDefault(); this.ask(step[0] > 0 ? "next" : "back"); return; }
    if (!step && !["PageDown", "PageUp", "Home", "Enter", " "].includes(e.key)) return;
    e.preventDefault();
    if (!hit || e.key === "Home") return this.choose({ one: usable[0], r: 0, c: 0 });
    if (step) {
      const { rows, cols } = hit.one.block;
      return this.choose({ one: hit.one, r: Math.max(0, Math.min(rows - 1, hit.r + step[1])), c: Math.max(0, Math.min(cols - 1, hit.c + step[0])) });
    }
    const way = e.key === "PageDown" ? 1 : e.key === "PageUp" ? usable.length - 1 : 0;
    const next = usable[(usable.indexOf(hit.one) + way) % usable.length];
    this.choose({ one: next, r: Math.min(hit.r, next.block.rows - 1), c: Math.min(hit.c, next.block.cols - 1) }, way === 0);
  }
}
