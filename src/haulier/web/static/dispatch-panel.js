// Text of the board: totals of the day, the selection, and the effect of a previewed move.
import { clock, findingsOf, laneOf, lanes, say, selected, state, stopOf, timed, watch } from "./dispatch-state.js";
import { lock, lockRoute, publish, reopen, takeOff } from "./dispatch-change.js";
import { chatLink } from "./order-chat-link.js";
import { carryByKeys } from "./dispatch-keys.js";

const sums = document.getElementById("sums");
const chosen = document.getElementById("chosen");
const acts = document.getElementById("chosen-acts");
const hush = document.getElementById("hush");
const buildWaiting = document.getElementById("build-waiting");
buildWaiting.addEventListener("click", () => document.getElementById("build").click());

function day() {
  const stops = lanes().flatMap((lane) => timed(lane));
  const late = stops.filter((stop) => stop.late && !stop.over).length;
  const parts = [say("sum_routes", { count: lanes().length }), say("sum_stops", { count: stops.length }), say("sum_waiting", { count: state.waitingTotal })];
  const told = parts.map((text) => { const part = document.createElement("span"); part.textContent = text; return part; });
  if (late) {
    const part = document.createElement("span");
    Object.assign(part, { className: "late", textContent: say("sum_late", { count: late }) });
    told.push(part);
  }
  sums.replaceChildren(...told);
}

const unique = (findings) => [...new Set(findings.map((each) => each.message))].join(" ");

function ofMove(move) {
  const lane = laneOf(move.to);
  const order = move.order ? `${[move.ghost.ref, move.ghost.address].filter(Boolean).join(", ")}: ` : "";
  const place = order + say("would_be", { route: lane?.title ?? "", place: move.position });
  const check = move.check;
  if (!check) return { text: `${place} …`, mood: "" };
  if (move.order) return { text: `${place} ${check.message}`, mood: check.allowed ? (check.feasible ? "good" : "warn") : "bad" };
  if (!check.allowed) return { text: `${place} ${check.message}`, mood: "bad" };
  const route = check.routes.get(move.to);
  const told = route?.times.get(move.stop);
  const arrives = told ? say("would_arrive", { time: clock(told.start) }) : "";
  const late = told?.late ? say("would_be_late", { minutes: Math.ceil(told.late / 60) }) : "";
  const load = route?.load != null ? say("would_load", { percent: route.load }) : "";
  const wrong = [...check.routes.values()].flatMap((each) => each.findings);
  return { text: [place, arrives, late, load, check.feasible ? say("would_fit") : unique(wrong)].filter(Boolean).join(" "), mood: check.feasible ? "good" : "warn" };
}

function ofStop(lane, stop) {
  const here = timed(lane).find((each) => each.id === stop.id);
  const promise = stop.opens != null || stop.closes != null ? say("promised", { time: `${clock(stop.opens)}–${clock(stop.closes)}` }) : "";
  const when = here.from == null ? "" : `${clock(here.from)}–${clock(here.to)}`;
  return [say("stop_of", { stop: here.number, stops: lane.stops.length, route: lane.title }), stop.address ?? stop.ref, when, promise,
    say(`stop_${stop.status}`), here.late ? say("late") : "", stop.locked ? say("locked") : ""].filter(Boolean).join(" · ");
}

function ofLane(lane) {
  const [done, all] = [lane.stops.filter((stop) => stop.over).length, lane.stops.length];
  return [lane.title, lane.driver ?? say("nobody"), lane.vehicle, say(`status_${lane.status}`), say("stops_done", { count: done, stops: all }),
    lane.locked ? say("locked") : "", lane.published === false ? say("unpublished") : "", unique(findingsOf(lane))].filter(Boolean).join(" · ");
}

function panel() {
  const { lane, stop } = selected();
  const move = state.supposed;
  const told = move ? ofMove(move) : { text: stop ? ofStop(lane, stop) : lane ? ofLane(lane) : say("choose"), mood: "" };
  if (chosen.textContent !== told.text) chosen.textContent = told.text;
  chosen.className = told.mood;
  acts.hidden = Boolean(!lane || state.preview);
  const open = Boolean(stop && !stop.over);
  const allowed = { takeOff: open && lane?.may.has("remove_orders"), reopen: stop?.status === "failed" && lane?.may.has("reopen_stops"), carry: move || (open && lane?.may.has("move_stops")), lock: open && lane?.may.has("lock_stops"), lockRoute: lane?.may.has("lock") || lane?.may.has("unlock"), publish: lane?.may.has("publish") || lane?.may.has("unpublish") };
  const words = { lock: stop?.locked ? "unlock" : "lock", lockRoute: lane?.locked ? "unlock_route" : "lock_route", publish: lane?.published ? "unpublish" : "publish", carry: move ? "drop" : "move", takeOff: "take_off", reopen: "reopen" };
  for (const button of acts.querySelectorAll("button")) {
    button.hidden = (Boolean(move) && button.dataset.does !== "carry") || (button.dataset.does === "reopen" && !allowed.reopen);
    button.disabled = !allowed[button.dataset.does];
    button.firstChild.textContent = `${say(words[button.dataset.does])} `;
  }
  chatLink(stop);
  empty();
}

// A day without routes shows the waiting orders and offers to build routes.
function empty() {
  hush.hidden = lanes().length > 0;
  buildWaiting.hidden = hush.hidden || state.waitingTotal === 0;
  if (!buildWaiting.hidden) hush.textContent = say("no_routes_but_waiting", { count: state.waitingTotal });
}

export function does(name) {
  const { lane, stop } = selected();
  if (!lane || state.preview) return;
  if (name === "carry" && (stop || state.supposed)) carryByKeys();
  if (name === "takeOff" && stop) takeOff(stop);
  if (name === "lock" && stop && !stop.over) lock(lane, stopOf(stop.id));
  if (name === "reopen" && stop) reopen(lane, stop);
  if (name === "lockRoute") lockRoute(lane);
  if (name === "publish") publish(lane);
}
acts.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) does(button.dataset.does);
});
watch(day);
watch(panel);
