/** @param {ComponentCall<RoundTable.Plan>} component */
export default function (component) {
  const root = component.parentElement;
  const [view, leave] = kept(root, "view", () => new View(/** @type {HTMLElement} */ (root.querySelector(".tables"))));
  view.send = component.setTriggerValue;
  view.show(component.data);
  return leave;
}
