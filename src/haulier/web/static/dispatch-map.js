// The map: routes as lines, stops as dots, all on a canvas of Leaflet, above the ground and the zones.
import { lanes, say, select, state, timed, watch, clock, changed } from "./dispatch-state.js";
import { drawnStops, tokens } from "./dispatch-gantt.js";
import { lift } from "./dispatch-waiting.js";
import { followZones } from "./dispatch-zones.js";

const element = document.getElementById("map");
const map = L.map(element, { preferCanvas: true, attributionControl: false, zoomSnap: 0.25, minZoom: 3, maxZoom: 18, keyboard: false, center: [20, 0], zoom: 3, zoomAnimation: false, fadeAnimation: false });
L.control.scale({ imperial: false }).addTo(map);
const still = L.layerGroup().addTo(map);
const drawn = L.layerGroup().addTo(map);
const shown = new Map(); // by lane: its layers, and how it looked when they were made
const legend = document.querySelector(".legend");
const people = L.layerGroup().addTo(map);
let before = "";

const depots = () => [...new Set(lanes().map((lane) => lane.depotId))].map((id) => state.depots.get(id)).filter(Boolean);

function places() {
  const stops = lanes().flatMap((lane) => lane.stops).filter((stop) => stop.lat != null);
  return [...stops, ...depots(), ...(stops.length ? [] : state.waiting)].map((place) => [place.lat, place.lng]);
}
export function fitMap() {
  const all = [places(), [...state.depots.values()].map((depot) => [depot.lat, depot.lng])].find((each) => each.length);
  if (all) map.fitBounds(L.latLngBounds(all).pad(0.06), { animate: false, maxZoom: 15, paddingBottomRight: [0, map.getSize().y - legend.offsetTop] });
}
export function seeStop(stop) {
  if (stop?.lat != null && !map.getBounds().contains([stop.lat, stop.lng])) map.panTo([stop.lat, stop.lng], { animate: false });
}

// The ground and the zones come when the day is there: nothing of the day waits for them.
let laid = null;
export async function layGround() {
  followZones(map, document.getElementById("zones"));
  laid = await drawGround(map, () => {
    const ink = tokens();
    return { land: ink.paper, border: ink.edge, water: ink.sunk };
  });
}

const dot = (place, radius, style) => L.circleMarker([place.lat, place.lng], { radius, weight: 1.5, fillOpacity: 1, ...style });

function route(lane, ink) {
  const stops = drawnStops(lane).filter((stop) => stop.lat != null);
  const chosen = lane.id === (state.supposed?.to ?? state.route);
  const depot = state.depots.get(lane.depotId);
  const way = [...(depot ? [depot] : []), ...stops, ...(depot ? [depot] : [])].map((place) => [place.lat, place.lng]);
  const colour = ink.routes[lane.colour];
  const line = L.polyline(way, { color: colour, weight: chosen ? 4.5 : 1.75, opacity: chosen ? 1 : 0.5, interactive: false, smoothFactor: 0.6 });
  const marks = stops.map((stop) => {
    const fill = stop.over ? ink.sheet : stop.late ? ink.bad : colour;
    const mark = dot(stop, stop.id === state.stop || stop.id === state.supposed?.stop ? 10 : chosen ? 7 : 4.5, {
      color: stop.id === state.stop ? ink.focus : stop.over ? colour : ink.sheet, fillColor: fill, weight: stop.id === state.stop ? 4 : 1.5,
    });
    mark.bindTooltip(() => [`${stop.number}. ${stop.address ?? stop.ref}`, lane.title, clock(stop.from)].join(" · "));
    return mark.on("click", () => { if (!state.supposed) select(lane.id, stop.id); });
  });
  return { chosen, layers: [line, ...marks] };
}

// A lane is drawn anew only where it looks different: of two thousand dots a hover touches a hundred.
function look(lane, dark) {
  const move = state.supposed;
  const moved = move && (lane.id === move.to || lane.id === move.from);
  const own = lane.stops.some((stop) => stop.id === state.stop);
  return JSON.stringify([dark, lane.mark, lane.id === (move?.to ?? state.route), own && state.stop, moved && [move.stop, move.to, move.position, Boolean(move.check)],
    timed(lane).map((stop) => (stop.late ? stop.number : 0)).filter(Boolean)]);
}

function routes() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ink = tokens();
  const there = new Set(lanes().map((lane) => lane.id));
  for (const [id, known] of shown) if (!there.has(id)) { drawn.removeLayer(known.group); shown.delete(id); }
  const later = [];
  for (const lane of lanes()) {
    const now = look(lane, dark);
    const known = shown.get(lane.id);
    if (known?.look === now) continue;
    if (known) drawn.removeLayer(known.group);
    const { chosen, layers } = route(lane, ink);
    const group = L.layerGroup(layers);
    shown.set(lane.id, { look: now, group });
    if (chosen) later.push(group);
    else group.addTo(drawn);
  }
  for (const group of later) group.addTo(drawn);
}

function ground() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = JSON.stringify([dark, state.waiting.map((order) => order.order_id), depots().map((depot) => depot.id)]);
  if (now === before) return;
  before = now;
  const ink = tokens();
  still.clearLayers();
  for (const order of state.waiting) {
    dot(order, 4.5, { color: ink.edge, fillColor: ink.paper, dashArray: "2 2" }).bindTooltip(() => say("waiting_order", { address: order.address ?? "" }))
      .on("click", () => lift(order)).addTo(still);
  }
  for (const depot of depots()) dot(depot, 9, { color: ink.ink, fillColor: ink.sheet, weight: 4 }).bindTooltip(depot.name).addTo(still);
}

function drivers() {
  const ink = tokens();
  people.clearLayers();
  for (const driver of state.drivers) {
    if (driver.lat == null) continue;
    const on = driver.status !== "offline";
    const route = lanes().find((lane) => lane.id === driver.route_id);
    const chosen = route && route.id === state.route;
    dot(driver, chosen ? 13 : 11, { color: on ? ink.focus : ink.edge, fillColor: ink.sheet, weight: chosen ? 4 : 3 }).addTo(people);
    dot(driver, 5, { color: on ? ink.focus : ink.edge, fillColor: on ? ink.focus : ink.edge, weight: 0 })
      .bindTooltip(() => [driver.name, say(`driver_${driver.status}`), clock(Date.parse(driver.observed_at)), route?.title].filter(Boolean).join(" · "))
      .on("click", () => { if (route && !state.supposed) select(route.id); }).addTo(people);
  }
}

watch(() => {
  ground();
  routes();
  drivers();
});
new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(element);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { changed(); laid?.repaint(); });
