// Goes to the first step of the walk as Back and Forward go to a place: the rest of the address stays.
/** @param {ComponentCall<null>} component */
export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  if (button) button.onclick = () => visit((query) => ["present", "step"].forEach((key) => query.set(key, "1")));
}
