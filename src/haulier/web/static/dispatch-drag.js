// Mouse and touch: click selects, dragging moves a stop, dragging the background moves through time.
import { atOf, carry, fit, hit, laneAt, pan, show, zoom } from "./dispatch-gantt.js";
import { changed, select, state, timed } from "./dispatch-state.js";
import { forget, make, suppose, supposeAgain, takeOff } from "./dispatch-change.js";

const box = document.getElementById("timeline");
const scroller = document.getElementById("lanes");
const HOLD_MS = 280;
const FAR = 5;
let press = null;

const spot = (event) => {
  const frame = box.getBoundingClientRect();
  return { x: event.clientX - frame.left, y: event.clientY - frame.top };
};

// The stop of a lane that a time precedes.
export function positionAt(lane, stopId, at) {
  const rest = timed(lane).filter((stop) => stop.id !== stopId);
  const next = rest.findIndex((stop) => stop.from != null && (stop.from + stop.to) / 2 > at);
  return next < 0 ? rest.length + 1 : next + 1;
}

function lift() {
  if (!press?.found?.stop || press.found.stop.over || state.preview || state.supposed) return;
  press.lifted = true;
  select(press.found.lane.id, press.found.stop.id);
  follow(press.at);
  navigator.vibrate?.(10);
}

function follow(at) {
  carry(at);
  const lane = laneAt(at.y);
  if (lane) suppose(press.found.stop.id, lane.id, positionAt(lane, press.found.stop.id, atOf(at.x)));
  const high = box.clientHeight;
  if (at.y > high - 30) scroller.scrollTop += 12;
  else if (at.y < 60) scroller.scrollTop -= 12;
  changed();
}

scroller.addEventListener("pointerdown", (event) => {
  if (event.button || press) return;
  const at = spot(event);
  press = { id: event.pointerId, start: at, at, found: hit(at.x, at.y), touch: event.pointerType === "touch", lifted: false, panned: false, hold: 0 };
  if (press.touch) press.hold = setTimeout(lift, HOLD_MS);
});

addEventListener("pointermove", (event) => {
  if (event.pointerId !== press?.id) return;
  const at = spot(event);
  const far = Math.hypot(at.x - press.start.x, at.y - press.start.y) > FAR;
  if (far && !press.lifted) {
    clearTimeout(press.hold);
    if (!press.touch && press.found?.stop && !press.panned) lift();
  }
  if (press.lifted) follow(at);
  else if (far && (!press.found?.stop || press.touch || press.panned)) {
    press.panned = true;
    pan(press.at.x - at.x);
    changed();
  }
  press.at = at;
});

function end(event, dropped) {
  if (event.pointerId !== press?.id) return;
  clearTimeout(press.hold);
  const done = press;
  press = null;
  carry(null);
  if (done.lifted && dropped && document.elementFromPoint(event.clientX, event.clientY)?.closest("#waiting")) {
    forget();
    return takeOff(done.found.stop);
  }
  if (done.lifted) return dropped ? make() : forget();
  // A click drops a lifted stop, so dragging is never required.
  if (dropped && !done.panned && state.supposed && done.found) {
    const { stop, to, position } = state.supposed;
    const { lane } = done.found;
    supposeAgain(state.supposed, lane.id, done.start.x > document.getElementById("heads").offsetWidth ? positionAt(lane, stop, atOf(done.start.x)) : lane.id === to ? position : lane.stops.length + 1);
    return make();
  }
  if (dropped && !done.panned && done.found) {
    select(done.found.lane.id, done.found.stop?.id ?? null);
    if (done.found.stop) show(done.found.lane, done.found.stop);
  }
  changed();
}
addEventListener("pointerup", (event) => end(event, true));
addEventListener("pointercancel", (event) => end(event, false));
scroller.addEventListener("touchmove", (event) => { if (press?.lifted) event.preventDefault(); }, { passive: false });
scroller.addEventListener("contextmenu", (event) => { if (press?.touch) event.preventDefault(); });
scroller.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
  event.preventDefault();
  if (event.ctrlKey) zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, atOf(spot(event).x));
  else pan(event.deltaX || event.deltaY);
  changed();
}, { passive: false });
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !press?.lifted) return;
  event.stopImmediatePropagation();
  press = null;
  carry(null);
  forget();
}, { capture: true });

export function zooms() {
  document.getElementById("zoom-in").addEventListener("click", () => { zoom(1 / 1.5); changed(); });
  document.getElementById("zoom-out").addEventListener("click", () => { zoom(1.5); changed(); });
  document.getElementById("zoom-fit").addEventListener("click", () => { fit(); changed(); });

}
