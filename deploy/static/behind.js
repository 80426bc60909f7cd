// Loads the app (Python) behind a page that needs no Python. When the app has drawn, it replaces the page, with its setting and scroll.
const top = new URL(document.body.dataset.up, location.href).href, cover = document.getElementById("cover"), sheet = document.querySelector("style");
const root = document.getElementById("root"), status = document.getElementById("status"), before = status.textContent;
const say = (text) => { status.textContent = `${before} ${text}`; };
let missing = false;
const lacks = (what) => { missing = true; say(`Without Python: ${what} did not load. More sizes, your numbers and the checks need it.`); };
const step = /walk\/(\d+)/.exec(location.pathname)?.[1];
let wanted = location.search.slice(1) || (step ? `present=1&step=${step}` : ""), given = wanted;
document.addEventListener("cover", ({ detail }) => { wanted = detail; });
const page = step ? "" : location.href.slice(top.length).split(/[?#]/)[0].replace(/\/?(index\.html)?$/, "");
const address = () => top + page + (wanted && `?${wanted}`);

const parts = /*PARTS*/[], all = parts.reduce((sum, [, size]) => sum + size, 0);
let come = 0;
const fetched = async ([name, size]) => {
  const answer = await fetch(top + name).catch(() => null);
  if (!answer?.ok) throw new Error(name);
  await answer.arrayBuffer();
  come += size;
  if (!missing) say(come < all ? `Python is loading: ${Math.floor((100 * come) / all)} %` : "Python is starting.");
};

const stands = () => root.querySelector("h1") && !root.querySelector('[data-testid="stSkeleton"]')
  && root.querySelector('[data-testid="stApp"]').dataset.testScriptState === "notRunning";
const components = () => [...root.querySelectorAll('[data-testid^="stBidiComponent"], [data-testid^="stBidiComponent"] *')];
/** Whether the app has drawn a picture of each kind that the page has. */
const drawn = () => Object.entries({ stage: ".stage[data-drawn]", svg: ".main-svg" }).every(([kind, made]) =>
  !cover.querySelector(`[data-kind="${kind}"]`) || components().some((one) => one.shadowRoot?.querySelector(made)));
const sleep = (ms) => new Promise((then) => setTimeout(then, ms));
/** Waits until the next run of the app's script has begun, at most 15 s. */
const runs = (app) => Promise.race([sleep(15000), new Promise((then) => {
  new MutationObserver((_, seen) => { if (app.dataset.testScriptState === "running") { seen.disconnect(); then(); } }).observe(app, { attributes: true });
})]);
const takeOver = async () => {
  let left = 50; // waits at most 5 s for a picture, because the app has none of very large sizes
  while (!stands() || given !== wanted || (!drawn() && left-- > 0)) {
    if (stands() && given !== wanted) { // Heads was moved after the app had read the address
      given = wanted;
      const begun = runs(root.querySelector('[data-testid="stApp"]'));
      history.replaceState(null, "", address());
      dispatchEvent(new PopStateEvent("popstate"));
      await begun;
    }
    await sleep(100);
  }
  const at = scrollY, held = document.activeElement?.id === "heads";
  document.documentElement.dataset.touched = ""; // the app shows parts that are not drawn yet (style.css)
  cover.remove();
  sheet.remove();
  root.style.visibility = "";
  const main = root.querySelector('[data-testid="stMain"]');
  main.style.overflowAnchor = "none"; // on Attention, the focus of the slider would scroll the page by 500 pixels
  main.scrollTop = at;
  if (held) root.querySelector('input[type="range"][aria-label^="Heads"]')?.focus();
};

/** Waits until Heads of the page moves. */
const alive = () => new Promise((then) => {
  if (!document.getElementById("controls") || document.documentElement.dataset.alive) then();
  else document.addEventListener("alive", then);
});
const begin = async () => {
  await alive();
  for (const sheet of ["stlite/stlite.css", "style.css"]) document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: top + sheet }));
  if (typeof WebAssembly !== "object") throw new Error("WebAssembly");
  const { mount } = await import(`${top}stlite/stlite.js`).catch(() => { throw new Error("stlite/stlite.js"); });
  for (const link of document.links) link.href = link.href; // keeps its address: the app's files are beside the first page
  document.head.append(Object.assign(document.createElement("base"), { href: top }));
  // At Back and Forward, bridge.py gets the address before Streamlit does.
  addEventListener("popstate", async (event) => {
    if (event.told) return;
    event.stopImmediatePropagation();
    const to = location.href.slice(top.length).split(/[?#]/)[0];
    await app.runPython(`import bridge; bridge.address.gone_to = ${JSON.stringify([to, location.search.slice(1)])}`);
    dispatchEvent(Object.assign(new PopStateEvent("popstate"), { told: true }));
  });
  // Streamlit's own message, by which links of the menu get their address.
  addEventListener("message", ({ data }) => {
    if (data?.type === "GUEST_READY") postMessage({ stCommVersion: 1, type: "SET_PAGE_LINK_BASE_URL", pageLinkBaseUrl: top.slice(0, -1) });
  });
  // stlite takes the address at this moment for the app's root (1.9.2, docs/upstream.md). Streamlit would take "/attention/" for it.
  history.replaceState(null, "", top);
  const app = mount({
    entrypoint: "app.py",
    files: { "top.txt": top },
    archives: [{ url: "app.zip", format: "zip", options: {} }],
    prebuiltPackageNames: /*PACKAGES*/[],
    pyodideUrl: `${top}pyodide/pyodide.js`,
    hostConfig: { allowedOrigins: [location.origin] },
    disableProgressToasts: true,
    disableErrorToasts: true,
  }, root);
  given = wanted;
  history.replaceState(null, "", address());
  await Promise.all(parts.map(fetched));
};
begin().then(takeOver, (error) => lacks(error.message));
