// What the components share.

/** A new element and what is in it. @template {keyof HTMLElementTagNameMap} Name @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties @param {(string | Node)[]} children */
const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** A text in which `^{…}` is raised and `_{…}` lowered. @param {string} text @returns {(string | HTMLElement)[]} */
const set = (text) => text.split(/([_^]\{[^}]*\})/).filter(Boolean).map((part) =>
  (/^[_^]\{/.test(part) ? element(part[0] === "^" ? "sup" : "sub", {}, part.slice(2, -1)) : part));

/** Whether a component stands on a dark page. @param {Element} box */
const isDark = (box) => {
  const ground = getComputedStyle(box).getPropertyValue("--st-background-color").trim();
  const parts = /^#[0-9a-f]{6}$/i.test(ground) ? [1, 3, 5].map((i) => parseInt(ground.slice(i, i + 2), 16)) : [255, 255, 255];
  return parts.reduce((sum, part) => sum + part) < 384;
};

/** What a component is told, sent as JSON (components/app/runtime.py `told`). @param {Uint8Array} data @returns {any} */
const read = (data) => JSON.parse(new TextDecoder().decode(data));

const SLIPS = 8; // pixels

// A press counts for the button on which it began, although the page shifts before it is let go; not if the pointer itself moves away.
/** @template {HTMLElement} E @param {E} button @returns {E} */
const hold = (button) => {
  let x = 0, y = 0;
  button.onpointerdown = (e) => { [x, y] = [e.clientX, e.clientY]; button.setPointerCapture(e.pointerId); };
  button.onpointermove = (e) => { if (Math.hypot(e.clientX - x, e.clientY - y) > SLIPS) button.releasePointerCapture(e.pointerId); };
  return button;
};

// What a component keeps from call to call, made at the first one: `end` is called once, when the component leaves the page.
// (Streamlit also calls the cleanup of a call that a later one has overtaken.)
/**
 * @template {{ end(): void }} Kept
 * @param {ParentNode} element the component's parent element, which carries what is kept
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
