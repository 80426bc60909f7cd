/** Goes to another place of the walk, as Back and Forward go to one. @param {(query: URLSearchParams) => void} change */
const visit = (change) => {
  const to = new URL(location.href);
  change(to.searchParams);
  history.pushState(null, "", to);
  dispatchEvent(new PopStateEvent("popstate"));
};
