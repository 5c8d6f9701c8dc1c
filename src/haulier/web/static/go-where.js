// The phone's position while a route is in progress and the page is open: stored here and sent in batches.
const POINTS_MOST = 500;
const SEND_EVERY_MS = 20_000;
const FRESH_MS = 60_000;

export function makeWhereabouts(ask) {
  let points = [];
  let last = null;
  let watching = null;

  function note({ coords, timestamp }) {
    last = { at: timestamp, position: { lat: coords.latitude, lng: coords.longitude } };
    points.push({
      occurred_at: new Date(timestamp).toISOString(),
      ...last.position,
      ...(coords.accuracy == null ? {} : { accuracy_m: coords.accuracy }),
      ...(coords.speed == null ? {} : { speed_mps: coords.speed }),
      ...(coords.heading == null || Number.isNaN(coords.heading) ? {} : { heading_deg: coords.heading }),
    });
    points = points.slice(-POINTS_MOST);
  }

  async function send() {
    if (!points.length) return;
    const sent = points;
    points = [];
    try {
      await ask("push_positions", { points: sent, sent_at: new Date().toISOString() });
    } catch {
      points = [...sent, ...points].slice(-POINTS_MOST);
    }
  }

  setInterval(send, SEND_EVERY_MS);
  return {
    // Watches the position only while `driving`.
    watch(driving) {
      if (driving && watching == null) {
        watching = navigator.geolocation?.watchPosition(note, () => {}, { enableHighAccuracy: true, maximumAge: 10_000 });
      } else if (!driving && watching != null) {
        navigator.geolocation.clearWatch(watching);
        watching = null;
      }
    },
    position: () => (last && Date.now() - last.at < FRESH_MS ? { position: last.position } : {}),
  };
}
