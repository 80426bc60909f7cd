// Four answers. A press on one (or its digit) puts it into the address and goes to the step with the right answer. If phones vote,
// the press shows their votes.

/** @typedef {{ guess: string, count: string, words: string }} Option */
/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data: sent, parentElement }) {
  /** @type {{ code: string, chosen: string, options: Option[] }} */
  const data = read(sent);
  const root = /** @type {ParentNode & { ended?: AbortController }} */ (parentElement);
  const box = /** @type {HTMLElement} */ (root.querySelector(".guess"));
  /** @param {string} guess */
  const say = (guess) => {
    const votes = /** @type {HTMLElement | null} */ (document.querySelector(".st-key-show_votes button"));
    if (votes) votes.click(); else visit((query) => {
      query.set(data.code, guess);
      query.set("step", String(Number(query.get("step")) + 1));
    });
  };
  box.replaceChildren(...data.options.map(({ guess, count, words }) => element("button", {
    ariaPressed: String(guess === data.chosen), onclick: () => say(guess),
  }, element("b", {}, count), element("small", {}, words))));
  root.ended?.abort();
  const ended = (root.ended = new AbortController()); // of this call: Streamlit may end one that a later one has overtaken
  document.addEventListener("keydown", (e) => {
    const option = data.options[Number(e.key) - 1];
    if (option && !e.ctrlKey && !e.metaKey && !e.altKey) say(option.guess);
  }, { signal: ended.signal });
  return () => ended.abort();
}
