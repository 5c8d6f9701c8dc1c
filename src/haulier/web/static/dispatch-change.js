// Changes of the plan: a move is supposed and checked while it is looked at, then made; locks and publishing.
import { ask } from "./dispatch-ask.js";
import { changed, laneOf, laneOfStop, load, lanes, say, select, state, understood } from "./dispatch-state.js";

const toasts = document.getElementById("toasts");
let asking = null;
let waiting = 0;
let last = null; // the move that can be undone

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

// Nothing goes before a stop that is over, or behind its own place at the end.
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
  const home = laneOf(move.from);
  const before = home.stops.findIndex((stop) => stop.id === move.stop) + 1;
  if (move.from === move.to && before === move.position) return forget();
  if (move.check && !move.check.allowed) { toast(move.check.message); return forget(); }
  const done = await moved(move.stop, move.from, move.to, move.position);
  if (done) {
    last = { stop: move.stop, from: move.to, to: move.from, position: before };
    toast(say("moved", { route: laneOf(move.to)?.title ?? "" }), undo);
  }
}

export async function undo() {
  if (!last) return;
  const back = last;
  last = null;
  if (await moved(back.stop, back.from, back.to, back.position)) toast(say("undone"));
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
export const lock = (lane, stop) => act(stop.locked ? "unlock_stops" : "lock_stops", lane, { stop_ids: [stop.id] }, say(stop.locked ? "stop_unlocked" : "stop_locked"));
export const lockRoute = (lane) => act(lane.locked ? "unlock_route" : "lock_route", lane, {}, say(lane.locked ? "route_unlocked" : "route_locked"));
export const publish = (lane) => act(lane.published ? "unpublish_route" : "publish_route", lane, {}, say(lane.published ? "route_unpublished" : "route_published"));
