// In the page under measurement: when was a key pressed, when had each stage and chart drawn what the key asked for,
// and when did that reach the screen (the first task after the next animation frame, which has painted it by then).
(() => {
  const probe = (window.probe = { key: 0, stages: [], painted: [], charts: 0, was: [] });
  const roots = new Map();
  const now = () => performance.now();
  const afterPaint = (then) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => then(now());
    channel.port2.postMessage(0);
  });
  // The stages inside the components' shadow roots, in the order of the page.
  const stages = () => [...document.querySelectorAll('[data-testid^="stBidiComponent"] *')].concat([...document.querySelectorAll('[data-testid^="stBidiComponent"]')])
    .filter((e) => e.shadowRoot).flatMap((e) => [...e.shadowRoot.querySelectorAll(".stage")]);
  const label = (stage) => stage.querySelector(".over").getAttribute("aria-label");
  const look = () => {
    const found = stages();
    for (const stage of found) {
      if (roots.has(stage)) continue;
      const watcher = new MutationObserver(look);
      watcher.observe(stage, { attributes: true, attributeFilter: ["data-drawn"] });
      roots.set(stage, watcher);
    }
    if (!probe.key) return;
    found.forEach((stage, i) => {
      if (probe.stages[i] || !stage.dataset.drawn) return;
      const fresh = !probe.was[i] || probe.was[i].stage !== stage || probe.was[i].drawn !== stage.dataset.drawn;
      if (!fresh || (probe.expected[i] && label(stage) !== probe.expected[i])) return;
      const key = probe.key;
      probe.stages[i] = now() - key;
      afterPaint((time) => (probe.painted[i] = time - key));
    });
  };
  const start = () => new MutationObserver((changes) => {
    look();
    if (!probe.key) return;
    const chart = changes.some((c) => c.target.closest?.('[data-testid="stPlotlyChart"]') ||
      [...c.addedNodes].some((n) => n.querySelector?.('[data-testid="stPlotlyChart"]')));
    const key = probe.key;
    if (chart) afterPaint((time) => { if (probe.key === key) probe.charts = Math.max(probe.charts, time - key); });
  }).observe(document.documentElement, { childList: true, subtree: true });
  if (document.documentElement) start(); else addEventListener("DOMContentLoaded", start);
  probe.arm = (expected) => {
    look();
    Object.assign(probe, { key: 0, stages: [], painted: [], charts: 0, expected, wait: true });
    probe.was = stages().map((stage) => ({ stage, drawn: stage.dataset.drawn }));
  };
  addEventListener("keydown", () => { if (probe.wait) { probe.wait = false; probe.key = now(); } }, true);
  probe.done = () => probe.expected.every((_, i) => probe.painted[i] > 0);
})();
