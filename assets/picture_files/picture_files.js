// Buttons that save files. The server's files come from their address, or from the one that it gives after a press. If the server
// has no Chromium, the visitor's browser draws the files that need one. A failure is a sentence beside the buttons.
/** @typedef {{ label: string, name: string, scale?: number, at?: string, off?: string | null, main?: boolean, marked?: boolean }} Wanted a file;
 * scale: it is drawn here, a PNG with this number of points for each pixel. at: its address, "" if a press asks for one. off: why there is no file */
/** @typedef {{ svg: string[], chart: Charts.Figure | null, files: Wanted[], ready: Record<string, string> }} Drawn a sheet before and after
 * its chart, and by press the address that was asked for (components/widgets/downloads.py) */
/** @typedef {{ label: string, come: (at: string) => void }} Awaited */
/** @typedef {HTMLElement & { data: Drawn, awaited?: Map<string, Awaited>, ask: (pressed: string[][]) => void }} Place */

/** Milliseconds within which the server must give an address, and after which a file is reported as still being written. */
const PATIENCE = 30_000, SLOW = 700;

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
async function save(svg, { name, scale = 1 }) {
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
  const svg = await whole(data).catch(() => { throw new Error("Plotly's program did not arrive."); });
  if (file.name.endsWith(".svg")) keep(new Blob([svg], { type: "image/svg+xml" }), file.name);
  else await (file.scale ? save : print)(svg, file);
}

/** The address of a pressed button's file, for which the page has to run. @param {Place} place @param {string} label @returns {Promise<string>} */
function offered(place, label) {
  const awaited = place.awaited ??= new Map(), press = `${Date.now()}-${Math.random()}`;
  return new Promise((come, fail) => {
    awaited.set(press, { label, come });
    place.ask([...awaited].map(([press, { label }]) => [press, label])); // a run may bring the answers of several presses
    setTimeout(() => awaited.delete(press) && fail(new Error("The server did not answer. Try again.")), PATIENCE);
  });
}

/** @param {string} at */
const address = (at) => new URL(`./file/${at}`, document.baseURI).href;

/** @param {Place} place @param {Wanted} file */
async function fetched(place, file) {
  const at = file.at || await offered(place, file.label);
  const reply = await fetch(address(at)).catch(() => { throw new Error("The connection broke. Try again."); });
  if (reply.ok) return keep(await reply.blob(), file.name);
  const said = reply.headers.get("content-type")?.startsWith("text/plain") && await reply.text();
  throw new Error(said || `The server did not send it (${reply.status}). Try again in a few seconds.`);
}

/** @param {Place} place @param {Wanted} file @param {HTMLElement} button */
async function press(place, file, button) {
  const said = place.lastElementChild;
  if (!said || button.ariaBusy === "true") return;
  said.textContent = file.off ?? "";
  if (file.off) return;
  button.ariaBusy = "true";
  const slow = setTimeout(() => { said.textContent = `${file.label} is being written …`; }, SLOW);
  try {
    await (file.scale === undefined ? fetched(place, file) : write(place.data, file));
    said.textContent = "";
  } catch (why) {
    said.textContent = `${file.label}: ${/** @type {Error} */ (why).message}`;
  } finally {
    clearTimeout(slow);
    button.ariaBusy = "false";
  }
}

/** The button of a file. An existing one is used again, so that a run of the page keeps the focus. A file with an address is a link,
 * which can be copied. @param {Place} place @param {Wanted} file */
function button(place, file) {
  const tag = file.at && !file.off ? "a" : "button";
  const before = [...place.children].find((one) => one.textContent === file.label && one.localName === tag);
  const here = /** @type {HTMLElement} */ (before ?? document.createElement(tag));
  if (!before) here.textContent = file.label;
  here.classList.toggle("main", !!file.main);
  here.classList.toggle("marked", !!file.marked);
  here.ariaDisabled = file.off ? "true" : null;
  if (here instanceof HTMLAnchorElement) Object.assign(here, { href: address(file.at ?? ""), download: file.name, role: "button" });
  here.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser's own way with a link
    event.preventDefault();
    press(place, file, here);
  };
  here.onkeydown = (event) => {
    if (event.key !== " " || tag === "button") return;
    event.preventDefault();
    here.click();
  };
  return here;
}

/** @param {ComponentCall<Uint8Array>} component */
export default function ({ data: sent, parentElement, setTriggerValue }) {
  const place = /** @type {Place | null} */ (parentElement.querySelector(".files"));
  if (!place) return;
  const data = place.data = /** @type {Drawn} */ (read(sent));
  place.ask = (pressed) => setTriggerValue("pressed", pressed);
  for (const [press, at] of Object.entries(data.ready)) {
    place.awaited?.get(press)?.come(at);
    place.awaited?.delete(press);
  }
  const buttons = data.files.map((file) => button(place, file)), said = place.querySelector("[role=status]");
  if (said && buttons.every((one, i) => place.children[i] === one) && place.children.length === buttons.length + 1) return;
  place.replaceChildren(...buttons, said ?? Object.assign(document.createElement("span"), { role: "status" }));
}
