// A chart by Plotly: drawn once, then changed (Plotly.react), and left alone if nothing differs.
const FULL_SCREEN = "M0 0h180v60H60v120H0zM320 0h180v180h-60V60H320zM0 320h60v120h120v60H0zM440 320h60v180H320v-60h120z";

/** Plotly's defaults for every figure, with names for the page's colours and font. */
const TEMPLATE = /*TEMPLATE*/{};
/** Tools that no figure needs, each a tab stop; and those of maps, which are zoomed and moved. */
const REMOVED = ["lasso2d", "select2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "sendChartToCloud"], MOVES = ["pan2d", "zoom2d", "resetScale2d"];
/** Milliseconds within which a second click is a double one. */
const DOUBLE = 300;

/** Charts are drawn one by one, each in its own task, so that each is seen as soon as it is drawn. @returns {Promise<void>} */
const turn = () => (window.headcountTurn = Promise.resolve(window.headcountTurn).then(() => new Promise((go) => setTimeout(go))));

class Chart {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box;
    this.place = /** @type {PlotlyElement} */ (box.firstElementChild);
    /** The last text from the server, the text to show, and the drawn text with its size and colours. */
    this.reply = this.text = this.drawn = "";
    this.later = this.clicking = 0;
    this.doubled = -DOUBLE;
    /** @type {Charts.Sent | null} */
    this.sent = null;
    /** @type {object | null} */
    this.config = null;
    /** @type {(point: object) => void} */
    this.send = () => {};
    this.over = new AbortController();
    /** @type {Promise<unknown>} the drawing that is under way */
    this.work = Promise.resolve();
    const draw = () => this.draw();
    // A chart in a closed expander has a width, and is drawn when it opens.
    this.observers = [new ResizeObserver(draw), new IntersectionObserver(draw)];
    for (const one of this.observers) one.observe(box);
    box.addEventListener("keydown", (e) => this.key(e), { signal: this.over.signal });
    /** The chart at a slider's next stops. */
    this.ahead = new PreviewAhead(box, () => this.sent?.look, (...next) => this.foresee(...next), this.over.signal);
  }

  end() {
    this.over.abort();
    clearTimeout(this.later);
    clearTimeout(this.clicking);
    for (const one of this.observers) one.disconnect();
    // Not while it draws.
    this.work.catch(() => {}).then(() => window.Plotly?.purge(this.place));
  }

  /** @param {string} text a figure as JSON, from the server */
  show(text) {
    if (text !== this.reply) this.sent = this.read((this.reply = text));
    this.ahead.missed = null;
    this.text = text;
    this.draw();
  }

  /** Shows a prefetched chart after the picture's frame, which it would delay by 50 ms.
   * @param {Uint8Array | null} next @param {boolean} held */
  foresee(next, held) {
    this.text = next ? new TextDecoder().decode(next) : this.reply;
    clearTimeout(this.later);
    // While a slider is held, waits until it has not moved for 100 ms.
    this.later = setTimeout(() => this.draw(), held ? 100 : 0);
  }

  // How far below the window's top it begins, unscrolled.
  top() {
    return this.box.getBoundingClientRect().top + (document.querySelector('[data-testid="stMain"]')?.scrollTop ?? scrollY);
  }

  /** Reads the text as a figure. Its place gets its height before Plotly is loaded. @param {string} text */
  read(text) {
    let sent = /** @type {Charts.Sent} */ (JSON.parse(text));
    const dark = isDark(this.box) && sent.dark;
    if (dark) sent = JSON.parse(text, (_, value) => (typeof value === "string" && dark[value]) || value);
    const wide = this.box.clientWidth, { narrow } = sent;
    if (narrow && wide && wide < (Number(sent.layout.width) + Number(narrow.width)) / 2) sent.layout = { ...sent.layout, ...narrow }; // the nearer one
    const { meta, width } = sent.layout;
    // In a lecture hall, type grows with the window.
    if (meta?.hall && wide > Number(width)) sent = JSON.parse(text, (key, value) => (key === "size" ? (value * wide) / Number(width) : value));
    // A narrower chart is not lower, because titles need their room.
    if (meta?.grow && wide && document.fullscreenElement !== this.box) {
      const grown = sent.layout.height + Math.round(meta.grow * Math.max(0, wide - Number(width))), { layout } = sent;
      // A chart beside a picture must fit into the window.
      layout.height = meta.beside ? Math.max(Math.min(layout.height, grown), Math.min(grown, innerHeight - this.top() - 48)) : grown;
    }
    this.box.setAttribute("aria-label", sent.alt);
    if (meta?.at) this.box.tabIndex = 0;
    delete this.box.dataset.coming;
    this.box.style.height = `${sent.layout.height}px`;
    return sent;
  }

  /** Draws the chart if its text, colours or width have changed. */
  async draw() {
    const full = document.fullscreenElement === this.box, { box, place } = this;
    if (!this.text) return;
    const style = getComputedStyle(box), [ink, ground, line, font] = ["text-color", "background-color", "border-color", "font"].map((name) =>
      style.getPropertyValue(`--st-${name}`).trim());
    const width = box.clientWidth, wanted = [width, full && box.clientHeight, ink, ground, this.text].join();
    if (wanted === this.drawn || !width || !box.checkVisibility()) return;
    this.drawn = wanted;
    const { data, layout, file, click } = this.read(this.text), map = layout.meta?.grow !== undefined;
    layout.width = width;
    if (Number(layout.meta?.worded) > width) // rows are lower here than their words
      for (const name of Object.keys(layout)) if (/^[xy]axis/.test(name)) layout[name] = { .../** @type {object} */ (layout[name]), showticklabels: false };
    if (full) layout.height = box.clientHeight;
    /** @type {Record<string, string>} */
    const look = { $ink: ink, $ground: ground, $line: line, $font: font };
    layout.template = JSON.parse(JSON.stringify(TEMPLATE), (_, value) => (typeof value === "string" && look[value]) || value);
    if (map && matchMedia("(pointer: coarse)").matches) layout.dragmode = false; // a finger scrolls the page
    if (map) Object.assign(layout, { title: undefined, modebar: { orientation: layout.meta?.beside ? "h" : "v", bgcolor: "rgba(0,0,0,0)", color: ink, activecolor: ink } });
    if (click) layout.dragmode ??= false;
    box.toggleAttribute("data-beside", Boolean(layout.meta?.beside));
    this.config ??= {
      displaylogo: false, showTips: false, displayModeBar: file ? "hover" : false, plotlyServerURL: "",
      modeBarButtonsToRemove: map ? REMOVED : [...REMOVED, ...MOVES], toImageButtonOptions: { format: "svg", filename: file },
      modeBarButtonsToAdd: document.fullscreenEnabled ? [{
        name: "full", title: "Fullscreen", icon: { width: 500, height: 500, path: FULL_SCREEN },
        click: () => { if (document.fullscreenElement) document.exitFullscreen(); else box.requestFullscreen(); },
      }] : [],
    };
    try {
      const plotly = await program();
      await turn();
      await this.work.catch(() => {});
      if (this.over.signal.aborted || wanted !== this.drawn) return;
      const first = !place.on;
      await (this.work = plotly.react(place, data, layout, this.config));
      if (first) {
        place.on?.("plotly_click", ({ points: [point] }) => this.click(point));
        place.on?.("plotly_doubleclick", () => { clearTimeout(this.clicking); this.clicking = 0; this.doubled = performance.now(); });
      }
    } catch (error) {
      if (error) throw error;
      this.drawn = "";
      place.textContent = "The program that draws charts did not arrive. The numbers stand below, in the table.";
    }
  }

  /** In maps of heads, arrow keys move the framed cell, and Page Up and Down go to another head. @param {KeyboardEvent} e */
  key(e) {
    const at = this.sent?.layout.meta?.at, way = /** @type {Record<string, [number, number, number]>} */ ({
      ArrowLeft: [0, 0, -1], ArrowRight: [0, 0, 1], ArrowUp: [0, -1, 0], ArrowDown: [0, 1, 0], PageUp: [-1, 0, 0], PageDown: [1, 0, 0],
    })[e.key];
    if (!at || !way || e.target !== this.box || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    const within = (/** @type {number} */ place, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, place));
    Object.assign(at, { head: within(at.head + way[0], at.heads), row: within(at.row + way[1], at.rows), col: within(at.col + way[2], at.cols) });
    this.send({ at: [at.row, at.col], data: { name: "weights", head: at.head + 1 } });
  }

  /** @param {Charts.Point | undefined} point */
  click(point) {
    if (!point || !this.sent?.click) return;
    const chosen = { at: point.pointNumber, data: point.data?.meta ?? point.customdata ?? null };
    if (this.sent.layout.meta?.grow === undefined) return this.send(chosen);
    // A double click resets the zoom and chooses nothing. Its second click may come before Plotly's event or after it.
    const second = this.clicking || performance.now() - this.doubled < DOUBLE;
    clearTimeout(this.clicking);
    this.clicking = second ? 0 : setTimeout(() => { this.clicking = 0; this.send(chosen); }, DOUBLE);
  }
}

/** @param {ComponentCall<Uint8Array>} component */
export default function (component) {
  const root = component.parentElement;
  const [chart, leave] = kept(root, "chart", () => new Chart(/** @type {HTMLElement} */ (root.querySelector(".headcount-chart"))));
  chart.send = (point) => component.setTriggerValue("point", point);
  chart.show(new TextDecoder().decode(component.data));
  return leave;
}
