// Empties a queue of the device. One run at a time; whatever is not answered stays there, and is tried again after a while.
import { Unanswered } from "./page-calls.js";

// `sendNext` sends the oldest part and tells whether there was one; `again` is what tries again, itself when left out.
export function makeFlush({ queue, sendNext, onLine, againMs, again }) {
  let running = false;
  let timer;

  // Returns whether anything was settled.
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
