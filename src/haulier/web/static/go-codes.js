// Codes with which a driver opens a locker compartment: fetched while there is a network, cached for when
// there is none. Also stores deposits that the driver reports until the locker reports them.
import { atLockers } from "./go-day.js";

const AGAIN_MS = 10 * 60_000;

export function makeCodes(user, ask) {
  const name = `haulier-go-codes-${user}`;
  const all = () => JSON.parse(localStorage.getItem(name) ?? "{}");
  const keep = (codes) => localStorage.setItem(name, JSON.stringify(codes));
  const put = (stop, values) => keep({ ...all(), [stop.id]: { ...all()[stop.id], ...values } });
  let fetching = false; // a second code would invalidate the first one

  // The current code of a stop as far as the phone knows; `replaced` if a newer one was made.
  function codeOf(stop) {
    const kept = all()[stop.id];
    const { locker } = stop.handover;
    if (!kept?.code || kept.parcel !== locker.locker_parcel_id || Date.parse(kept.expires_at) < Date.now()) return null;
    return { ...kept, replaced: Date.parse(locker.code_made_at) > Date.parse(kept.made_at) };
  }

  // Requests another code, which invalidates the previous one. `tell` calls an operation and returns its answer or null.
  async function make(route, stop, tell) {
    const made = await tell("rider_make_locker_code", { route_id: route.id, stop_id: stop.id });
    if (made) put(stop, { code: made.code, made_at: made.made_at, expires_at: made.expires_at, parcel: made.delivery.locker_parcel_id });
    return made;
  }

  async function quietly(operation, values) {
    const { ok, body } = await ask(operation, values);
    return ok ? body : null;
  }

  const putInAt = (stop) => all()[stop.id]?.put_in_at;
  const isDue = (stop) => !codeOf(stop) && !putInAt(stop) && Date.now() - (all()[stop.id]?.asked_at ?? 0) > AGAIN_MS;

  return {
    codeOf,
    make,
    putInAt,
    sayPutIn: (stop, at) => put(stop, { put_in_at: at }),
    // Fetches missing codes of a day. Throws `Unanswered`.
    async fetchMissing(day) {
      if (fetching) return;
      fetching = true;
      try {
        for (const { route, stop } of atLockers(day, false).filter((each) => isDue(each.stop))) {
          await make(route, stop, quietly);
          put(stop, { asked_at: Date.now() });
        }
      } finally {
        fetching = false;
      }
    },
    // Keeps the codes that are still useful on this day.
    prune(day) {
      const open = new Set([...atLockers(day, false), ...atLockers(day, true)].map(({ stop }) => String(stop.id)));
      keep(Object.fromEntries(Object.entries(all()).filter(([id]) => open.has(id))));
    },
    forget: () => localStorage.removeItem(name),
  };
}
