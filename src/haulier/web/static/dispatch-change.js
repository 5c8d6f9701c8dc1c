// Changes of the plan: a move is previewed and checked before it is made; locks and publishing.
import { ask } from "./dispatch-ask.js";
import { changed, ghostOf, laneOf, laneOfStop, load, loadWaiting, lanes, say, select, state, understood } from "./dispatch-state.js";

const toasts = document.getElementById("toasts");
let asking = null;
let waiting = 0;
let last = null; // undoes the last change

export function toast(text, undo = null) {
  const shown = document.createElement("p");
  shown.className = "toast";
  shown.textContent = text;
  if (undo) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "text", textContent: say("undo") });
    button.addEventListener("click", undo);
    shown.append(" ", button);
  }
  toasts.replaceChildren(shown);
  setTimeout(() => shown.remove(), 7000);
}

// Nothing goes before a completed stop, or behind its own place at the end.
export function placeOn(lane, stopId, wanted) {
  const rest = lane.stops.filter((stop) => stop.id !== stopId);
  const first = rest.findLastIndex((stop) => stop.over || stop.arrived) + 1;
  return Math.min(rest.length, Math.max(first, wanted - 1)) + 1;
}

export function suppose(stopId, to, position) {
  const [home, lane] = [laneOfStop(stopId), laneOf(to)];
  if (!home || !lane) return;
  const place = placeOn(lane, stopId, position);
  const known = state.supposed;
  if (known && known.stop === stopId && known.to === to && known.position === place) return;
  state.supposed = { stop: stopId, from: home.id, to, position: place, check: null };
  changed();
  clearTimeout(waiting);
  waiting = setTimeout(check, 40, state.supposed);
}

// A waiting order previewed on a route; a dry run reports conflicts.
export function supposeOrder(order, to, position) {
  const lane = laneOf(to);
  if (!lane) return;
  const ghost = ghostOf(order);
  const place = placeOn(lane, ghost.id, position);
  const known = state.supposed;
  if (known?.stop === ghost.id && known.to === to && known.position === place) return;
  const check = known?.stop === ghost.id && known.to === to ? known.check : null;
  state.supposed = { order, ghost, stop: ghost.id, from: null, to, position: place, check };
  changed();
  if (check) return;
  clearTimeout(waiting);
  waiting = setTimeout(rehearse, 120, state.supposed);
}

async function rehearse(move) {
  asking?.abort();
  asking = new AbortController();
  try {
    const told = await ask("add_orders_to_route", { route_id: move.to, order_ids: [move.order.order_id] }, { signal: asking.signal, rehearse: true });
    const message = [...told.errors, ...told.warnings].map((each) => each.message).join(" ");
    move.check = { allowed: told.changed > 0, feasible: told.warnings.length === 0, message, routes: new Map() };
  } catch (fault) {
    if (fault.name === "AbortError") return;
    move.check = { allowed: false, feasible: false, message: fault.message, routes: new Map() };
  }
  if (state.supposed?.stop === move.stop && state.supposed.to === move.to) {
    state.supposed.check = move.check;
    changed();
  }
}

// The same stop, previewed at another place.
export const supposeAgain = (move, to, position) => (move.order ? supposeOrder(move.order, to, position) : suppose(move.stop, to, position));

async function check(move) {
  asking?.abort();
  asking = new AbortController();
  const asked = { route_id: move.to, stop_ids: [move.stop], position: move.position };
  try {
    const told = await ask("check_route_change", { move: asked }, { signal: asking.signal });
    const routes = new Map(told.routes.map((route) => [route.route_id, understood(route)]));
    move.check = { allowed: told.allowed, feasible: told.feasible, message: told.message, routes };
  } catch (fault) {
    if (fault.name === "AbortError") return;
    move.check = { allowed: false, feasible: false, message: fault.message, routes: new Map() };
  }
  if (state.supposed === move) changed();
}

export function forget() {
  clearTimeout(waiting);
  asking?.abort();
  state.supposed = null;
  changed();
}

export async function make() {
  const move = state.supposed;
  if (!move) return;
  if (move.check && !move.check.allowed) { toast(move.check.message); return forget(); }
  if (move.order) return putOn(move.order.order_id, move.to, move.position);
  const home = laneOf(move.from);
  const before = home.stops.findIndex((stop) => stop.id === move.stop) + 1;
  if (move.from === move.to && before === move.position) return forget();
  const done = await moved(move.stop, move.from, move.to, move.position);
  if (done) told(say("moved", { route: laneOf(move.to)?.title ?? "" }), () => moved(move.stop, move.to, move.from, before));
}

function told(text, back) {
  last = back;
  toast(text, undo);
}

export async function undo() {
  const back = last;
  last = null;
  if (back && (await back())) toast(say("undone"));
}

// A change of orders and routes. Refusals are shown, and the board is reloaded in every case.
async function change(routes, work) {
  let done = false;
  try {
    done = await work();
  } catch (fault) {
    toast(fault.message);
  }
  forget();
  await Promise.all([load(routes), loadWaiting()]);
  return done;
}

async function added(order, lane, position) {
  const answer = await ask("add_orders_to_route", { route_id: lane.id, expected_version: lane.version, order_ids: [order] });
  if (!answer.changed) { toast(answer.errors.map((each) => each.message).join(" ")); return false; }
  await load([lane.id]);
  const fresh = laneOf(lane.id);
  const own = fresh.stops.filter((stop) => stop.orderId === order && !stop.over).map((stop) => stop.id);
  if (position + own.length - 1 < fresh.stops.length) await ask("move_stops", { route_id: lane.id, stop_ids: own, position });
  return true;
}

async function taken(order, lane) {
  const answer = await ask("remove_orders_from_route", { route_id: lane.id, expected_version: lane.version, order_ids: [order] });
  if (!answer.changed) toast(answer.errors.map((each) => each.message).join(" "));
  return answer.changed > 0;
}

async function putOn(order, to, position) {
  if (!(await change([to], () => added(order, laneOf(to), position)))) return;
  const lane = laneOf(to);
  select(to, lane?.stops.find((stop) => stop.orderId === order)?.id ?? null);
  told(say("put_on", { route: lane?.title ?? "" }), () => change([to], () => taken(order, laneOf(to))));
}

export async function takeOff(stop) {
  const lane = laneOfStop(stop.id);
  if (!lane?.may.has("remove_orders") || stop.over) return;
  const [place, ref] = [lane.stops.findIndex((each) => each.id === stop.id) + 1, stop.ref];
  if (await change([lane.id], () => taken(stop.orderId, lane))) {
    told(say("taken_off", { order: ref }), () => change([lane.id], () => added(stop.orderId, laneOf(lane.id), place)));
  }
}

export async function driveBy(lane, driver) {
  const before = { driver_id: lane.driverId, vehicle_id: lane.vehicleId };
  const assign = (who) => change([lane.id], async () => {
    await ask("assign_route_driver", { route_id: lane.id, ...who, expected_version: laneOf(lane.id).version });
    return true;
  });
  if (await assign({ driver_id: driver })) told(say("driver_set", { route: lane.title, driver: laneOf(lane.id)?.driver ?? say("nobody") }), () => assign(before));
}

async function moved(stop, from, to, position) {
  const known = lanes().filter((lane) => lane.id === from || lane.id === to);
  const versions = known.map((lane) => ({ route_id: lane.id, version: lane.version }));
  let done = true;
  try {
    await ask("move_stops", { route_id: to, stop_ids: [stop], position, expected_versions: versions });
  } catch (fault) {
    done = false;
    toast(fault.message);
  }
  await load([from, to]);
  forget();
  if (done) select(to, stop);
  return done;
}

async function act(operation, lane, values, told) {
  try {
    await ask(operation, { route_id: lane.id, expected_version: lane.version, ...values });
    await load([lane.id]);
    toast(told);
  } catch (fault) {
    toast(fault.message);
    await load([lane.id]);
  }
}
export async function reopen(lane, stop) {
  if (await change([lane.id], async () => Boolean(await ask("reopen_stop", { route_id: lane.id, stop_id: stop.id })))) toast(say("reopened"));
}
export const lock = (lane, stop) => act(stop.locked ? "unlock_stops" : "lock_stops", lane, { stop_ids: [stop.id] }, say(stop.locked ? "stop_unlocked" : "stop_locked"));
export const lockRoute = (lane) => act(lane.locked ? "unlock_route" : "lock_route", lane, {}, say(lane.locked ? "route_unlocked" : "route_locked"));
export const publish = (lane) => act(lane.published ? "unpublish_route" : "publish_route", lane, {}, say(lane.published ? "route_unpublished" : "route_published"));
