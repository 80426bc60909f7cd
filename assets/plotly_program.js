// Plotly's program, for the components that draw with it.
const FILE = "/*FILE*/";

/** Plotly's program, fetched once for all charts of a page, and again after a failure. */
const program = () => (window.headcountPlotly ??= new Promise((resolve, reject) => {
  const script = Object.assign(document.createElement("script"), { src: new URL(FILE, document.baseURI).href });
  script.onload = () => (window.Plotly ? resolve(window.Plotly) : reject());
  script.onerror = () => { delete window.headcountPlotly; script.remove(); reject(); };
  document.head.append(script);
}));
