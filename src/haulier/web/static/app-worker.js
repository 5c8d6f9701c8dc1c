// Caches an app's page and its files for use without a network. The network goes first: the cache is never
// used while the page can be fetched. Entries that users write are not stored here; the page stores them.
const KEPT = `haulier-app-1${new URL(registration.scope).pathname}`;
const RANGES = `${KEPT}-ranges`; // parts of map files
const MOST_RANGES = 600;

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(request.headers.has("range") ? answerRange(request) : answer(request));
});

async function answer(request) {
  const kept = await caches.open(KEPT);
  try {
    const fresh = await fetch(request);
    if (fresh.ok && !fresh.redirected) await kept.put(request, fresh.clone());
    return fresh;
  } catch (error) {
    // Without a network, the page in another language is better than none.
    const known = await kept.match(request, { ignoreSearch: request.mode === "navigate", ignoreVary: true });
    if (known) return known;
    throw error;
  }
}

// A cache rejects partial files, so each part is stored as a whole response at its own address.
async function answerRange(request) {
  const kept = await caches.open(RANGES);
  const address = new URL(request.url);
  address.searchParams.set("bytes", request.headers.get("range"));
  try {
    const fresh = await fetch(request);
    if (fresh.status === 206) await keepRange(kept, address, fresh.clone());
    return fresh;
  } catch (error) {
    const known = await kept.match(address);
    if (known) return new Response(known.body, { status: 206, headers: known.headers });
    throw error;
  }
}

async function keepRange(kept, address, part) {
  await kept.put(address, new Response(await part.blob(), { headers: part.headers }));
  const known = await kept.keys();
  for (const old of known.slice(0, Math.max(0, known.length - MOST_RANGES))) await kept.delete(old);
}
