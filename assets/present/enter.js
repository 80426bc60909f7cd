// Goes to the first step of the walk as Back and Forward go to a place: the rest of the address stays.
/** @param {ComponentCall<null>} component */
export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  if (button) button.onclick = () => {
    const to = new URL(location.href);
    to.searchParams.set("present", "1");
    to.searchParams.set("step", "1");
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  };
}
