// Notifications on this phone about chat messages.
import { appWorker, OF_PEOPLE, offerAlerts } from "./page-alerts.js";
import { el } from "./page-parts.js";

export function showAlerts(app) {
  if (!document.querySelector('meta[name="order-chat"]')) return [];
  const place = el("div", { "aria-live": "polite" });
  offerAlerts(place, { tell: app.tell, words: app.words, worker: appWorker, operations: OF_PEOPLE });
  return [place];
}
