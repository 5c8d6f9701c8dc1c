// State of the board: the day's routes as lanes of stops, selection and previews. Views subscribe to it.
import { ask } from "./dispatch-ask.js";

export const words = JSON.parse(document.getElementById("words").textContent);
export const say = (id, values = {}) => (words[id] ?? id).replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);
const dataset = document.getElementById("board").dataset;

export const state = {
  day: dataset.day,
  language: dataset.language,
  zone: "UTC",
  lanes: [],
  depots: new Map(),
  drivers: [],
  waiting: [], // orders with a location
  pool: [], // all waiting orders that are listed
  waitingTotal: 0,
  route: null, // ids of the selection
  stop: null,
  supposed: null, // a previewed move: { stop, from, to, position, check }, for a waiting order also { order, ghost }
  preview: null, // lanes of a build
};
const reckoned = new Map(); // result of the check of a route: times by stop, and findings
const colours = new Map();
const watchers = [];
let due = 0;

export const watch = (draw) => watchers.push(draw);
export function changed() {
  due ||= requestAnimationFrame(() => { due = 0; for (const draw of watchers) draw(); });
}

export const lanes = () => state.preview ?? state.lanes;
export const laneOf = (id) => lanes().find((lane) => lane.id === id);
export const laneOfStop = (id) => lanes().find((lane) => lane.stops.some((stop) => stop.id === id));
export const stopOf = (id) => laneOfStop(id)?.stops.find((stop) => stop.id === id);
export function selected() {
  const lane = laneOf(state.route);
  return { lane, stop: lane?.stops.find((stop) => stop.id === state.stop) };
}

export function clock(at) {
  return at == null ? "—" : new Intl.DateTimeFormat(state.language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: state.zone }).format(at);
}
export const colourOf = (id) => {
  if (!colours.has(id)) colours.set(id, colours.size % 10);
  return colours.get(id);
};
const ms = (text) => (text ? Date.parse(text) : null);
const OVER = new Set(["completed", "failed", "brought_back", "handed_in", "cancelled"]);

export function select(route, stop = null) {
  state.route = route;
  state.stop = stop;
  changed();
}

function laneFrom(route) {
  const stops = route.stops.map((stop) => ({
    id: stop.id, orderId: stop.order_id, ref: stop.order_ref ?? String(stop.order_id), address: stop.address,
    kind: stop.kind, status: stop.status, locked: stop.locked, lat: stop.lat, lng: stop.lng,
    over: OVER.has(stop.status), failed: ["failed", "brought_back"].includes(stop.status),
    opens: ms(stop.window_start), closes: ms(stop.window_end), service: Math.max(60, stop.service_s) * 1000,
    arrival: ms(stop.planned_arrival_at), departure: ms(stop.planned_departure_at),
    arrived: ms(stop.arrived_at), ended: ms(stop.ended_at),
  }));
  return {
    id: route.id, version: route.version, title: route.name ?? say("route_number", { route: route.id }), status: route.status,
    driver: route.driver_name, driverId: route.driver_id, vehicle: route.vehicle_name, vehicleId: route.vehicle_id, mode: route.travel_mode, depotId: route.depot_id, locked: route.locked,
    published: route.published, may: new Set(route.allowed_actions), colour: colourOf(route.id), stops,
    starts: ms(route.started_at) ?? ms(route.planned_start_at), ends: ms(route.finished_at) ?? ms(route.planned_end_at),
    mark: markOf(route),
  };
}

// Applies everything that the short response has about a route.
export const markOf = (route) => [route.version, route.status, route.published, route.locked, route.stops_done, route.stops_failed, route.driver_name, route.vehicle_name, route.travel_mode].join();

// Times of a stop: actual, planned, or calculated by the check.
export function timed(lane, sequence = lane.stops, times = reckoned.get(lane.id)?.times) {
  let before = lane.starts;
  return sequence.map((stop, at) => {
    const told = times?.get(stop.id);
    let [from, to, sure] = [null, null, true];
    if (stop.over) [from, to] = [stop.arrived ?? stop.ended, Math.max(stop.ended ?? 0, (stop.arrived ?? stop.ended) + 60_000)];
    else if (stop.arrived) [from, to] = [stop.arrived, Math.max(Date.now(), stop.arrived + stop.service)];
    else if (told && (sequence !== lane.stops || stop.arrival == null)) [from, to, sure] = [told.start, told.departure, false];
    else if (stop.arrival != null) [from, to] = [Math.max(stop.arrival, Math.min(stop.opens ?? 0, (stop.departure ?? 0) - 60_000)), stop.departure ?? stop.arrival + stop.service];
    else if (before != null) [from, to, sure] = [before + 600_000, before + 600_000 + stop.service, false];
    before = to ?? before;
    const late = stop.lateS > 0 || (from != null && stop.closes != null && from > stop.closes);
    return { ...stop, number: at + 1, from, to, sure, late };
  });
}

export const findingsOf = (lane) => reckoned.get(lane.id)?.findings ?? [];

export function understood(check) {
  const times = new Map(check.stops.map((each) => [each.stop_id, { start: ms(each.start_at), departure: ms(each.departure_at), late: each.late_s }]));
  return { times, findings: check.findings, feasible: check.feasible, load: check.load_percent, end: ms(check.end_at), distance: check.distance_m };
}

function take(board, only) {
  state.zone = board.time_zone;
  state.drivers = board.drivers;
  for (const depot of board.depots) state.depots.set(depot.id, depot);
  const fresh = board.routes.map(laneFrom);
  for (const lane of fresh) {
    if (laneOfOld(lane.id)?.version !== lane.version) reckoned.delete(lane.id);
  }
  if (!only) state.lanes = fresh;
  else {
    const news = new Map(fresh.map((lane) => [lane.id, lane]));
    const kept = state.lanes.filter((lane) => !only.includes(lane.id) || news.has(lane.id));
    state.lanes = kept.map((lane) => news.get(lane.id) ?? lane);
    for (const lane of fresh) if (!state.lanes.includes(lane)) state.lanes.push(lane);
  }
  if (state.route == null || !laneOf(state.route)) state.route = lanes()[0]?.id ?? null;
  changed();
}
// An order as a stop.
export const ghostOf = (order) => ({
  id: `order-${order.order_id}`, orderId: order.order_id, ref: order.order_ref ?? order.tracking_number, address: order.address,
  kind: "delivery", status: "pending", locked: false, lat: order.lat, lng: order.lng, over: false, failed: false,
  opens: ms(order.window_start), closes: ms(order.window_end), service: 180_000, arrival: null, departure: null, arrived: null, ended: null,
});
const laneOfOld = (id) => state.lanes.find((lane) => lane.id === id);

export async function load(only = null) {
  take(await ask("dispatch_board", { day: state.day, ...(only ? { route_ids: only } : {}) }), only);
  await reckon();
}

export const askWaiting = () => ask("planning_pool", { date_to: state.day, per_page: 200 });

export async function loadWaiting(asked = askWaiting()) {
  const pool = await asked;
  state.pool = pool.orders;
  state.waiting = pool.orders.filter((order) => order.lat != null);
  state.waitingTotal = pool.total;
  changed();
}

// Routes that were changed by hand have no planned times; the check calculates them.
async function reckon() {
  const open = (lane) => lane.stops.some((stop) => !stop.over && stop.arrival == null);
  const wanted = state.lanes.filter((lane) => open(lane) && !reckoned.has(lane.id)).map((lane) => lane.id);
  for (let at = 0; at < wanted.length; at += 50) {
    const told = await ask("check_route_change", { route_ids: wanted.slice(at, at + 50) });
    for (const route of told.routes) reckoned.set(route.route_id, understood(route));
    changed();
  }
}
