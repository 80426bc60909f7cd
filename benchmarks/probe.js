// Runs in the page under measurement. It notes when a key is pressed, when the stage has drawn the answer, and when that is on the
// screen: in the first task after the animation frame that paints it (the present frame if the picture is drawn within one).
(() => {
  const probe = (window.probe = { key: 0, main: 0, waiting: false, painting: false });
  const asTask = (then) => scheduler.postTask(then, { priority: "user-blocking" });
  const nextFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => nextFrame((time) => {
    if (!probe.painting) {
      probe.painting = true;
      asTask(() => (probe.painting = false));
    }
    draw(time);
  });
  // Another frame may come before the first task. The frame before it is then painted, too.
  const afterPaint = (then) => {
    const { key } = probe;
    let told = false;
    const tell = () => {
      if (!told && probe.key === key) then(performance.now() - key);
      told = true;
    };
    const painted = () => { asTask(tell); nextFrame(tell); };
    if (probe.painting) painted();
    else nextFrame(painted);
  };
  const picture = () =>
    [...document.querySelectorAll('[data-testid^="stBidiComponent"], [data-testid^="stBidiComponent"] *')]
      .map((e) => e.shadowRoot?.querySelector(".stage")).find(Boolean);

  // A stage has drawn the answer when it has drawn again and has another label.
  const lookAtStage = (stage) => {
    const { drawn } = stage.dataset, label = stage.querySelector(".over").getAttribute("aria-label");
    if (probe.seen || !drawn || (stage === probe.before && drawn === probe.drawnBefore) || label === probe.labelBefore) return;
    probe.seen = true;
    afterPaint((time) => (probe.main = time));
  };

  const watched = new Set();
  const watcher = new MutationObserver(look);
  const watch = (root, childList) => {
    watched.add(root);
    watcher.observe(root, { childList, subtree: true, attributes: true, attributeFilter: ["data-drawn"] });
  };
  function look() {
    const stage = picture(), root = stage?.getRootNode();
    if (stage && !watched.has(root)) watch(root, false);
    if (stage && probe.key) lookAtStage(stage);
  }
  watch(document, true);

  probe.arm = () => {
    look();
    const before = picture(), labelBefore = before?.querySelector(".over").getAttribute("aria-label");
    Object.assign(probe, { key: 0, main: 0, waiting: true, seen: false, labelBefore, before, drawnBefore: before?.dataset.drawn });
  };
  addEventListener("keydown", () => { if (probe.waiting) { probe.waiting = false; probe.key = performance.now(); } }, true);
})();
