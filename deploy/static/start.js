// Runs in the worker: Python with its memory as it was when the app had been imported (freeze.mjs).
// It begins at once, while the page still loads stlite, and takes the place of stlite's own installation (build.py).
import { files, link, write } from "./image.js";

const here = (name) => new URL(name, import.meta.url).href;
const say = (message) => self.postMessage({ type: "event:loadProgress", data: { message } });
let fetched = 0;

/** A file's content, unpacked, as it comes; counted on the way for the bar. */
async function stream(name) {
  const answer = await fetch(here(name));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  if (answer.headers.has("Unpacked")) return answer;  // by offline.js
  const counted = answer.body.pipeThrough(new TransformStream({
    transform(part, to) { fetched += part.length; say(`bytes ${fetched}`); to.enqueue(part); },
  }));
  return new Response(counted.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
}

const bytes = async (name) => new Uint8Array(await (await stream(name)).arrayBuffer());

// Pyodide asks for its program by this name; it travels packed, whatever the web server does.
const ask = self.fetch;
self.fetch = (wanted, ...more) =>
  String(wanted?.url ?? wanted).endsWith("/pyodide.asm.wasm") ? program : ask(wanted, ...more);

const program = stream("pyodide/program.bin");
const image = bytes("memory.bin"), libraries = bytes("libraries.bin"), others = bytes("files.bin");
const compiled = libraries.then((all) => Promise.all(files(all).map(async ([name, code]) => [name, await WebAssembly.compile(code)])));

async function begin() {
  say("step Python");
  // The megabyte of its own program is read while the rest comes.
  const { loadPyodide } = await import("./pyodide/pyodide.js");
  await import("./pyodide/pyodide.asm.js");
  link(compiled);
  const pyodide = await loadPyodide({
    indexURL: here("pyodide/"), _loadSnapshot: image, stdout: console.log, stderr: console.error,
  });
  say("step Headcount");
  write(pyodide.FS, files(await others));
  /** A part that something has just asked for. Python waits for it, so the request does, too. */
  const now = (name) => {
    const request = new XMLHttpRequest();
    request.open("GET", here(name), false);
    request.responseType = "arraybuffer";
    request.send();
    if (request.status >= 400) throw new Error(`${name}: ${request.status}`);
    const folder = "/lib/python3.13/site-packages";
    if (name.endsWith(".zip")) pyodide.unpackArchive(request.response, "zip", { extractDir: folder });
    else pyodide.FS.writeFile(`${folder}/${name.split("/").at(-1)}`, new Uint8Array(request.response));
  };
  const log = (level, text) => (level >= 40 ? console.error(text) : level >= 30 ? console.warn(text) : console.debug(text));
  /** One of Streamlit's messages, as stlite's worker would hand it on. */
  const post = (bytes) => {
    const { buffer } = bytes.toJs();
    bytes.destroy();
    self.postMessage({ type: "websocket:message", data: { payload: buffer } }, [buffer]);
  };
  pyodide.pyimport("headcount_boot").begin(log, now, post);
  say("step picture");
  return pyodide;
}

const begun = begin();
begun.catch((error) => say(`failed ${error.message}`));

/** In the place of stlite's function of the same task: what its messages need. */
export async function start(initData) {
  return { pyodide: await begun, micropip: undefined, jedi: undefined, initData };
}
