import { loadedByReader } from "./barcode-camera.js";

// An app opens without a network after one visit: its worker keeps what it fetches. What came before the worker was there is fetched
// once more, from what the browser still has of it.
export function keepForOffline(app) {
  navigator.serviceWorker?.addEventListener("controllerchange", async () => {
    // What another worker loads is not among what the page loaded.
    const ofReader = await loadedByReader(app);
    const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    const own = loaded.filter(({ origin, pathname }) => origin === location.origin && !pathname.startsWith(`/${app}/ask/`));
    for (const address of new Set([location.pathname, ...own.map(String), ...ofReader])) fetch(address).catch(() => {});
  });
  navigator.serviceWorker?.register(`/${app}/worker.js`, { scope: `/${app}` });
}
