// Tables of words and numbers as real ones: a heading for every row and column, and a region that scrolls by keyboard.
/** @typedef {{ title: string, heads: string[], rows: string[][], words: boolean }} Sheet one table (components/widgets/tables.py) */

/** @param {ComponentCall<Sheet[]>} component */
export default function ({ data, parentElement }) {
  /** @template {keyof HTMLElementTagNameMap} Name @param {Name} name @param {string | null} text
   * @param {Partial<HTMLElementTagNameMap[Name]>} [more] */
  const make = (name, text, more) => Object.assign(document.createElement(name), text === null ? {} : { textContent: text }, more);
  /** @param {string[]} cells @param {boolean} heading */
  const line = (cells, heading) => {
    const row = make("tr", null);
    row.append(...cells.map((text, i) => (heading || i === 0 ? make("th", text, { scope: heading ? "col" : "row" }) : make("td", text))));
    return row;
  };
  parentElement.querySelector(".tables")?.replaceChildren(...data.map(({ title, heads, rows, words }) => {
    const region = make("div", null, { className: words ? "region words" : "region", tabIndex: 0, role: "group", ariaLabel: title });
    const table = make("table", null), head = make("thead", null), body = make("tbody", null);
    head.append(line(heads, true));
    body.append(...rows.map((row) => line(row, false)));
    table.append(make("caption", title), head, body);
    region.append(table);
    return region;
  }));
}
