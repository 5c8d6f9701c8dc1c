// What the phone remembers between two openings, one person apart from the other. What waits to be sent is in the queue.
const CHAIN_MS = 20 * 3600 * 1000;

export function makeStore(user) {
  const name = `haulier-go-${user}`;
  const kept = { day: null, asked_at: null, told: [], reasons: [], last: null, ...JSON.parse(localStorage.getItem(name) ?? "{}") };
  const keep = () => localStorage.setItem(name, JSON.stringify(kept));
  const set = (values) => {
    Object.assign(kept, values);
    keep();
  };

  return {
    kept,
    set,
    forget: () => localStorage.removeItem(name),
    // The event that was written down just before. Why not one of days ago: the server waits for what it no longer remembers.
    before: () => (kept.last && Date.now() - kept.last.at < CHAIN_MS ? kept.last.id : undefined),
    tell(event, receipt) {
      const others = kept.told.filter((each) => each.event.id !== event.id);
      set({ told: [...others, { event, ...receipt }] });
    },
    // What an answer of the day shows already need not be told any more.
    settle: () => set({ told: kept.told.filter((each) => each.status !== "applied") }),
    dismiss: (id) => set({ told: kept.told.filter((each) => each.event.id !== id) }),
    events: () => kept.told.filter((each) => each.status !== "refused").map((each) => each.event),
  };
}

export function random() {
  // Why not randomUUID: it is missing where a page is served without HTTPS.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
