// The stops of the day on a map. The map is fetched when first opened; the app's worker caches viewed parts, so that it works
// without a network, too. The list below the map has the same content.
import { isOver } from "./go-day.js";
import { card } from "./go-list.js";
import { openMap, routeLines } from "./map.js";
import { el, fill } from "./page-parts.js";
import { legsOf } from "./road-lines.js";

const SAME_PLACE_DIGITS = 5; // one metre: parcels of one building share a mark

const placeOf = ({ handover, lat, lng }) => (handover?.contact?.lat != null ? handover.contact : lat != null ? { lat, lng } : null);
const titleOf = (stop) => `${stop.position}. ${stop.handover?.contact?.address ?? stop.address ?? stop.order_ref ?? stop.tracking_number}`;

// Active routes with their stops in order.
const driven = (day) => day.routes.map(({ route }) => route).filter(({ status }) => status !== "cancelled");

// The next stop: of the route in progress, otherwise of the first one.
function nextOf(day) {
  const routes = driven(day);
  const first = [...routes.filter(({ status }) => status === "started"), ...routes];
  return first.flatMap(({ stops }) => stops).find((stop) => !isOver(stop));
}

export function showMap(app) {
  const element = el("div", { class: "map", role: "region", "aria-label": app.words.map });
  const note = el("p", { class: "soft", role: "status" }, app.words.map_loading);
  const here = el("button", { type: "button", class: "plain wide" }, app.words.map_here);
  const list = el("div");
  const page = el("div", { class: "day-map" }, element, note, here, list);
  listStops(app, list);
  requestAnimationFrame(() => page.isConnected && drawMap(app, { page, element, note, here, list }).catch(() => {
    element.hidden = here.hidden = true;
    note.textContent = app.words.map_needs_network;
  }));
  return [el("h2", {}, app.words.map), page];
}

function listStops(app, list) {
  const day = app.day();
  const next = nextOf(day);
  list.replaceChildren(
    ...driven(day).flatMap((route) => [
      el("h3", {}, route.name ?? fill(app.words.route, { id: route.id })),
      el("ol", { class: "stops" }, ...route.stops.map((stop) => card(app, route, stop, stop.id === next?.id))),
    ]),
  );
}

async function drawMap(app, { page, element, note, here, list }) {
  const map = await openMap(element, { minZoom: 3, label: app.words.map });
  if (!page.isConnected) return map.remove();
  let seen = "";
  let fitted = false;
  let me = null;

  function draw() {
    const day = app.day();
    const look = JSON.stringify([me, driven(day).map(({ id, stops }) => [id, stops.map((stop) => [stop.id, stop.position, stop.status, placeOf(stop)])])]);
    if (look === seen) return;
    seen = look;
    if (!list.contains(document.activeElement)) listStops(app, list);
    const houses = housesOf(app, day, map);
    const lines = driven(day).flatMap(({ stops, travel_mode: mode }) => {
      const placed = stops.filter(placeOf);
      const way = placed.map(placeOf);
      const legs = legsOf(map, way, mode, () => { seen = ""; draw(); });
      return routeLines(way, { legs, done: Math.max(0, placed.findLastIndex(isOver)) });
    });
    map.show({ lines, points: [...houses, ...(me ? [me] : [])] });
    const missing = driven(day).flatMap(({ stops }) => stops).filter((stop) => !placeOf(stop)).length;
    note.textContent = houses.length ? (missing ? fill(app.words.map_missing, { count: missing }) : "") : app.words.map_empty;
    element.hidden = !houses.length;
    if (!houses.length || fitted) return;
    map.fit(houses);
    fitted = true;
  }

  draw();
  const view = page.parentElement;
  const news = () => {
    if (page.isConnected) return draw();
    view.removeEventListener("news", news);
    map.remove();
  };
  view.addEventListener("news", news);
  addEventListener("hashchange", () => page.isConnected || map.remove(), { once: true });
  followPhone({ app, page, map, note, here, found: (at) => { me = at; draw(); } });
}

// A mark for each building, numbered as its first open stop.
function housesOf(app, day, map) {
  const next = nextOf(day);
  const houses = new Map();
  for (const stop of driven(day).flatMap(({ stops }) => stops).filter(placeOf)) {
    const { lat, lng } = placeOf(stop);
    const at = `${lat.toFixed(SAME_PLACE_DIGITS)} ${lng.toFixed(SAME_PLACE_DIGITS)}`;
    houses.set(at, [...(houses.get(at) ?? []), stop]);
  }
  return [...houses].map(([id, stops]) => {
    const first = stops.find((stop) => stop.id === next?.id) ?? stops.find((stop) => !isOver(stop)) ?? stops[0];
    const { lat, lng } = placeOf(first);
    const isNext = first.id === next?.id, over = stops.every(isOver);
    const more = stops.length > 1 ? `+${stops.length - 1}` : "";
    const open = () => map.openCard({ lat, lng }, ...stops.map((stop) => el("a", { class: "button plain", href: `#stop-${stop.id}` }, titleOf(stop))));
    return {
      id, lat, lng, order: isNext ? 50 : over ? 0 : 20 - Math.min(19, first.position / 100), className: [isNext ? "next" : "", over ? "over" : ""].join(" ").trim(),
      title: [isNext ? app.words.map_next : "", ...stops.map(titleOf)].filter(Boolean).join(" · "),
      look: isNext ? { shape: "pin", colour: "brand", label: `${first.position}${more}`, size: 56 } : { shape: "house", colour: "brand", label: `${first.position}${more}`, state: over ? (first.status === "completed" ? "done" : "failed") : "" },
      ...(stops.length === 1 ? { href: `#stop-${first.id}` } : { act: open }),
    };
  });
}

// The phone's own location while the map is open: at once if permitted before, otherwise on request.
async function followPhone({ app, page, map, note, here, found }) {
  if (!navigator.geolocation) return (here.hidden = true);
  let watching = null;
  let asked = false;

  function stop() {
    navigator.geolocation.clearWatch(watching);
    watching = null;
  }

  function located({ coords }) {
    if (!page.isConnected) return stop();
    const at = { lat: coords.latitude, lng: coords.longitude };
    found({ id: "me", ...at, look: { shape: "me" }, order: 90, title: app.words.map_me, className: "me", heading: coords.heading });
    if (asked) map.jump(at);
    asked = false;
  }

  function follow() {
    if (watching != null) stop();
    watching = navigator.geolocation.watchPosition(located, () => { if (asked) note.textContent = app.words.map_no_place; }, { enableHighAccuracy: true, maximumAge: 10_000 });
  }

  here.addEventListener("click", () => {
    asked = true;
    follow();
  });
  addEventListener("hashchange", () => watching != null && stop(), { once: true });
  const allowed = await navigator.permissions?.query({ name: "geolocation" }).catch(() => null);
  if (allowed?.state === "granted" && page.isConnected) follow();
}
