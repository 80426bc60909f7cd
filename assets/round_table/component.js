/** @param {ComponentCall<Uint8Array>} component of a RoundTable.Plan */
export default function (component) {
  const root = component.parentElement;
  const [view, leave] = kept(root, "view", () => new View(/** @type {HTMLElement} */ (root.querySelector(".tables"))));
  view.send = component.setTriggerValue;
  view.show(read(component.data));
  return leave;
}
