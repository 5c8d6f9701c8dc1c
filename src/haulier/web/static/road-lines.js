// Lines along roads between the locations of a route, for maps. Loaded one route at a time and cached.
const MOST_PLACES = 200;
const known = new Map();
let queue = Promise.resolve();

const keyOf = (places, mode) => places.map(({ lat, lng }) => `${lat.toFixed(5)},${lng.toFixed(5)}`).join(";") + `&${mode}`;

async function fetchLines(key) {
  const [places, mode] = key.split("&");
  const answer = await fetch(`/maps/lines?${new URLSearchParams({ places, mode })}`).catch(() => null);
  return answer?.ok ? (await answer.json()).lines : null;
}

// The known legs of a way by a travel mode; `tell` is called when more arrive.
export function legsOf(map, places, mode, tell) {
  if (places.length < 2 || places.length > MOST_PLACES || !places.every(map.hasStreets)) return [];
  const key = keyOf(places, mode ?? "van");
  if (known.has(key)) return known.get(key);
  known.set(key, []);
  queue = queue.then(async () => {
    const lines = await fetchLines(key);
    if (!lines) return known.delete(key);
    known.set(key, lines);
    if (lines.some(Boolean)) tell();
  });
  return [];
}
