const stops = /** @type {Stop[]} */ (/*STOPS*/[]); // one for each head count
/** @type {(at: number) => void} draws the picture of a stop */
let change = () => {};
/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const slider = /** @type {HTMLInputElement} */ (byId("slider"));

/** @param {"title" | "caption" | "stamp"} id @param {string} text */
const label = (id, text) => {
  byId(id).replaceChildren(...set(text));
  byId(id).hidden = !text;
};

/** @param {Stop} stop */
const say = (stop) => {
  label("title", stop.title);
  label("caption", stop.caption);
  label("stamp", stop.stamp);
  byId("value").textContent = String(stop.value);
  slider.setAttribute("aria-valuetext", `${stop.value} heads`);
};

const start = stops.findIndex((stop) => stop.here);
slider.max = String(stops.length - 1);
slider.value = String(start);
byId("heads").hidden = stops.length < 2;
say(stops[start]);
slider.addEventListener("input", () => { say(stops[Number(slider.value)]); change(Number(slider.value)); });
