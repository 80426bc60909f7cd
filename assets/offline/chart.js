// Plotly with a figure for every head count. Nothing leaves the file: no button that uploads it, and no address to upload to.
const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["sendChartToCloud"], plotlyServerURL: "" };
const figures = /** @type {{ data: object[], layout: object }[]} */ (/*FIGURES*/[]), chart = byId("root");
/** A figure that was arranged for a wider page becomes as wide as this one. @param {{ width?: number }} layout */
const fitted = (layout) => ({ ...layout, ...((layout.width ?? 0) > chart.clientWidth ? { width: chart.clientWidth } : {}) });
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
  change = (at) => Plotly.react(chart, figures[at].data, fitted(figures[at].layout), config);
  change(Number(slider.value));
});
