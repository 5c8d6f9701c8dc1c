// Empties a queue of the device. One run at a time; unanswered entries stay and are retried after a while.
import { Unanswered } from "./page-calls.js";

// `sendNext` sends the oldest entry and returns true if there was one; `again` retries, by default this function.
export function makeFlush({ queue, sendNext, onLine, againMs, again }) {
  let running = false;
  let timer;

  // Returns true if anything was settled.
  async function flush() {
    if (running) return false;
    running = true;
    clearTimeout(timer);
    let sent = false;
    try {
      while (await sendNext()) {
        sent = true;
        onLine(0);
      }
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      onLine(error.status || -1);
    } finally {
      running = false;
      if (await queue.count()) timer = setTimeout(again ?? flush, againMs);
    }
    return sent;
  }

  return flush;
}
