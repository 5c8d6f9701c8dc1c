// The board's map: routes as lines, stops, waiting orders, depots and drivers, above streets and zones.
import { changed, lanes, say, select, state, timed, watch, clock } from "./dispatch-state.js";
import { drawnStops } from "./dispatch-gantt.js";
import { lift } from "./dispatch-waiting.js";
import { followZones } from "./dispatch-zones.js";
import { headingOf, openMap, routeLines } from "./map.js";
import { legsOf } from "./road-lines.js";

const element = document.getElementById("map");
const legend = document.querySelector(".legend");
const drawn = new Map(); // by lane: its lines and points, and its appearance when they were made
const heard = new Map(); // by driver: last position and heading
let map = null;
let before = "";
let fitted = false;

const isPlaced = (place) => place?.lat != null;
const depots = () => [...new Set(lanes().map((lane) => lane.depotId))].map((id) => state.depots.get(id)).filter(isPlaced);

function places() {
  const stops = lanes().flatMap((lane) => lane.stops).filter(isPlaced);
  const all = [...stops, ...depots(), ...(stops.length ? [] : state.waiting)];
  return all.length ? all : [...state.depots.values()].filter(isPlaced);
}
export function fitMap() {
  if (!map) return;
  map.fit(places(), { padding: () => ({ top: 32, left: 32, right: 52, bottom: Math.max(64, Math.min(element.clientHeight - legend.offsetTop + 16, element.clientHeight / 3)) }) });
  fitted = true;
}
export function seeStop(stop) {
  if (isPlaced(stop)) map?.see(stop);
}

export async function layGround() {
  map = await openMap(element, { many: true, minZoom: 2, label: element.closest("section").getAttribute("aria-label"), keyboard: false });
  draw();
  if (!fitted || state.lanes.length) fitMap();
  followZones(map, document.getElementById("zones"));
}

function stopState(stop) {
  if (stop.over) return stop.failed ? "failed" : "done";
  return stop.late ? "late" : "";
}

function partsOf(lane) {
  const stops = drawnStops(lane).filter(isPlaced);
  const chosen = lane.id === (state.supposed?.to ?? state.route);
  const colour = `route-${lane.colour}`;
  const depot = state.depots.get(lane.depotId);
  const home = isPlaced(depot) ? [depot] : [];
  const way = [...home, ...stops, ...home];
  const legs = legsOf(map, way, lane.mode, () => { drawn.delete(lane.id); changed(); });
  const lines = routeLines(way, { legs, colour, chosen, done: Math.max(0, home.length + stops.findLastIndex((stop) => stop.over)) });
  const points = stops.map((stop) => {
    const at = stop.id === state.stop || stop.id === state.supposed?.stop;
    return {
      ...stop, id: `stop-${stop.id}`, order: (chosen ? 20 : 10) + (stop.over ? 0 : 1) + (at ? 5 : 0),
      look: { shape: chosen ? "stop" : "dot", colour, on: "on-route", label: String(stop.number), state: stopState(stop), chosen: at, size: at ? 30 : 0 },
      title: () => [`${stop.number}. ${stop.address ?? stop.ref}`, lane.title, clock(stop.from)].join(" · "),
      act: () => { if (!state.supposed) select(lane.id, stop.id); },
    };
  });
  return { lines, points };
}

// Redraw a lane only if it looks different.
function look(lane) {
  const move = state.supposed;
  const moved = move && (lane.id === move.to || lane.id === move.from);
  const own = lane.stops.some((stop) => stop.id === state.stop);
  return JSON.stringify([lane.mark, lane.id === (move?.to ?? state.route), own && state.stop, moved && [move.stop, move.to, move.position, Boolean(move.check)],
    state.preview != null, timed(lane).map((stop) => (stop.late ? stop.number : 0)).filter(Boolean)]);
}

function drivers() {
  return state.drivers.filter(isPlaced).map((driver) => {
    const known = heard.get(driver.id);
    if (!known || known.lat !== driver.lat || known.lng !== driver.lng) {
      heard.set(driver.id, { lat: driver.lat, lng: driver.lng, heading: driver.heading_deg ?? (known && headingOf(known, driver)) });
    }
    const route = lanes().find((lane) => lane.id === driver.route_id);
    const on = driver.status !== "offline";
    const title = [driver.name, say(`driver_${driver.status}`), clock(Date.parse(driver.observed_at)), route?.title].filter(Boolean).join(" · ");
    return {
      id: `driver-${driver.id}`, lat: driver.lat, lng: driver.lng, heading: on ? heard.get(driver.id).heading : null, reach: true, order: 100, title, glides: true,
      look: { shape: "driver", label: initials(driver.name), state: on ? "" : "off", chosen: Boolean(route) && route.id === state.route },
      act: () => { if (route && !state.supposed) select(route.id); },
    };
  });
}
const initials = (name) => (name ?? "").split(/\s+/).filter(Boolean).slice(0, 2).map((part) => [...part][0]).join("").toLocaleUpperCase();

function draw() {
  if (!map) return;
  for (const id of drawn.keys()) if (!lanes().some((lane) => lane.id === id)) drawn.delete(id);
  for (const lane of lanes()) {
    const now = look(lane);
    if (drawn.get(lane.id)?.look === now) continue;
    drawn.set(lane.id, { look: now, ...partsOf(lane) });
    before = "";
  }
  const people = drivers();
  const now = JSON.stringify([[...drawn.values()].map((lane) => lane.look), state.waiting.map((order) => order.order_id), depots().map((depot) => depot.id), people]);
  if (now === before) return;
  before = now;
  const waiting = state.waiting.map((order) => ({
    lat: order.lat, lng: order.lng, id: `order-${order.order_id}`, look: { shape: "waiting" }, order: 5,
    title: () => say("waiting_order", { address: order.address ?? "" }), act: () => lift(order),
  }));
  const homes = depots().map((depot) => ({ lat: depot.lat, lng: depot.lng, id: `depot-${depot.id}`, look: { shape: "depot" }, order: 60, title: depot.name }));
  const all = [...drawn.values()];
  map.show({ lines: all.flatMap((lane) => lane.lines), points: [...waiting, ...all.flatMap((lane) => lane.points), ...homes, ...people] });
}

watch(draw);
