import { loadedByReader } from "./barcode-camera.js";

// An app opens without a network after one visit: its worker caches what it fetches. Files loaded before the worker started are
// fetched again, from the browser's cache.
export function keepForOffline(app) {
  navigator.serviceWorker?.addEventListener("controllerchange", async () => {
    // Files loaded by another worker are not listed among those of the page.
    const ofReader = await loadedByReader(app);
    const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    const own = loaded.filter(({ origin, pathname }) => origin === location.origin && !pathname.startsWith(`/${app}/ask/`));
    for (const address of new Set([location.pathname, ...own.map(String), ...ofReader])) fetch(address).catch(() => {});
  });
  navigator.serviceWorker?.register(`/${app}/worker.js`, { scope: `/${app}` });
}
