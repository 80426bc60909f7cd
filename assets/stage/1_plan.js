// The stage draws a scene (blocks of cells) on a canvas, lets the blocks glide from one scene to the next, and highlights the
// numbers that give a cell. The files of this folder are one program, joined in the order of their names. This one reads its data.
const PALETTE = /** @type {Record<"light" | "dark", Palette>} */ (/*PALETTE*/{});
const LAYOUT = /** @type {LayoutRules} */ (/*LAYOUT*/{});

/** @param {Uint8Array} bytes @returns {{ plan: Wire.Plan, values: Float32Array }} */
const parse = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const plan = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { plan, values: new Float32Array(bytes.slice(4 + length).buffer) };
};

/** @param {string} hex @returns {Rgb} */
const rgb = (hex) => [parseInt(hex.slice(1, 3), 16), parseInt(hex.slice(3, 5), 16), parseInt(hex.slice(5, 7), 16)];

/** 256 colours from the first to the last, each with a legible text colour. @param {string[]} colours @returns {Shade[]} */
const ramp = (colours) => {
  const list = colours.map(rgb), table = [];
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (list.length - 1), low = Math.min(Math.floor(at), list.length - 2), part = at - low;
    const [red, green, blue] = list[low].map((a, j) => Math.round(a + (list[low + 1][j] - a) * part));
    const light = (0.21 * red * red + 0.72 * green * green + 0.07 * blue * blue) / 255 ** 2;
    table.push({ fill: `rgb(${red},${green},${blue})`, ink: light > LAYOUT.cell.dark_ink_above ? "#000" : "#fff" });
  }
  return table;
};

/** A label's parts: `_{…}` is a subscript, `^{…}` a superscript. @param {string} text @returns {Piece[]} */
const pieces = (text) => text.split(/([_^]\{[^}]*\})/).filter(Boolean).map((part) => {
  const small = /^[_^]\{/.test(part);
  return { text: small ? part.slice(2, -1) : part, low: small && part[0] === "_", up: small && part[0] === "^" };
});

/** A number with `places` decimals and a true minus sign, but none before a rounded 0. @param {number} v */
const decimals = (v, places = 2) => v.toFixed(places).replace(/^-(?=[0.]*$)/, "").replace("-", "−");

/** The end of a scale: two decimals, or as many as its first nonzero digit needs (headcount/stage/text.py). @param {number} top */
const scaleEnd = (top) => decimals(top, top >= 0.005 ? 2 : Math.min(-Math.floor(Math.log10(top)), 20));

/** A fraction: only 1 itself is written as 1 (`as_share` in headcount/names.py). @param {number} v @param {number} places */
const below = (v, places) => (v < 1 ? Math.min(v, 1 - 10 ** -places) : v);

/** A number as it is read out: "masked", or three decimals; small ones with a power of ten. @param {number} v */
const number = (v) => (Number.isNaN(v) ? "masked" : (Math.abs(v) < 5e-4 && v !== 0 ? v.toExponential(1) : decimals(v, 3)).replace("-", "−"));

/** A cell's address ("weights.2.3.1": head 2, row 3, column 1) as places that count from 0. @param {string} address @returns {ChosenCell | null} */
const cellOf = (address) => {
  if (!address) return null;
  const [name, ...places] = address.split("."), [row, col] = places.slice(-2).map((place) => Number(place) - 1);
  return { name, head: places.length === 3 ? Number(places[0]) - 1 : undefined, row, col };
};
