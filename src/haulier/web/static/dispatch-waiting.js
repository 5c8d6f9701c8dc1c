// Orders without a route: drag one onto a lane, or choose it by click or key and then drop it.
import { atOf, carry, laneAt, show } from "./dispatch-gantt.js";
import { forget, make, supposeOrder, toast } from "./dispatch-change.js";
import { positionAt } from "./dispatch-drag.js";
import { changed, clock, laneOf, lanes, say, state, watch } from "./dispatch-state.js";

const list = document.getElementById("waiting-list");
const fold = document.getElementById("waiting");
const box = document.getElementById("timeline");
const scroller = document.getElementById("lanes");
const FAR = 5;
let press = null;
let before = "";
let chip = null; // the element that follows the mouse

const named = (order) => order.order_ref ?? order.tracking_number;
function told(order) {
  const window = order.window_start || order.window_end ? `${clock(order.window_start && Date.parse(order.window_start))}–${clock(order.window_end && Date.parse(order.window_end))}` : "";
  return [order.address ?? "", window, ...order.skills].filter(Boolean).join(" · ");
}

function button(order) {
  const [line, made, name, more] = ["li", "button", "strong", "span"].map((tag) => document.createElement(tag));
  Object.assign(made, { type: "button", className: "plain order" });
  Object.assign(made.dataset, { order: order.order_id });
  name.textContent = named(order);
  more.textContent = told(order);
  made.append(name, " ", more);
  line.append(made);
  return line;
}

// An order's line stays the same element while its text is the same, so that a press survives an update of the list.
let lines = new Map();
function lineOf(order) {
  const says = JSON.stringify([order.order_id, named(order), told(order)]);
  return [says, lines.get(says) ?? button(order)];
}

function drawWaiting() {
  const now = JSON.stringify([state.pool.map((order) => [order.order_id, named(order), told(order)]), state.waitingTotal, state.supposed?.order?.order_id ?? null]);
  if (now === before) return;
  before = now;
  const focused = orderAt(document.activeElement);
  const at = [...list.children].findIndex((line) => line.contains(document.activeElement));
  fold.hidden = state.pool.length === 0;
  document.getElementById("waiting-count").textContent = say("waiting_title", { count: state.waitingTotal });
  lines = new Map(state.pool.map(lineOf));
  list.replaceChildren(...lines.values());
  for (const each of list.querySelectorAll("button")) each.setAttribute("aria-pressed", String(Number(each.dataset.order) === state.supposed?.order?.order_id));
  // Keep the focus on its order; if the order is gone, move to the next one.
  const there = state.pool.findIndex((order) => order.order_id === focused);
  reach(Math.max(0, there >= 0 ? there : Math.min(at, list.children.length - 1)), focused != null);
}

// One entry of the list is in the tab order; arrow keys move to the others.
function reach(at, focus = false) {
  const all = [...list.querySelectorAll("button")];
  all.forEach((each, place) => { each.tabIndex = place === at ? 0 : -1; });
  if (focus) all[at]?.focus();
}

const orderAt = (element) => { const at = element?.closest("#waiting-list button"); return at ? Number(at.dataset.order) : null; };
const orderOf = (element) => state.pool.find((order) => order.order_id === orderAt(element));

export function lift(order) {
  if (!order || state.preview) return;
  const lane = laneOf(state.route) ?? lanes()[0];
  if (!lane) return toast(say("no_routes"));
  supposeOrder(order, lane.id, lane.stops.length + 1);
  toast(say("choose_lane"));
  show(lane);
  scroller.focus();
}

export const seeWaiting = () => { if (!fold.hidden) { fold.open = true; reach(0, true); } };

function follow(event) {
  const frame = box.getBoundingClientRect();
  const at = { x: event.clientX - frame.left, y: event.clientY - frame.top };
  const inside = at.x >= 0 && at.y >= 0 && at.x <= frame.width && at.y <= frame.height;
  const lane = inside ? laneAt(at.y) : null;
  carry(inside ? at : null);
  chip.hidden = inside;
  chip.style.transform = `translate(${event.clientX + 8}px, ${event.clientY + 8}px)`;
  if (lane) supposeOrder(press.order, lane.id, positionAt(lane, null, atOf(at.x)));
  else if (state.supposed) forget();
  changed();
}

function begin(event) {
  chip = document.createElement("p");
  Object.assign(chip, { className: "carried", textContent: named(press.order) });
  document.body.append(chip);
  press.dragged = true;
  follow(event);
}

function end(dropped) {
  const done = press;
  press = null;
  chip?.remove();
  chip = null;
  carry(null);
  if (!done?.dragged) return;
  if (dropped && state.supposed?.order) make();
  else forget();
}

// A finger scrolls the list; a tap chooses, and a second tap selects the lane.
list.addEventListener("pointerdown", (event) => {
  const order = orderOf(event.target);
  if (event.button || event.pointerType === "touch" || !order || state.preview) return;
  press = { id: event.pointerId, x: event.clientX, y: event.clientY, order, dragged: false };
});
addEventListener("pointermove", (event) => {
  if (event.pointerId !== press?.id) return;
  if (press.dragged) follow(event);
  else if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > FAR) begin(event);
});
addEventListener("pointerup", (event) => { if (event.pointerId === press?.id) { list.dataset.dragged = press.dragged ? "yes" : ""; end(true); } });
addEventListener("pointercancel", (event) => { if (event.pointerId === press?.id) end(false); });
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !press?.dragged) return;
  event.stopImmediatePropagation();
  end(false);
}, { capture: true });
list.addEventListener("click", (event) => {
  const dragged = list.dataset.dragged;
  list.dataset.dragged = "";
  if (!dragged) lift(orderOf(event.target));
});
list.addEventListener("keydown", (event) => {
  const all = [...list.querySelectorAll("button")];
  const at = all.indexOf(event.target);
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -all.length, End: all.length }[event.key];
  if (event.key === "m") lift(orderOf(event.target));
  else if (steps) reach(Math.min(all.length - 1, Math.max(0, at + steps)), true);
  else return;
  event.preventDefault();
  event.stopPropagation();
});
if (matchMedia("(max-width: 60rem)").matches) fold.open = false;
watch(drawWaiting);
