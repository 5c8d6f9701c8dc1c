// Sends what the queue holds, in parts, and tells what came of each scan. Whatever is not answered stays in the queue.
const PART = 50;
const AGAIN_MS = 10_000;
const TRY_LATER = new Set([401, 403, 408, 425, 429]);

export class Unanswered extends Error {
  constructor(status) {
    super(`unanswered: ${status}`);
    this.status = status;
  }
}

export function makeSender({ queue, csrf, device, onSettled, onLine }) {
  let running = false;
  let timer;

  async function ask(operation, values) {
    let answer;
    try {
      answer = await fetch(`/handheld/ask/${operation}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRF": csrf },
        body: JSON.stringify(values),
      });
    } catch {
      throw new Unanswered(0);
    }
    if (answer.status >= 500 || TRY_LATER.has(answer.status)) throw new Unanswered(answer.status);
    return { ok: answer.ok, body: await answer.json() };
  }

  async function sendOne({ scan, photo }) {
    const { ok, body } = await ask("record_scan", { ...scan, device_id: device, ...(photo ? { photo } : {}) });
    return ok ? body.scan : { outcome: "refused", message: body.message };
  }

  async function sendPart(entries) {
    if (entries.length > 1) {
      const scans = entries.map((entry) => entry.scan);
      const { ok, body } = await ask("sync_scans", { device_id: device, scans, sent_at: new Date().toISOString() });
      if (ok) return body.scans;
    }
    // One scan that cannot be taken must not hold up the others.
    const told = [];
    for (const entry of entries) told.push(await sendOne(entry));
    return told;
  }

  async function flush() {
    if (running) return;
    running = true;
    clearTimeout(timer);
    try {
      for (;;) {
        const waiting = await queue.list(PART);
        if (!waiting.length) break;
        const photo = waiting.findIndex((entry) => entry.photo);
        const part = photo === -1 ? waiting : waiting.slice(0, photo || 1);
        const told = await sendPart(part);
        for (const [at, entry] of part.entries()) {
          await queue.remove(entry.n);
          onSettled(entry, told[at]);
        }
        onLine(0);
      }
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      onLine(error.status || -1);
    } finally {
      running = false;
      if (await queue.count()) timer = setTimeout(flush, AGAIN_MS);
    }
  }

  return { ask, flush };
}
