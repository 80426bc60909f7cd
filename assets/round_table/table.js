// The round table: guests, each head's attention as lines, the answers. Pointing at a guest shows theirs at once; a click chooses them.
const THEMES = /** @type {Record<"light" | "dark", { heads: string[], head_text: string[] }>} */ (/*THEMES*/{});
const SVG = "http://www.w3.org/2000/svg", WIDE = 460, TALL = 290, X = 230, Y = 143, RX = 172, RY = 114, FEW = 8;

/** @template {keyof SVGElementTagNameMap} Name @param {Name} name @param {Record<string, string | number>} attributes @param {Element} into
 * @param {string | number} [text] */
const make = (name, attributes, into, text) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = String(text);
  into.append(made);
  return made;
};
// Seats are counted counterclockwise: a guest who faces the table has the seat before on the left, as in the task.
/** @param {number} seat @param {number} count */
const place = (seat, count) => {
  const angle = -Math.PI / 2 - (2 * Math.PI * seat) / count;
  return [X + RX * Math.cos(angle), Y + RY * Math.sin(angle)];
};

class View {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box;
    this.colours = THEMES.light;
    this.drawn = "";
    /** @type {RoundTable.Plan | null} */
    this.data = null;
    /** @type {Card[]} */
    this.cards = [];
    /** @type {(name: string, value: unknown) => void} */
    this.send = () => {};
  }

  end() {
    this.box.replaceChildren();
  }

  /** @param {RoundTable.Plan} data */
  show(data) {
    const { tables, guest } = (this.data = data), dark = isDark(this.box), look = JSON.stringify([tables, guest, dark]);
    if (look === this.drawn) return;
    this.drawn = look;
    this.colours = THEMES[dark ? "dark" : "light"];
    const root = /** @type {Document | ShadowRoot} */ (this.box.getRootNode());
    const focused = [...this.box.querySelectorAll("svg")].findIndex((svg) => svg === root.activeElement);
    this.box.replaceChildren();
    this.cards = tables.map((table) => this.card(table));
    this.look(guest);
    if (focused >= 0) this.cards[focused]?.svg.focus({ preventScroll: true });
  }

  /** @param {RoundTable.Table} table @returns {Card} */
  card(table) {
    const card = element("div", { className: "card" }, element("h2", {}, `${table.title} `, element("span", {}, table.note)));
    this.box.append(card);
    const svg = make("svg", { viewBox: `0 0 ${WIDE} ${TALL}`, tabindex: 0, role: "application" }, card);
    make("ellipse", { cx: X, cy: Y, rx: 128, ry: 82, class: "wood" }, svg);
    const lines = make("g", {}, svg);
    const guests = table.guests.map((guest, seat) => {
      const [x, y] = place(seat, table.guests.length), group = make("g", { class: "guest" }, svg);
      make("rect", { x: x - 38, y: y - 19, width: 76, height: 38, rx: 10 }, group);
      make("text", { x, y: y - 3 }, group, guest.name + (guest.host ? " ★" : ""));
      make("text", { x, y: y + 13, class: "dish" }, group, guest.dish);
      group.addEventListener("pointerenter", () => this.look(seat));
      group.addEventListener("pointerleave", () => this.look(this.data?.guest ?? 0));
      group.addEventListener("click", () => this.choose(seat));
      return group;
    });
    svg.addEventListener("keydown", (e) => this.key(e));
    const badges = make("g", {}, svg), answers = element("table", { className: "answers" });
    card.append(answers);
    return { table, svg, lines, badges, guests, answers };
  }

  /** @param {number} seat */
  choose(seat) {
    if (!this.data) return;
    this.data.guest = seat;
    this.look(seat);
    this.send("guest", seat + 1);
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    /** @type {Record<string, number>} */
    const ways = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    const count = this.cards[0].guests.length, way = ways[e.key];
    if (!way || !this.data) return;
    e.preventDefault();
    this.choose((this.data.guest + way + count) % count);
  }

  /** @param {number} seat */
  look(seat) {
    for (const card of this.cards) {
      card.guests.forEach((group, i) => group.classList.toggle("on", i === seat));
      card.svg.setAttribute("aria-label", card.table.alts[seat] + " Arrow keys choose another guest.");
      this.drawAttention(card, seat);
      this.answer(card, seat);
    }
  }

  // One line for each head and seat, as wide as its weight. Lines of several heads to one seat bend apart; of many heads, they lie on
  // one another and have their numbers in one badge.
  /** @param {Card} card @param {number} seat */
  drawAttention({ table, lines, badges }, seat) {
    lines.replaceChildren();
    badges.replaceChildren();
    const heads = table.attention.length, many = heads > FEW, least = many ? 0.12 : 0.05, labelled = many ? 0.6 : 0.3;
    /** @type {Map<number, number[]>} */
    const looking = new Map();
    /** @param {number} to @param {number} side @param {Record<string, string | number>} look */
    const draw = (to, side, look) => make("path", { d: this.path(seat, to, table.guests.length, side, heads), class: "attention", ...look }, lines);
    table.attention.forEach((rows, head) => {
      const stroke = this.colours.heads[head % this.colours.heads.length];
      rows[seat].forEach((weight, to) => {
        if (weight < least) return;
        const line = draw(to, head - (heads - 1) / 2, { stroke, "stroke-width": 0.8 + 7 * weight, opacity: 0.35 + 0.6 * weight });
        if (weight < labelled || heads === 1) return;
        const before = looking.get(to) ?? [];
        looking.set(to, [...before, head]);
        if (!many) this.badge(badges, line, 0.62 - 0.14 * before.length, [head]);
      });
    });
    if (many) looking.forEach((some, to) => this.badge(badges, draw(to, 0, { opacity: 0 }), 0.62, some));
  }

  /** The numbers of heads on a line, in rows no wider than what it leaves between two guests.
   * @param {SVGElement} into @param {SVGPathElement} line @param {number} share of its length @param {number[]} heads */
  badge(into, line, share, heads) {
    const long = line.getTotalLength(), { x, y } = line.getPointAtLength(long * share), { heads: hues, head_text } = this.colours;
    const columns = Math.min(heads.length, Math.max(1, Math.floor((long - 80) / 18))), rows = Math.ceil(heads.length / columns);
    const badge = make("g", { class: "badge" }, into), stroke = heads.length > 1 ? "currentColor" : hues[heads[0] % hues.length];
    make("rect", { x: x - 9 * columns, y: y - 7 * rows - 2, width: 18 * columns, height: 14 * rows + 4, rx: 9, stroke }, badge);
    heads.forEach((head, i) => {
      const left = x + 18 * (i % columns - (columns - 1) / 2), top = y + 14 * (Math.floor(i / columns) - (rows - 1) / 2);
      make("text", { x: left, y: top, fill: head_text[head % head_text.length] }, badge, head + 1);
    });
  }

  /** @param {number} from @param {number} to @param {number} count @param {number} side @param {number} heads */
  path(from, to, count, side, heads) {
    const [x, y] = place(from, count), [u, v] = place(to, count), bend = heads > FEW ? 26 / heads : 7;
    if (from === to) { // a loop towards the middle
      const dx = (X - x) * 0.5, dy = (Y - y) * 0.5, px = -dy * 0.7, py = dx * 0.7;
      return `M${x},${y} C${x + dx + px},${y + dy + py} ${x + dx - px},${y + dy - py} ${x},${y}`;
    }
    const long = Math.hypot(u - x, v - y), nx = -(v - y) / long, ny = (u - x) / long, inward = 0.35;
    const cx = (x + u) / 2 + ((X - (x + u) / 2) * inward) + nx * side * bend, cy = (y + v) / 2 + ((Y - (y + v) / 2) * inward) + ny * side * bend;
    return `M${x},${y} Q${cx},${cy} ${u},${v}`;
  }

  /** @param {Card} card @param {number} seat */
  answer({ table, answers }, seat) {
    const heads = [`${table.guests[seat].name} is asked for the dish of`, "answer", this.data?.rates_heading ?? ""];
    const rows = table.answers[seat].map((one, q) => {
      const mark = { className: one.ok ? "ok" : "no", title: `probability ${one.sure.toFixed(2)}` };
      const said = element("span", mark, `${one.ok ? "✓" : "✗"} ${one.predicted}`), right = element("small", {}, one.ok ? "" : `  it is ${one.right}`);
      const cells = [[`the ${one.question}, ${one.who}`], [said, right], [table.rates[q]]];
      return element("tr", {}, ...cells.map((parts) => element("td", {}, ...parts)));
    });
    const head = element("tr", {}, ...heads.map((text) => element("th", {}, text)));
    answers.replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  }
}

/** @param {ComponentCall<Uint8Array>} component of a RoundTable.Plan */
export default function (component) {
  const root = component.parentElement;
  const [view, leave] = kept(root, "view", () => new View(/** @type {HTMLElement} */ (root.querySelector(".tables"))));
  view.send = component.setTriggerValue;
  view.show(read(component.data));
  return leave;
}
