/** Goes to another place of the walk by a new entry in the browser's history. @param {(query: URLSearchParams) => void} change
 * @param {string} [from] an address of the app, if not this one @param {"pushState" | "replaceState"} [how] */
const visit = (change, from = location.href, how = "pushState") => {
  const to = new URL(from, document.baseURI);
  change(to.searchParams);
  history[how](null, "", to);
  dispatchEvent(new PopStateEvent("popstate"));
};
