// Shared parts of the locker pages: texts, calls, the event stream of the map, and times.
import { makeCaller, Unanswered } from "./page-calls.js";
import { fill } from "./page-parts.js";

const words = JSON.parse(document.getElementById("words").textContent);
export const say = (id, values = {}) => fill(words[id] ?? id, values);
export const page = document.getElementById("lockers").dataset;
const call = makeCaller("desk/lockers", page.csrf);

export class Refused extends Error {}

// Calls an operation. Throws `Refused` with a message to show, also without a response.
export async function ask(operation, values = {}) {
  let told;
  try {
    told = await call(operation, values);
  } catch (error) {
    if (error instanceof Unanswered) throw new Refused(say("unanswered"));
    throw error;
  }
  if (!told.ok) throw new Refused([told.body.message, ...(told.body.errors ?? []).map((each) => each.message)].filter(Boolean).join(" "));
  return told.body;
}

// Follows a stream while the page is visible. The promise resolves with the first event.
export function follow(address, take, silent) {
  return new Promise((begun) => {
    let stream = null, failures = 0;
    const told = (event) => { failures = 0; take(JSON.parse(event.data)); begun(); };
    function listen() {
      if (document.hidden) {
        stream?.close();
        stream = null;
      } else if (!stream) {
        stream = new EventSource(address);
        stream.onmessage = told;
        // A stream ends now and then and reconnects by itself, so a single interruption is not reported.
        stream.onerror = () => { failures += 1; if (failures > 1 || stream?.readyState === EventSource.CLOSED) silent(say("unanswered")); };
      }
    }
    document.addEventListener("visibilitychange", listen);
    addEventListener("pagehide", () => stream?.close());
    listen();
  });
}

export const clock = (text) =>
  new Date(text).toLocaleTimeString(document.documentElement.lang, { timeStyle: "medium", timeZone: page.zone });
