// Tables of words and numbers as real ones: a heading for every row and column, and a region that scrolls by keyboard.
export default function ({ data, parentElement }) {
  const make = (name, text, more) => Object.assign(document.createElement(name), text === null ? {} : { textContent: text }, more);
  const line = (cells, heading) => {
    const row = make("tr", null);
    row.append(...cells.map((text, i) => make(heading || i === 0 ? "th" : "td", text, heading ? { scope: "col" } : i === 0 ? { scope: "row" } : {})));
    return row;
  };
  parentElement.querySelector(".tables").replaceChildren(...data.map(({ title, heads, rows, words }) => {
    const region = make("div", null, { className: words ? "region words" : "region", tabIndex: 0, role: "group", ariaLabel: title });
    const table = make("table", null), head = make("thead", null), body = make("tbody", null);
    head.append(line(heads, true));
    body.append(...rows.map((row) => line(row, false)));
    table.append(make("caption", title), head, body);
    region.append(table);
    return region;
  }));
}
