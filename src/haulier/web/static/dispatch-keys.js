// Keyboard: arrow keys select, m lifts a stop and drops it, Escape cancels.
import { fit, show, zoom } from "./dispatch-gantt.js";
import { seeStop } from "./dispatch-map.js";
import { changed, laneOf, lanes, select, selected, state, stopOf, timed } from "./dispatch-state.js";
import { forget, make, suppose, supposeAgain, toast, undo } from "./dispatch-change.js";
import { does } from "./dispatch-panel.js";
import { askRoute } from "./dispatch-route.js";
import { seeWaiting } from "./dispatch-waiting.js";
import { say } from "./dispatch-state.js";

const help = document.getElementById("keys");
const scroller = document.getElementById("lanes");

function choose(lane, stop) {
  if (!lane) return;
  select(lane.id, stop?.id ?? null);
  show(lane, stop);
  seeStop(stop);
}

function up(step) {
  const { lane, stop } = selected();
  const next = lanes()[Math.min(lanes().length - 1, Math.max(0, lanes().indexOf(lane) + step))];
  if (!next) return;
  const at = lane && stop ? timed(lane).find((each) => each.id === stop.id)?.from : null;
  const near = at == null ? null : timed(next).filter((each) => each.from != null).sort((a, b) => Math.abs(a.from - at) - Math.abs(b.from - at))[0];
  choose(next, near);
}

function along(step) {
  const { lane, stop } = selected();
  if (!lane) return;
  const stops = timed(lane);
  const at = stop ? stops.findIndex((each) => each.id === stop.id) + step : step > 0 ? 0 : stops.length - 1;
  choose(lane, stops[Math.min(stops.length - 1, Math.max(0, at))]);
}

export function carryByKeys() {
  if (state.supposed) return make();
  const { lane, stop } = selected();
  if (!stop || stop.over || state.preview) return;
  suppose(stop.id, lane.id, lane.stops.findIndex((each) => each.id === stop.id) + 1);
  toast(say("carrying"));
  scroller.focus();
}

function carryTo(steps, places) {
  const move = state.supposed;
  const lane = lanes()[Math.min(lanes().length - 1, Math.max(0, lanes().indexOf(laneOf(move.to)) + steps))];
  if (steps) {
    const at = move.ghost ? move.ghost.closes : timed(laneOf(move.from)).find((each) => each.id === move.stop)?.from ?? stopOf(move.stop).closes;
    const rest = timed(lane).filter((each) => each.id !== move.stop);
    const next = at == null ? -1 : rest.findIndex((each) => each.from != null && each.from > at);
    supposeAgain(move, lane.id, next < 0 ? rest.length + 1 : next + 1);
  } else supposeAgain(move, move.to, move.position + places);
  show(lane);
}

const carrying = {
  ArrowUp: () => carryTo(-1, 0),
  ArrowDown: () => carryTo(1, 0),
  ArrowLeft: () => carryTo(0, -1),
  ArrowRight: () => carryTo(0, 1),
  Enter: make,
  m: make,
  Escape: forget,
};
const idle = {
  ArrowUp: () => up(-1),
  ArrowDown: () => up(1),
  ArrowLeft: () => along(-1),
  ArrowRight: () => along(1),
  Home: () => choose(lanes()[0]),
  End: () => choose(lanes().at(-1)),
  Escape: () => select(state.route, null),
  m: carryByKeys,
  l: () => does("lock"),
  L: () => does("lockRoute"),
  p: () => does("publish"),
  u: () => does("takeOff"),
  w: seeWaiting,
  n: askRoute,
  z: undo,
  b: () => document.getElementById("build").click(),
  "+": () => { zoom(1 / 1.5); changed(); },
  "-": () => { zoom(1.5); changed(); },
  0: () => { fit(); changed(); },
  "?": () => help.showModal(),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input, select, textarea, #map *")) return;
  if (event.key === "Enter" && event.target.closest("button, a")) return;
  const does = (state.supposed ? carrying : idle)[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});
document.getElementById("show-keys").addEventListener("click", () => help.showModal());
