// Runs in the page: starts Python in a worker, then stlite's screen beside it, and takes the first picture away when the app's is there.

import { report } from "./scorm.js";

const STEPS = { Python: [10, "Python"], Headcount: [70, "Headcount"], picture: [85, "The first picture"] };
const ALL_BYTES = /*BYTES*/1;
/** Parts of stlite's screen. */
const PARTS = /*PARTS*/[];

/** @param {string} up where the folder is @param {Worker} worker started by index.html @param {MessageEvent[]} said by it until now */
export async function open(up, worker, said) {
  const here = new URL(up, location.href);
  const place = location.pathname.slice(here.pathname.length).replace(/\/?(index\.html)?$/, "");
  // As on a server, where a page's address has no slash at its end: links of the page are relative to it.
  for (const link of document.querySelectorAll("link, #first a")) link.href = link.href;  // stays what it is when the address changes
  for (const source of document.querySelectorAll("#first source")) source.srcset = new URL(source.getAttribute("srcset"), location.href).href;
  if (here.pathname + place !== location.pathname) history.replaceState(history.state, "", here.pathname + place + location.search + location.hash);
  keepSlash(here.pathname);
  if (location.search) document.getElementById("ahead")?.remove();  // its numbers are those without settings
  said.forEach(show);
  worker.addEventListener("message", show);
  // stlite's kernel listens when React has made it; what came before is handed on then.
  const handed = {
    postMessage: (...message) => worker.postMessage(...message),
    terminate: () => worker.terminate(),
    set onmessage(listener) {
      setTimeout(() => {  // the kernel is not complete yet
        said.splice(0).forEach((event) => listener.call(worker, event));
        worker.onmessage = listener;
      });
    },
  };
  const first = (window.headcountFirst = drawn());  // until then no chart takes time for Plotly's program (assets/chart)
  // The worker begins by this thread's leave; stlite's screen takes it for a third of a second.
  if (!said.length) await new Promise((begun) => ["message", "error"].forEach((kind) => worker.addEventListener(kind, begun, { once: true })));
  const { mount } = await import(new URL("stlite/stlite.js", here).href);
  mount({
    entrypoint: "app.py", worker: handed, basePath: here.pathname.replace(/\/$/, ""), disableProgressToasts: true,
    disableModuleAutoLoadToasts: true,
  }, document.getElementById("root"));
  const all = loadAhead(here);
  await first;
  document.getElementById("first")?.remove();
  document.documentElement.dataset.ready = "1";
  report();
  await all;
  navigator.serviceWorker?.register(new URL("offline.js", here)).catch(() => undefined);
}

/** Streamlit leaves out the slash at the end of the start page's address, and what is kept offline begins with it. */
function keepSlash(folder) {
  for (const name of ["pushState", "replaceState"]) {
    const change = history[name].bind(history);
    history[name] = (state, title, address) => {
      const to = new URL(address ?? location.href, location.href);
      if (`${to.pathname}/` === folder) to.pathname = folder;
      change(state, title, to.href);
    };
  }
}

/** Streamlit loads a part when an element needs it; here all have time to come while Python is loaded. */
async function loadAhead(here) {
  for (const part of PARTS) await import(new URL(`stlite/${part}`, here).href).catch(() => undefined);
}

/** What is being loaded, in the bar. */
function show({ data }) {
  if (data?.type !== "event:loadProgress") return;
  const bar = document.querySelector("#loading progress"), text = document.querySelector("#loading span");
  if (!bar) return;
  const [kind, ...rest] = data.data.message.split(" "), said = rest.join(" ");
  if (kind === "bytes") bar.value = Math.max(bar.value, 10 + 50 * Math.min(1, Number(said) / ALL_BYTES));
  if (kind === "failed") text.textContent = `Python could not be started: ${said}`;
  if (kind !== "step") return;
  const [value, name] = STEPS[said];
  bar.value = Math.max(bar.value, value);
  text.textContent = said === "picture" ? "The first picture is being drawn." : `${name} is being loaded into your browser.`;
}

/** When the app has drawn what is on the screen of its first page. */
function drawn() {
  const seen = (element) => element.getBoundingClientRect().top < innerHeight;
  const is = () => {
    const app = document.querySelector('#root [data-testid="stApp"]');
    const main = app?.querySelector('[data-testid="stMain"]');
    if (!main || app.dataset.testScriptState !== "notRunning" || !main.querySelector("h1, [data-testid='stAlert']")) return false;
    if ([...main.querySelectorAll('[data-testid="stSkeleton"]')].some(seen)) return false;
    return [...main.querySelectorAll(".stage")].every((stage) => stage.dataset.drawn !== undefined || !seen(stage));
  };
  return new Promise((done) => {
    const look = () => (is() ? done() : setTimeout(look, 30));
    look();
  });
}
