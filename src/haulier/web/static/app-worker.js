// Keeps an app's page and what it loads for when there is no network. The network goes first: what is kept is never
// shown while the page can be fetched. What people write down is none of its business; the page keeps that itself.
const KEPT = `haulier-app-1${new URL(registration.scope).pathname}`;

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});

async function answer(request) {
  const kept = await caches.open(KEPT);
  try {
    const fresh = await fetch(request);
    if (fresh.ok && !fresh.redirected) await kept.put(request, fresh.clone());
    return fresh;
  } catch (error) {
    // Without a network the page in another language is better than none.
    const known = await kept.match(request, { ignoreSearch: request.mode === "navigate", ignoreVary: true });
    if (known) return known;
    throw error;
  }
}
