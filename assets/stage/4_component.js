/** @param {ComponentCall<Uint8Array>} component */
export default function (component) {
  const root = component.parentElement, [stage, leave] = kept(root, "stage", () => new Stage(root));
  stage.send = component.setTriggerValue;
  stage.show(component.data);
  return leave;
}
