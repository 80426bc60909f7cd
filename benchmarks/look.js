// When the page's main picture came to look as it stays. Plotly draws each chart two or three times over, mostly the same, and a
// picture that was foretold is drawn before the server has answered: what counts is when its looks changed last.
// `mainPicture()` is the element that holds it, in the page or in a component's shadow.
(() => {
  window.first = 0;
  let shown = "", seen = null;
  const PLACES = ["d", "transform", "x", "y", "width", "height", "style"];
  const one = (e) => PLACES.map((name) => e.getAttribute(name) || "").join() + (e.matches("text, td, h2") ? e.textContent : "") +
    (e.closest(".guest")?.getAttribute("class") ?? "");
  const looks = (box) => [...box.querySelectorAll("svg :is(path, rect, text, image), td, h2")].map(one).join("|")
    .replace(/url[^)]*\)/g, "").replace(/\d+\.\d+/g, (n) => (+n).toFixed(1));
  const watcher = new MutationObserver(look);
  const all = { childList: true, subtree: true, attributes: true, attributeFilter: [...PLACES, "class"] };
  function look() {
    const box = mainPicture(), root = box?.getRootNode();
    if (box && root !== seen && root !== document) watcher.observe((seen = root), all);
    if (!window.probe?.key || !box) return;
    const now = looks(box), key = probe.key;
    if (now === shown) return;
    shown = now;
    requestAnimationFrame(() => setTimeout(() => { if (probe.key === key) window.first = performance.now() - key; }));
  }
  watcher.observe(document, all);
})();
