// A schematic: an SVG of ours.
/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data, parentElement }) {
  /** @type {HTMLElement} */ (parentElement.querySelector(".drawing")).innerHTML = new TextDecoder().decode(data);
}
