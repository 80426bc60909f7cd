// The stage with all its head counts packed in; a click on a panel moves the slider.
const bytes = Uint8Array.from(atob(/*DATA*/""), (letter) => letter.charCodeAt(0)), root = byId("root");
const choosable = /*CHOOSABLE*/false;
/** @param {number} value */
const go = (value) => {
  const at = stops.findIndex((stop) => stop.value === value);
  if (at >= 0) { slider.value = String(at); slider.dispatchEvent(new Event("input")); }
};
const begin = () => {
  const setTriggerValue = (/** @type {string} */ name, /** @type {unknown} */ value) => { if (name === "go" && choosable) go(Number(value)); };
  mount({ data: bytes, parentElement: root, setTriggerValue });
  change = (at) => /** @type {HTMLElement & { stage: Stage }} */ (root).stage.preview(stops[at].value);
};
// A canvas draws with what is loaded: it would not change when the font arrives.
Promise.allSettled([...document.fonts].map((face) => face.load())).then(begin);
