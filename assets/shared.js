// Functions that several components use.

/** A new element with its children. @template {keyof HTMLElementTagNameMap} Name @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties @param {(string | Node)[]} children */
const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** A text with `^{…}` as superscript and `_{…}` as subscript. @param {string} text @returns {(string | HTMLElement)[]} */
const set = (text) => text.split(/([_^]\{[^}]*\})/).filter(Boolean).map((part) =>
  (/^[_^]\{/.test(part) ? element(part[0] === "^" ? "sup" : "sub", {}, part.slice(2, -1)) : part));

/** Whether a component is on a dark page. @param {Element} box */
const isDark = (box) => {
  const ground = getComputedStyle(box).getPropertyValue("--st-background-color").trim();
  const parts = /^#[0-9a-f]{6}$/i.test(ground) ? [1, 3, 5].map((i) => parseInt(ground.slice(i, i + 2), 16)) : [255, 255, 255];
  return parts.reduce((sum, part) => sum + part) < 384;
};

/** A component's data, sent as JSON (components/app/runtime.py `json_of`). @param {Uint8Array} data @returns {any} */
const read = (data) => JSON.parse(new TextDecoder().decode(data));

const SLIPS = 8; // pixels

// A press counts for the button on which it began, even if the page shifts before the release, but not if the pointer moves away.
/** @template {HTMLElement} E @param {E} button @returns {E} */
const hold = (button) => {
  let x = 0, y = 0;
  button.onpointerdown = (e) => { [x, y] = [e.clientX, e.clientY]; button.setPointerCapture(e.pointerId); };
  button.onpointermove = (e) => { if (Math.hypot(e.clientX - x, e.clientY - y) > SLIPS) button.releasePointerCapture(e.pointerId); };
  return button;
};

// An object that a component keeps from call to call, made at the first one. `end` is called once, when the component leaves the
// page. (Streamlit also calls the cleanup of a call that a later one has replaced.)
/**
 * @template {{ end(): void }} Kept
 * @param {ParentNode} element the component's parent element, which has the object
 * @param {string} name
 * @param {() => Kept} make
 * @returns {[kept: Kept, leave: () => void]}
 */
const kept = (element, name, make) => {
  const root = /** @type {ParentNode & Record<string, any>} */ (element);
  root[name] ??= make();
  const call = (root.call = {});
  return [root[name], () => {
    if (root.call !== call) return;
    root[name].end();
    delete root[name];
  }];
};
