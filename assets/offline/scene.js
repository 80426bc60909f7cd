// The stage with all its head counts packed in.
const bytes = Uint8Array.from(atob(/*DATA*/""), (letter) => letter.charCodeAt(0)), root = byId("root");
const begin = () => {
  mount({ data: bytes, parentElement: root, setTriggerValue: () => {} });
  change = (at) => /** @type {HTMLElement & { stage: Stage }} */ (root).stage.preview(stops[at].value);
};
// A canvas uses the fonts that are loaded, and does not change when another arrives.
Promise.allSettled([...document.fonts].map((face) => face.load())).then(begin);
