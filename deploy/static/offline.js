// The service worker: after one visit the app opens without a network, and sooner. It is installed when the first page is drawn and
// fetches every file then, those of that page out of the browser's own cache.

/** Each file's name and the beginning of its hash. @type {Record<string, string>} */
const FILES = /*FILES*/{};
const HERE = new URL("./", self.location.href);
const CACHE = `headcount ${HERE.pathname}`;
const kept = (name) => new URL(`${name}?${FILES[name]}`, HERE).href;

self.addEventListener("install", (event) => event.waitUntil(keepAll().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(begin()));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== HERE.origin || !url.pathname.startsWith(HERE.pathname)) return;
  const place = url.pathname.slice(HERE.pathname.length);
  const name = place === "" || place.endsWith("/") ? `${place}index.html` : place;
  if (name in FILES) event.respondWith(answer(name));
  else if (`${name}/index.html` in FILES) event.respondWith(Response.redirect(`${HERE.pathname}${name}/${url.search}`));
});

async function begin() {
  const cache = await caches.open(CACHE), current = new Set(Object.keys(FILES).map(kept));
  for (const { url } of await cache.keys()) if (!current.has(url)) await cache.delete(url);
  await self.clients.claim();
}

async function answer(name) {
  const cache = await caches.open(CACHE);
  return (await cache.match(kept(name))) ?? fetch(address(name));
}

const address = (name) => new URL(name.replace(/(^|\/)index\.html$/, "$1"), HERE);

/** What Python starts with is kept unpacked: the worker would unpack it on the next visit before it does anything else, and of its
 * program the browser then also keeps what it has compiled it to. */
function unpacked(response) {
  const headers = { "Content-Type": "application/wasm", Unpacked: "yes" };
  return new Response(response.body.pipeThrough(new DecompressionStream("gzip")), { headers });
}

async function keepAll() {
  const cache = await caches.open(CACHE);
  for (const name of Object.keys(FILES)) {
    if (await cache.match(kept(name))) continue;
    const response = await fetch(address(name), { cache: "no-cache" });  // asks whether what the browser has is still this one
    if (!response.ok) throw new Error(`${name}: ${response.status}`);
    await cache.put(kept(name), name.endsWith(".bin") ? unpacked(response) : response);
  }
}
