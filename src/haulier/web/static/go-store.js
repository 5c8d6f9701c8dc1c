// State that the phone stores between sessions, per user. Entries waiting to be sent are in the queue.
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
    // The previous entry. Not one from days ago, as the server would wait for an event that it no longer stores.
    before: () => (kept.last && Date.now() - kept.last.at < CHAIN_MS ? kept.last.id : undefined),
    tell(event, receipt) {
      const others = kept.told.filter((each) => each.event.id !== event.id);
      set({ told: [...others, { event, ...receipt }] });
    },
    // Removes entries that the response of the day already includes.
    settle: () => set({ told: kept.told.filter((each) => each.status !== "applied") }),
    dismiss: (id) => set({ told: kept.told.filter((each) => each.event.id !== id) }),
    events: () => kept.told.filter((each) => each.status !== "refused").map((each) => each.event),
  };
}
