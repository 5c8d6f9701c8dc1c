// Sends the queue in order: pictures one by one, events in batches. Unanswered entries stay in the queue.
import { Unanswered } from "./page-calls.js";
import { makeFlush } from "./queue-flush.js";

const PART = 100;
const AGAIN_MS = 20_000;
// The server stores an event with one of these statuses. An entry without a receipt stays in the queue.
const KEPT_BY_SERVER = new Set(["applied", "waiting", "refused"]);

export function makeSender({ queue, ask, onReceipt, onUploadRefused, onLine, again }) {
  async function sendUpload(entry) {
    const { n, upload } = entry;
    // Entries of an earlier version of the app contain their picture.
    const content = upload.content ?? (await queue.large(entry));
    const { ok, body } = await ask("upload_proof", { ...upload, content });
    await queue.remove(n);
    if (!ok) onUploadRefused(upload, body.message);
  }

  async function sendEvents(entries) {
    const events = entries.map((entry) => entry.event);
    const { ok, body } = await ask("sync_rider_events", { events, sent_at: new Date().toISOString() });
    if (!ok) throw new Unanswered(409);
    const receipts = new Map(body.receipts.map((receipt) => [receipt.id, receipt]));
    const settled = entries.filter(({ event }) => KEPT_BY_SERVER.has(receipts.get(event.id)?.status));
    for (const { n, event } of settled) {
      onReceipt(event, receipts.get(event.id));
      await queue.remove(n);
    }
    for (const receipt of body.settled) onReceipt(null, receipt);
    if (settled.length < entries.length) throw new Unanswered(409);
  }

  async function sendNext() {
    const waiting = await queue.list(PART);
    const now = Date.now();
    const held = waiting.findIndex((entry) => entry.held_until > now);
    const free = held === -1 ? waiting : waiting.slice(0, held);
    if (!free.length) return false;
    if (free[0].upload) {
      await sendUpload(free[0]);
    } else {
      const end = free.findIndex((entry) => entry.upload);
      await sendEvents(end === -1 ? free : free.slice(0, end));
    }
    return true;
  }

  return { flush: makeFlush({ queue, sendNext, onLine, again, againMs: AGAIN_MS }) };
}
