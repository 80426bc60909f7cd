// Runs in the worker: Python with its memory as it was when Streamlit had been imported (freeze.mjs), NumPy and the app.
// It begins at once, while the page still loads stlite, and takes the place of stlite's own installation (build.py).
import { loadPyodide } from "./pyodide/pyodide.js";

const here = (name) => new URL(name, import.meta.url).href;
const say = (message) => self.postMessage({ type: "event:loadProgress", data: { message } });
let fetched = 0;

/** A file's bytes, counted on the way for the bar. */
async function bytes(name) {
  const answer = await fetch(here(name));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const counted = answer.body.pipeThrough(new TransformStream({
    transform(part, to) { fetched += part.length; say(`bytes ${fetched}`); to.enqueue(part); },
  }));
  const body = name.endsWith(".bin") ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
  return new Uint8Array(await new Response(body).arrayBuffer());
}

// Pyodide asks for its program by this name; it travels packed, whatever the web server does.
const ask = self.fetch;
self.fetch = (wanted, ...more) =>
  String(wanted?.url ?? wanted).endsWith("/pyodide.asm.wasm")
    ? program.then((body) => new Response(body, { headers: { "Content-Type": "application/wasm" } }))
    : ask(wanted, ...more);

const program = bytes("pyodide/program.bin");
const image = bytes("memory.bin"), python = bytes("python.zip"), numpy = bytes("numpy.zip"), app = bytes("app.zip");

async function begin() {
  say("step Python");
  const pyodide = await loadPyodide({
    indexURL: here("pyodide/"), _loadSnapshot: image, stdout: console.log, stderr: console.error,
  });
  pyodide.FS.writeFile("/lib/python.zip", await python);
  say("step NumPy");
  pyodide.unpackArchive(await numpy, "zip", { extractDir: "/lib/python3.13/site-packages" });
  say("step Headcount");
  pyodide.unpackArchive(await app, "zip");
  const settings = JSON.parse(pyodide.FS.readFile("/home/pyodide/static.json", { encoding: "utf8" }));
  /** A part that something has just imported. Python waits for it, so the request does, too. */
  const now = (name) => {
    const request = new XMLHttpRequest();
    request.open("GET", here(name), false);
    request.responseType = "arraybuffer";
    request.send();
    if (request.status >= 400) throw new Error(`${name}: ${request.status}`);
    pyodide.unpackArchive(request.response, "zip", { extractDir: "/lib/python3.13/site-packages" });
  };
  const log = (level, text) => (level >= 40 ? console.error(text) : level >= 30 ? console.warn(text) : console.debug(text));
  const boot = pyodide.pyimport("headcount_boot");
  boot.begin(pyodide.toPy(settings), log, now);
  boot.open_app();
  say("step picture");
  return pyodide;
}

const begun = begin();
begun.catch((error) => say(`failed ${error.message}`));

/** In the place of stlite's function of the same task: what its messages need. */
export async function start(initData) {
  return { pyodide: await begun, micropip: undefined, jedi: undefined, initData };
}
