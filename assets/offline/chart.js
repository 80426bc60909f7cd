// Plotly with a figure for every head count.
const figures = {{data}}, chart = document.getElementById("root");
const change = (at) => Plotly.react(chart, figures[at].data, figures[at].layout, { displaylogo: false, responsive: true });
change(start);
