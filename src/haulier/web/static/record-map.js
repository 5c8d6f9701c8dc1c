// The map of a record or of the home page. It stays while its part of the page is replaced.
import { openMap, routeLines } from "./map.js";
import { legsOf } from "./road-lines.js";

const record = document.getElementById("record") ?? document.getElementById("part");
const colourOf = { pin: "bad", locker: "good", place: "brand" };
let element = null;
let map = null;
let known = "";

const pointsOf = ({ points = [] }) => points.map((point, at) => ({
  ...point, id: String(at), order: { depot: 50, driver: 60 }[point.shape] ?? 40 - at / 100,
  look: { shape: point.shape, colour: colourOf[point.shape] ?? "brand", label: point.label, state: point.state, size: point.shape === "pin" ? 42 : 0 },
}));

function cornersOf({ points = [], areas = [] }) {
  const pairs = areas.flatMap(({ geometry }) => geometry.coordinates.flat(Infinity).reduce((all, each, at) => (at % 2 ? (all.at(-1).push(each), all) : [...all, [each]]), []));
  return [...points, ...pairs.map(([lng, lat]) => ({ lat, lng }))];
}

async function draw() {
  const place = record.querySelector(".record-map");
  if (!place || place.dataset.drawing === known) return element && place && place !== element && place.replaceWith(element);
  known = place.dataset.drawing;
  const drawn = JSON.parse(known);
  if (element && place !== element) place.replaceWith(element);
  element ??= place;
  map ??= openMap(element, { gentle: true, label: element.getAttribute("aria-label") });
  const opened = await map;
  const way = drawn.way ?? [];
  const lines = () => routeLines(way, { legs: legsOf(opened, way, drawn.mode, () => opened.show({ lines: lines() })), done: Math.max(0, way.findLastIndex(({ state }) => state)) });
  opened.show({ points: pointsOf(drawn), lines: lines(), areas: drawn.areas ?? [] });
  opened.fit(cornersOf(drawn), { maxZoom: 15 });
}

const watcher = new IntersectionObserver((seen) => {
  if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
  watcher.disconnect();
  changes.disconnect();
  draw();
  new MutationObserver(draw).observe(record, { childList: true, subtree: true });
});
const watch = () => {
  for (const place of record.querySelectorAll(".record-map")) watcher.observe(place);
};
const changes = new MutationObserver(watch); // the part may be replaced before its map comes into view
changes.observe(record, { childList: true, subtree: true });
watch();
