// Presents the page's picture, or the first step of the walk, by a new entry in the history. The rest of the address stays.
/** @param {ComponentCall<Uint8Array>} component of the new value of `present` */
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button"), how = new TextDecoder().decode(data);
  if (button) button.onclick = () => visit((query) => {
    query.set("present", how);
    if (how === "1") query.set("step", "1");
  });
}
