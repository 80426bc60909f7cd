// Plotly with a figure for every head count. Nothing leaves the file: no button that uploads it, and no address to upload to.
const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["sendChartToCloud"], plotlyServerURL: "" };
const figures = /** @type {{ data: object[], layout: object }[]} */ (/*FIGURES*/[]), chart = byId("root");
change = (at) => Plotly.react(chart, figures[at].data, figures[at].layout, config);
change(start);
