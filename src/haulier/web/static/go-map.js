// The stops of the day on a map. All of it, with the ground under it, is fetched when somebody first opens it; the app's worker keeps
// it from then on, so that it is there in a cellar, too. The list under the map says the same to keys and to screen readers.
import { isOver } from "./go-day.js";
import { card } from "./go-list.js";
import { el, fill } from "./page-parts.js";

const PARTS = ["/static/vendor/leaflet.js", "/static/vendor/topojson-client.min.js", "/static/basemap.js"];
const CLOSEST_ZOOM = 14;
const SAME_PLACE_DIGITS = 5; // a metre: parcels of one house are one mark
const { tiles, credit } = document.getElementById("go").dataset;
const ink = (name) => getComputedStyle(document.body).getPropertyValue(`--${name}`).trim();
const dark = matchMedia("(prefers-color-scheme: dark)");
let fetched = null;

// Scripts in their order, and the styles of the map; asked for again after a failure.
function fetchParts() {
  fetched ??= Promise.all([
    new Promise((done, failed) => document.head.append(el("link", { rel: "stylesheet", href: "/static/vendor/leaflet.css", onload: done, onerror: failed }))),
    PARTS.reduce((before, src) => before.then(() => fetchScript(src)), Promise.resolve()),
  ]).catch((error) => {
    fetched = null;
    throw error;
  });
  return fetched;
}

const fetchScript = (src) =>
  new Promise((done, failed) => {
    const own = src.endsWith("basemap.js") && tiles ? { "data-tiles": tiles, "data-credit": credit } : {};
    document.head.append(el("script", { src, ...own, onload: done, onerror: () => failed(new Error(src)) }));
  });

const placeOf = ({ handover, lat, lng }) => (handover?.contact?.lat != null ? handover.contact : lat != null ? { lat, lng } : null);
const titleOf = (stop) => `${stop.position}. ${stop.handover?.contact?.address ?? stop.address ?? stop.order_ref ?? stop.tracking_number}`;

// The routes that are driven, with their stops in order.
const driven = (day) => day.routes.map(({ route }) => route).filter(({ status }) => status !== "cancelled");

// The stop that comes next: of the route under way, else of the first one.
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
  fetchParts().then(
    () => page.isConnected && drawMap(app, { page, element, note, here, list }),
    () => {
      element.hidden = here.hidden = true;
      note.textContent = app.words.map_needs_network;
    },
  );
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

function drawMap(app, { page, element, note, here, list }) {
  const map = L.map(element, { attributionControl: false, zoomControl: false, zoomSnap: 0.25, minZoom: 3, maxZoom: 18, center: [20, 0], zoom: 3, zoomAnimation: false, fadeAnimation: false });
  L.control.zoom({ zoomInTitle: app.words.zoom_in, zoomOutTitle: app.words.zoom_out }).addTo(map);
  L.control.scale({ imperial: false }).addTo(map);
  const marks = L.layerGroup().addTo(map);
  const own = L.layerGroup().addTo(map);
  let seen = "";
  let fitted = false;

  function draw() {
    const day = app.day();
    const look = JSON.stringify([driven(day).map(({ id, stops }) => [id, stops.map((stop) => [stop.id, stop.position, stop.status, placeOf(stop)])]), dark.matches]);
    if (look === seen) return;
    seen = look;
    if (!list.contains(document.activeElement)) listStops(app, list);
    marks.clearLayers();
    const places = drawRoutes(app, day, marks);
    const missing = driven(day).flatMap(({ stops }) => stops).filter((stop) => !placeOf(stop)).length;
    note.textContent = places.length ? (missing ? fill(app.words.map_missing, { count: missing }) : "") : app.words.map_empty;
    element.hidden = !places.length;
    if (!places.length || fitted) return;
    map.invalidateSize({ animate: false });
    map.fitBounds(L.latLngBounds(places).pad(0.15), { animate: false, maxZoom: CLOSEST_ZOOM });
    fitted = true;
  }

  draw();
  drawGround(map, () => ({ land: ink("paper"), border: ink("edge"), water: ink("sunk") })).then(
    (ground) => dark.addEventListener("change", () => (ground.repaint(), draw())),
    () => (note.textContent = app.words.map_needs_network),
  );
  const view = page.parentElement;
  const news = () => (page.isConnected ? draw() : view.removeEventListener("news", news));
  view.addEventListener("news", news);
  new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(element);
  followPhone({ app, page, map, own, note, here });
}

// A line for each route, and a mark for each house, numbered as the stops are. Gives the places.
function drawRoutes(app, day, marks) {
  const next = nextOf(day);
  const houses = new Map();
  for (const route of driven(day)) {
    const placed = route.stops.filter(placeOf);
    L.polyline(placed.map(placeOf), { color: ink("brand"), weight: 2.5, dashArray: "6 6", interactive: false }).addTo(marks);
    for (const stop of placed) {
      const { lat, lng } = placeOf(stop);
      const at = `${lat.toFixed(SAME_PLACE_DIGITS)} ${lng.toFixed(SAME_PLACE_DIGITS)}`;
      houses.set(at, [...(houses.get(at) ?? []), stop]);
    }
  }
  const drawn = [...houses.values()].map((stops) => ({ stops, first: stops.find((stop) => stop.id === next?.id) ?? stops.find((stop) => !isOver(stop)) ?? stops[0] }));
  for (const { stops, first } of drawn) houseMark(app, stops, first, first.id === next?.id).addTo(marks);
  return drawn.map(({ first }) => [placeOf(first).lat, placeOf(first).lng]);
}

function houseMark(app, stops, first, next) {
  const more = stops.length > 1 ? `+${stops.length - 1}` : "";
  const style = ["pin", next ? "next" : "", stops.every(isOver) ? "over" : ""].filter(Boolean).join(" ");
  const sign = el("span", {}, `${first.position}${more}`);
  // Why not reached by keys: the list under the map is, in the order of the day.
  const mark = L.marker(placeOf(first), { keyboard: false, zIndexOffset: next ? 2000 : stops.every(isOver) ? 0 : 1000, icon: L.divIcon({ className: style, html: sign, iconSize: [34, 34] }) });
  mark.bindTooltip([next ? app.words.map_next : "", ...stops.map(titleOf)].filter(Boolean).join(" · "));
  if (stops.length === 1) return mark.on("click", () => (location.hash = `#stop-${first.id}`));
  return mark.bindPopup(() => el("div", { class: "house" }, ...stops.map((stop) => el("a", { class: "button plain", href: `#stop-${stop.id}` }, titleOf(stop)))));
}

// The phone's own place, for as long as the map is open: at once where that was allowed before, else when it is asked for.
async function followPhone({ app, page, map, own, note, here }) {
  if (!navigator.geolocation) return (here.hidden = true);
  let watching = null;
  let asked = false;

  function stop() {
    navigator.geolocation.clearWatch(watching);
    watching = null;
  }

  function found({ coords }) {
    if (!page.isConnected) return stop();
    const at = [coords.latitude, coords.longitude];
    own.clearLayers();
    if (coords.accuracy) L.circle(at, { radius: coords.accuracy, color: ink("focus"), weight: 1, fillOpacity: 0.1, interactive: false }).addTo(own);
    L.marker(at, { keyboard: false, zIndexOffset: 3000, icon: L.divIcon({ className: "me", iconSize: [20, 20] }) }).bindTooltip(app.words.map_me).addTo(own);
    if (asked) map.panTo(at, { animate: false });
    asked = false;
  }

  function follow() {
    if (watching != null) stop();
    watching = navigator.geolocation.watchPosition(found, () => { if (asked) note.textContent = app.words.map_no_place; }, { enableHighAccuracy: true, maximumAge: 10_000 });
  }

  here.addEventListener("click", () => {
    asked = true;
    follow();
  });
  addEventListener("hashchange", () => watching != null && stop(), { once: true });
  const allowed = await navigator.permissions?.query({ name: "geolocation" }).catch(() => null);
  if (allowed?.state === "granted" && page.isConnected) follow();
}
