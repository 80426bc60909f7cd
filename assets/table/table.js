// Tables of words and numbers as real ones: a heading for every row and column, and a region that scrolls by keyboard.
/** @typedef {{ title: string, heads: string[], rows: string[][], words: boolean, sorts?: boolean }} Sheet one table
 * (components/widgets/tables.py). sorts: by a press on a heading; a press on a row's name tells the page that name. */

/** @typedef {HTMLElement & { order?: { column: number, down: boolean }, sheets?: string }} Place and its sheets */

/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data, parentElement, setTriggerValue }) {
  const place = /** @type {Place | null} */ (parentElement.querySelector(".tables"));
  if (!place || place.sheets === String(data)) return; // a rerun: what is scrolled and focused stays
  place.sheets = String(data);
  /** @param {string} text @param {string} scope @param {(() => void) | undefined} act */
  const heading = (text, scope, act) => element("th", { scope }, act ? element("button", { type: "button", onclick: act }, text) : text);
  /** @param {string} text */
  const number = (text) => parseFloat(text.replace(/,/g, ""));
  /** Rows in order: numbers by size, the largest first; empty cells last in both directions. @param {string[][]} rows @returns {string[][]} */
  const sorted = (rows) => {
    if (!place.order) return rows;
    const { column, down } = place.order, way = down ? -1 : 1;
    return [...rows].sort(({ [column]: a }, { [column]: b }) =>
      a === "" || b === "" ? Number(a === "") - Number(b === "") : way * (number(a) - number(b) || a.localeCompare(b)));
  };
  /** @param {Sheet} sheet */
  const draw = ({ title, heads, rows, words, sorts = false }) => {
    const name = (words ? "region words" : "region") + (sorts ? " sorts" : "");
    const first = element("tr", {}), body = element("tbody", {});
    const counted = heads.map((_, column) => sorts && rows.some((row) => !Number.isNaN(number(row[column]))));
    const fill = () => body.replaceChildren(...sorted(rows).map(([name, ...cells]) => {
      const rest = cells.map((text, i) => element("td", { className: counted[i + 1] ? "counted" : "" }, text));
      return element("tr", {}, heading(name, "row", sorts ? () => setTriggerValue("row", name) : undefined), ...rest);
    }));
    const mark = () => [...first.cells].forEach((cell, column) => {
      const { order } = place;
      cell.ariaSort = order?.column === column ? (order.down ? "descending" : "ascending") : null;
    });
    first.append(...heads.map((text, column) => heading(text, "col", sorts ? () => {
      place.order = { column, down: place.order?.column === column ? !place.order.down : counted[column] };
      fill();
      mark();
    } : undefined)));
    [...first.cells].forEach((cell, column) => cell.classList.toggle("counted", counted[column]));
    fill();
    mark();
    const table = element("table", {}, element("caption", {}, title), element("thead", {}, first), body);
    return element("div", { className: name, tabIndex: 0, role: "group", ariaLabel: title }, table);
  };
  place.replaceChildren(.../** @type {Sheet[]} */ (read(data)).map(draw));
}
