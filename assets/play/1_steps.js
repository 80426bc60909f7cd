// When each term of a cell's arithmetic appears, and what is shown then. The numbers come as text (components/widgets/play.py).
const FIRST = 6, SLOW = 0.6, QUICK = 0.3, WHOLE = 12; // terms that take SLOW seconds each; the others are quicker, all end within WHOLE

/** When a step (from 1) begins, in seconds; step `count` + 1 is the end. @param {number} step @param {number} count */
const begins = (step, count) => {
  const slow = Math.min(count, FIRST), each = Math.min(QUICK, (WHOLE - FIRST * SLOW) / Math.max(1, count - slow));
  return Math.min(step - 1, slow) * SLOW + Math.max(0, step - 1 - slow) * each;
};

const EARLIER = 3; // terms before the present one that stay on the line

/** What is shown at a step (from 1); null before the first and at the end, when the whole arithmetic is shown.
 * @param {Term[]} terms @param {number} step @param {boolean} divides whether the last is no term of the sum but a division by it
 * @param {number} most earlier terms that stay on the line
 * @returns {ShownTerm | null} */
const shownAt = (terms, step, divides, most = EARLIER) => {
  const term = terms[step - 1];
  if (!term) return null;
  const [text, result, total, from, to] = term, earlier = divides && step === terms.length ? [] : terms.slice(0, step - 1);
  return { cut: most > 0 && earlier.length > most, before: earlier.slice(earlier.length - Math.min(most, earlier.length)).map(([one]) => one), text, result, total, from, to };
};
