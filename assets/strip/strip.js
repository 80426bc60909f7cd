// The head counts of the picture as buttons: on a phone the slider is in a closed sidebar.

/** @param {ComponentCall<{ counts: string, at: number }>} component */
export default function ({ data, parentElement, setTriggerValue }) {
  const row = /** @type {HTMLElement} */ (parentElement.querySelector(".row"));
  const counts = data.counts.split(" ").map(Number);
  while (row.children.length > counts.length) row.lastElementChild?.remove();
  counts.forEach((count, place) => {
    const button = /** @type {HTMLButtonElement} */ (row.children[place] ?? row.appendChild(document.createElement("button")));
    if (!button.onclick) hold(button);
    button.textContent = String(count);
    button.setAttribute("aria-pressed", String(count === data.at));
    button.onclick = () => setTriggerValue("go", count);
  });
}
