// Buttons for what a server writes with its Chromium, where it has none: the visitor's own browser draws the SVG.
/** @typedef {{ label: string, name: string, scale: number }} Wanted a file; `scale`: points of a PNG for each pixel */
/** @typedef {{ svg: string[], chart: Charts.Figure | null, files: Wanted[] }} Drawn a sheet before and after its chart (components/widgets/downloads.py) */

/** The sheet with its chart in it. @param {Drawn} data */
async function whole({ svg, chart }) {
  if (!chart) return svg.join("");
  const { width, height } = chart.layout;
  return svg.join(await (await program()).toImage(chart, { format: "svg", imageDataOnly: true, width, height }));
}

/** @param {Blob} file @param {string} name */
function keep(file, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {string} svg */
async function drawn(svg) {
  const image = Object.assign(new Image(), { src: URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })) });
  await image.decode().finally(() => URL.revokeObjectURL(image.src));
  return image;
}

/** @param {string} svg @param {Wanted} file */
async function save(svg, { name, scale }) {
  const image = await drawn(svg), [width, height] = [image.naturalWidth, image.naturalHeight].map((side) => Math.round(side * scale));
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
  /** @type {Blob | null} */
  const png = await new Promise((done) => canvas.toBlob(done));
  if (!png) throw new Error(`${width} by ${height} points are too many for this browser.`);
  keep(png, name);
}

/** The browser's own dialog saves it as a PDF, on a sheet of its size. No script runs in the frame. @param {string} svg @param {Wanted} file */
async function print(svg, { name }) {
  const { naturalWidth: width, naturalHeight: height } = await drawn(svg), frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-same-origin allow-modals");
  frame.className = "headcount-print";
  Object.assign(frame.style, { position: "fixed", width: "0", height: "0", border: "0" });
  frame.srcdoc = `<!doctype html><style>@page { size: ${width}px ${height}px; margin: 0 } html, body { margin: 0 }
    svg { display: block; width: ${width}px; height: ${height}px }</style>${svg}`;
  frame.onload = async () => {
    const { contentWindow: sheet, contentDocument: page } = frame, usual = document.title;
    if (!sheet || !page) return;
    await page.fonts.ready;
    page.title = document.title = name.replace(/\.pdf$/, ""); // what the file will be called
    sheet.print();
    document.title = usual;
  };
  document.querySelector(".headcount-print")?.remove();
  document.body.append(frame);
}

/** @param {Drawn} data @param {Wanted} file */
async function write(data, file) {
  const svg = await whole(data);
  if (file.name.endsWith(".svg")) keep(new Blob([svg], { type: "image/svg+xml" }), file.name);
  else await (file.scale ? save : print)(svg, file);
}

/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data: sent, parentElement }) {
  /** @type {Drawn} */
  const data = read(sent);
  const failed = Object.assign(document.createElement("span"), { role: "status" });
  parentElement.querySelector(".files")?.replaceChildren(...data.files.map((file) => Object.assign(document.createElement("button"), {
    type: "button", textContent: file.label, onclick: () => {
      failed.textContent = "";
      write(data, file).catch((why) => { failed.textContent = `${file.label}: ${why?.message ?? "Plotly's program did not arrive."}`; });
    },
  })), failed);
}
