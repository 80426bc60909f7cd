// Appended to the parts of the player that need no browser (tests/stage/test_programs.py). Here time is what the test says it is.
const input = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
let tick;
const hold = (button) => button, matchMedia = () => ({ matches: false }), cancelAnimationFrame = () => {};
const performance = { now: () => 0 }, requestAnimationFrame = (next) => { tick = next; return 1; };
class Timed extends Player {
  begins(step) { return begins(step, this.count); }
}
const reached = ([seconds, count]) => {
  const player = Object.assign(new Timed({ querySelector: () => ({}) }, "player", 1), { count });
  player.toggle();
  tick(1000 * seconds);
  return player.step;
};
process.stdout.write(JSON.stringify({
  begins: input.counts.map((count) => Array.from({ length: count + 1 }, (_, i) => begins(i + 1, count))),
  reached: input.moments.map(reached),
  shown: input.steps.map((step) => shownAt(input.terms, step, false)),
  division: shownAt(input.terms, input.terms.length, true),
}));
