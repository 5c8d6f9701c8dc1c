// Sends the queue in batches and reports the result of each scan. Unanswered entries stay in the queue.
import { makeFlush } from "./queue-flush.js";

const PART = 50;
const AGAIN_MS = 10_000;

export function makeSender({ queue, ask, device, onSettled, onLine }) {
  async function sendOne(entry) {
    const { scan } = entry;
    const photo = entry.photo ?? (entry.large && (await queue.large(entry)));
    const { ok, body } = await ask("record_scan", { ...scan, device_id: device, sent_at: new Date().toISOString(), ...(photo ? { photo } : {}) });
    return ok ? body.scan : { outcome: "refused", message: body.message };
  }

  async function sendPart(entries) {
    if (entries.length > 1) {
      const scans = entries.map((entry) => entry.scan);
      const { ok, body } = await ask("sync_scans", { device_id: device, scans, sent_at: new Date().toISOString() });
      if (ok) return body.scans;
    }
    // A refused scan must not block the others.
    const told = [];
    for (const entry of entries) told.push(await sendOne(entry));
    return told;
  }

  async function sendNext() {
    const waiting = await queue.list(PART);
    if (!waiting.length) return false;
    const photo = waiting.findIndex((entry) => entry.photo ?? entry.large);
    const part = photo === -1 ? waiting : waiting.slice(0, photo || 1);
    const told = await sendPart(part);
    for (const [at, entry] of part.entries()) {
      await queue.remove(entry.n);
      onSettled(entry, told[at]);
    }
    return true;
  }

  return { flush: makeFlush({ queue, sendNext, onLine, againMs: AGAIN_MS }) };
}
