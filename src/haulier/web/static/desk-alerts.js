// Desk settings: notifications on this device about chat messages.
import { makeCaller } from "./page-calls.js";
import { OF_PEOPLE, offerAlerts, pushWorker } from "./page-alerts.js";

const place = document.getElementById("alerts-place");
const words = JSON.parse(document.getElementById("alerts-words").textContent);
const ask = makeCaller("push", place.dataset.csrf);

async function tell(operation, values) {
  const { ok, body } = await ask(operation, values).catch(() => ({ ok: false, body: {} }));
  if (!ok) throw new Error(body.message);
  return body;
}

offerAlerts(place, { tell, words, worker: pushWorker(`desk/${place.dataset.user}`), operations: OF_PEOPLE });
