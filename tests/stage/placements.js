// Appended to the parts of the stage's program that need no browser (tests/stage/test_programs.py): reads the scenes as the stage
// gets them and the widths of their words, and writes where everything goes, and which cell is found at each of the given points.
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const hundredths = (...numbers) => numbers.map((v) => Math.round(v * 100) / 100);
const output = { places: {}, found: {}, values: {}, addresses: input.addresses.map(cellOf) };
for (const [name, { bytes, words, points }] of Object.entries(input.scenes)) {
  const { plan, values } = parse(new Uint8Array(Buffer.from(bytes, "base64")));
  const measure = (text, size, bold) => {
    const wide = words[(bold ? "*" : "") + text];
    if (wide === undefined) throw new Error(`not measured: ${text}`);
    return wide * size;
  };
  output.values[name] = values.length;
  for (const width of input.widths) {
    const placed = new Arrangement(plan, width, measure).place();
    output.places[`${name} at ${width}`] = {
      cell: placed.cell,
      height: hundredths(placed.height)[0],
      frames: placed.frames.map(({ x, y, w, h }) => hundredths(x, y, w, h)),
      blocks: placed.blocks.map(({ x, y, w, h }) => hundredths(x, y, w, h)),
      lines: placed.blocks.flatMap((one) => [...linesOf(one.block, one), ...(one.block.strip && one.block.hue !== undefined ? [stripOf(one.block, one)] : [])]
        .map(({ x, y, w, h }) => hundredths(x, y, w, h))),
      curves: placed.curves.map(({ points }) => hundredths(...points.flat())),
      texts: placed.texts.map(({ text, x, y }) => [text.text, ...hundredths(x, y)]),
    };
    output.found[`${name} at ${width}`] = points[width].map(([x, y]) => {
      const hit = cellAt(placed, x, y);
      return hit && ("one" in hit ? [hit.one.panel.id, hit.one.block.id, hit.r, hit.c] : [hit.panel.id]);
    });
  }
}
process.stdout.write(JSON.stringify(output));
