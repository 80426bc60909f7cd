// The service worker: what was fetched once is not fetched again, and the app opens without a network after one visit.

/** Each file's name and the beginning of its hash. @type {Record<string, string>} */
const FILES = /*FILES*/{};
const HERE = new URL("./", self.location.href);
const CACHE = `headcount ${HERE.pathname}`;
const kept = (name) => new URL(`${name}?${FILES[name]}`, HERE).href;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(begin()));
self.addEventListener("message", (event) => { if (event.data === "keep") event.waitUntil(keepAll()); });
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
  return (await cache.match(kept(name))) ?? fetched(cache, name);
}

async function fetched(cache, name) {
  const response = await fetch(new URL(name.replace(/(^|\/)index\.html$/, "$1"), HERE));
  if (response.ok) await cache.put(kept(name), response.clone());
  return response;
}

/** All that a page may ask for later, one after the other. */
async function keepAll() {
  const cache = await caches.open(CACHE);
  for (const name of Object.keys(FILES)) if (!(await cache.match(kept(name)))) await fetched(cache, name);
  for (const client of await self.clients.matchAll()) client.postMessage("kept");
}
