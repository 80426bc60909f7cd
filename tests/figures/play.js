// Appended to the part of the player that needs no browser (tests/figures/test_play.py).
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify({
  begins: input.counts.map((count) => Array.from({ length: count + 1 }, (_, i) => begins(i + 1, count))),
  reached: input.moments.map(([seconds, count]) => reached(seconds, count)),
  shown: input.steps.map((step) => shownAt(input.terms, step, false)),
  division: shownAt(input.terms, input.terms.length, true),
}));
