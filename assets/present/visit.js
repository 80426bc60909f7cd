/** Goes to another place of the walk, as Back and Forward go to one. @param {(query: URLSearchParams) => void} change
 * @param {string} [from] an address below the app's, if not this one @param {"pushState" | "replaceState"} [how] */
const visit = (change, from = location.href, how = "pushState") => {
  const to = new URL(from, document.baseURI);
  change(to.searchParams);
  history[how](null, "", to);
  dispatchEvent(new PopStateEvent("popstate"));
};
