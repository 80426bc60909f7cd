// Appended to the stage's program (tests/stage/test_programs.py): the stage shows a scene on a canvas that only remembers what was filled and
// written, with a page that has no more than the legend needs. Nothing of the program's own is replaced but the place of a block.
const { bytes, dark, cell, ends, numbers, window } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const bare = () => ({ style: {}, children: [], append(...added) { this.children.push(...added); }, replaceChildren() { this.children = []; } });
globalThis.document = { createElement: bare };
globalThis.innerWidth = window;
const ground = dark ? "#000000" : "#ffffff";
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => (name === "--st-background-color" ? ground : "") });
const painted = { fills: [], hatched: [], words: [], tokens: [], read: [] };
/** A canvas that remembers the words at rows. */
const beside = (said) => ({ fillText(text, x, y) { if (text) said.push([text, y, this.fillStyle]); } });
const canvas = {
  fillStyle: "", font: "", textAlign: "", textBaseline: "",
  fillRect(x, y) { painted.fills.push([x, y, this.fillStyle]); },
  fillText(text, x, y) { painted.words.push([text, x, y, this.fillStyle]); painted.font = this.font; },
};
const stage = Object.assign(Object.create(Stage.prototype), {
  ahead: {}, unanswered: [], over: { setAttribute() {} }, box: {}, widths: new Map(), legend: bare(), serial: 0, zoom: () => 1, hatch(_, x, y, wide, high) { painted.hatched.push([x, y, wide, high]); },
  arrange() {
    for (const row of this.plan.rows.flat())
      for (const block of row.blocks) {
        const one = { block, x: 0, y: 0, w: cell * block.cols, h: cell * block.rows };
        this.drawCells(canvas, this.plan, one, this.plan.grids[block.grid], 1, null);
        this.drawTokens(beside(painted.tokens), one);
        this.drawTokens(beside(painted.read), one, 1);
      }
  },
});
stage.show(new Uint8Array(Buffer.from(bytes, "base64")));
painted.legend = stage.legend.children.map((one) => one.children.map((word) => word.children[0]).filter(Boolean));
painted.ends = ends.map(scaleEnd);
painted.numbers = numbers.map((value) => decimals(Number(value)));
process.stdout.write(JSON.stringify(painted));
