// Plotly with a figure for every head count. Nothing leaves the file: no button that uploads it, and no address to upload to.
const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["sendChartToCloud"], plotlyServerURL: "" };
const figures = /** @type {{ data: object[], layouts: { width?: number }[] }[]} */ (/*FIGURES*/[]), chart = byId("root");
/** The widest layout that the page has room for; without one the narrowest. @param {{ width?: number }[]} all */
const fitted = (all) => ({ ...all[0], ...(all.find((one) => (one.width ?? 0) <= chart.clientWidth) ?? all[all.length - 1]) });
/** @param {number} at */
const draw = (at) => Plotly.react(chart, figures[at].data, fitted(figures[at].layouts), config);
/** Plotly's program. @param {string} text base64 of the deflated program */
const unpacked = async (text) => {
  const letters = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([letters]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
};
unpacked(packed).then((text) => {
  const script = document.createElement("script");
  script.textContent = text;
  document.head.append(script);
  chart.replaceChildren();
  change = draw;
  change(Number(slider.value));
  addEventListener("resize", () => change(Number(slider.value)));
});
