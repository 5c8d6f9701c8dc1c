// The timeline: lanes drawn on one canvas, so that thousands of stops cost a few milliseconds and no elements. Only the
// headers of visible lanes are elements, also for screen readers.
import { clock, findingsOf, lanes, say, state, timed, watch } from "./dispatch-state.js";

const AXIS = 30;
const LEAST_ROW = 46;
const MOST_ROW = 72;
const LEAST_TALL = 64; // a row with a line for the vehicle
const FOOT = 56; // the space of the zoom buttons
const QUARTERS = [5, 10, 15, 30, 60, 120, 180, 240, 360].map((minutes) => minutes * 60_000);
const box = document.getElementById("timeline");
const scroller = document.getElementById("lanes");
const heads = document.getElementById("heads");
const canvas = document.getElementById("bars");
const pen = canvas.getContext("2d");
export const view = { from: null, to: null };
export let carried = null; // { x, y } of the dragged stop, for its ghost
export const carry = (spot) => { carried = spot; };

// Few lanes share the height; many scroll.
let ROW = LEAST_ROW;
const bound = (least, value, most) => Math.min(most, Math.max(least, value));
const headWidth = () => heads.offsetWidth;
const width = () => box.clientWidth;
export const xOf = (at) => headWidth() + ((at - view.from) / (view.to - view.from)) * (width() - headWidth());
export const atOf = (x) => view.from + ((x - headWidth()) / (width() - headWidth())) * (view.to - view.from);

export function tokens() {
  const style = getComputedStyle(document.getElementById("board"));
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["ink", "soft", "paper", "sheet", "sunk", "line", "edge", "bad", "good", "focus", "brand", "brand-wash", "warn", "bad-wash", "good-wash"];
  return { ...Object.fromEntries(names.map((name) => [name, read(name)])), routes: Array.from({ length: 10 }, (_, at) => read(`route-${at}`)), on: read("on-route") };
}

export function fit() {
  const all = lanes().flatMap((lane) => timed(lane)).filter((stop) => stop.from != null);
  const ends = lanes().flatMap((lane) => [lane.starts, lane.ends]).filter((at) => at != null);
  const moments = [...all.flatMap((stop) => [stop.from, stop.to]), ...ends];
  const [least, most] = moments.reduce(([a, b], at) => [Math.min(a, at), Math.max(b, at)], [Infinity, -Infinity]);
  const noon = Date.parse(`${state.day}T12:00:00Z`);
  const morning = noon - (parseInt(clock(noon), 10) - 8) * 3_600_000;
  const [from, to] = moments.length ? [least, most] : [morning, morning + 36_000_000];
  const room = Math.max(1_200_000, (to - from) * 0.03);
  Object.assign(view, { from: from - room, to: to + room });
}

// On small screens a whole day is too wide to start with.
export function begin() {
  fit();
  const span = view.to - view.from;
  if (width() < 640 && span > 18_000_000) zoom(14_400_000 / span, bound(view.from, Date.now(), view.to));
}

export function zoom(factor, around = (view.from + view.to) / 2) {
  const span = Math.min(259_200_000, Math.max(900_000, (view.to - view.from) * factor));
  const part = (around - view.from) / (view.to - view.from);
  view.from = around - span * part;
  view.to = view.from + span;
}
export function pan(pixels) {
  const by = (pixels / (width() - headWidth())) * (view.to - view.from);
  view.from += by;
  view.to += by;
}

// The stops of a lane in drawing order: current, or after the previewed move.
export function drawnStops(lane) {
  const move = state.supposed;
  const check = move?.check?.routes?.get(lane.id);
  if (!move || (lane.id !== move.to && lane.id !== move.from)) return timed(lane);
  const home = lanes().find((each) => each.id === move.from);
  const stop = move.ghost ?? home?.stops.find((each) => each.id === move.stop);
  const rest = lane.stops.filter((each) => each.id !== move.stop);
  if (stop && lane.id === move.to) rest.splice(Math.min(move.position - 1, rest.length), 0, stop);
  return timed(lane, rest, check?.times);
}

export function laneAt(y) {
  const at = Math.floor((y - AXIS + scroller.scrollTop) / ROW);
  return lanes()[at] ?? null;
}
export function hit(x, y) {
  const lane = y > AXIS ? laneAt(y) : null;
  if (!lane) return null;
  const found = drawnStops(lane).filter((stop) => stop.from != null && x >= xOf(stop.from) - 5 && x <= Math.max(xOf(stop.to), xOf(stop.from) + 10) + 3);
  return { lane, stop: x > headWidth() ? found.at(-1) ?? null : null };
}
// The position of a stop, from the corner of the timeline.
export function spotOf(lane, stop) {
  const here = drawnStops(lane).find((each) => each.id === stop.id);
  return { x: (xOf(here.from) + Math.max(xOf(here.to), xOf(here.from) + 7)) / 2, y: AXIS + (lanes().indexOf(lane) + 0.5) * ROW - scroller.scrollTop };
}
export function show(lane, stop) {
  const top = lanes().indexOf(lane) * ROW;
  const seen = scroller.clientHeight - FOOT;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + ROW > scroller.scrollTop + seen) scroller.scrollTop = top + ROW - seen;
  if (stop?.from != null && (xOf(stop.from) < headWidth() || xOf(stop.to) > width())) pan(xOf(stop.from) - (headWidth() + width()) / 2);
}

function axis(ink, high) {
  const span = view.to - view.from;
  const step = QUARTERS.find((each) => (each / span) * (width() - headWidth()) > 54) ?? 43_200_000;
  pen.fillStyle = ink.sheet;
  pen.fillRect(0, 0, width(), AXIS);
  pen.strokeStyle = ink.line;
  pen.beginPath(); pen.moveTo(0, AXIS - 0.5); pen.lineTo(width(), AXIS - 0.5); pen.stroke();
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "center";
  for (let at = Math.ceil(view.from / step) * step; at < view.to; at += step) {
    const x = Math.round(xOf(at)) + 0.5;
    if (x < headWidth()) continue;
    pen.strokeStyle = ink.line;
    pen.beginPath(); pen.moveTo(x, AXIS - 6); pen.lineTo(x, high); pen.stroke();
    pen.fillStyle = ink.soft;
    if (x > headWidth() + 18 && x < width() - 18) pen.fillText(clock(at), x, 18);
  }
}

function now(ink, high) {
  const x = xOf(Date.now());
  if (x < headWidth() || x > width()) return;
  pen.strokeStyle = ink.focus;
  pen.lineWidth = 1.5;
  pen.beginPath(); pen.moveTo(x, AXIS - 8); pen.lineTo(x, high); pen.stroke();
  pen.lineWidth = 1;
}

function bar(stop, lane, top, ink) {
  const [x, end] = [xOf(stop.from), Math.max(xOf(stop.to), xOf(stop.from) + 7)];
  if (end < headWidth() || x > width()) return;
  const chosen = stop.id === state.stop || stop.id === state.supposed?.stop;
  const BAR = ROW * 0.54;
  const y = top + (ROW - BAR) / 2;
  const own = ink.routes[lane.colour];
  const colour = stop.failed || stop.late ? ink.bad : own;
  pen.beginPath();
  pen.roundRect(x, y, end - x, BAR, 4);
  pen.globalAlpha = stop.over ? 0.35 : stop.sure ? 1 : 0.6;
  pen.fillStyle = colour;
  pen.fill();
  pen.globalAlpha = 1;
  if (stop.sure) { pen.strokeStyle = ink.sheet; pen.stroke(); }
  if (!stop.sure && !stop.over) { pen.strokeStyle = colour; pen.lineWidth = 1.5; pen.stroke(); pen.lineWidth = 1; }
  if (chosen) { pen.strokeStyle = ink.focus; pen.lineWidth = 3; pen.beginPath(); pen.roundRect(x - 3, y - 3, end - x + 6, BAR + 6, 6); pen.stroke(); pen.lineWidth = 1; }
  if (end - x > 15) { pen.fillStyle = stop.over ? ink.ink : ink.on; pen.textAlign = "center"; pen.font = "600 11px system-ui, sans-serif"; pen.fillText(stop.number, (x + end) / 2, y + BAR / 2 + 4); }
  if (stop.locked) { pen.fillStyle = ink.ink; pen.beginPath(); pen.arc(end - 1, y, 4, 0, 7); pen.fill(); pen.fillStyle = ink.sheet; pen.fillRect(end - 2.5, y - 1, 3, 3); }
}

function promise(stop, top, ink) {
  if (stop.opens == null && stop.closes == null) return;
  const [x, end] = [xOf(stop.opens ?? view.from), xOf(stop.closes ?? view.to)].map((each) => Math.min(width(), Math.max(headWidth(), each)));
  pen.fillStyle = ink.focus;
  pen.fillRect(x, top + ROW - 5, end - x, 3);
}

function row(lane, at, ink) {
  const top = AXIS + at * ROW - scroller.scrollTop;
  const target = state.supposed?.to === lane.id;
  pen.fillStyle = target ? ink["brand-wash"] : lane.id === state.route ? ink.sunk : ink.sheet;
  pen.fillRect(headWidth(), top, width(), ROW);
  pen.strokeStyle = ink.line;
  pen.beginPath(); pen.moveTo(0, top + ROW - 0.5); pen.lineTo(width(), top + ROW - 0.5); pen.stroke();
}

function content(lane, at, ink) {
  const top = AXIS + at * ROW - scroller.scrollTop;
  const stops = drawnStops(lane).filter((stop) => stop.from != null);
  if (!stops.length) return;
  const [from, to] = [lane.starts ?? stops[0].from, stops.reduce((most, stop) => Math.max(most, stop.to), lane.ends ?? 0)];
  pen.fillStyle = ink.routes[lane.colour];
  pen.globalAlpha = 0.3;
  pen.fillRect(Math.max(headWidth(), xOf(Math.min(from, stops[0].from))), top + ROW / 2 - 1.5, Math.max(0, xOf(to) - Math.max(headWidth(), xOf(Math.min(from, stops[0].from)))), 3);
  pen.globalAlpha = 1;
  for (const stop of stops) bar(stop, lane, top, ink);
  const shown = stops.find((stop) => stop.id === (state.supposed?.stop ?? state.stop));
  if (shown) promise(shown, top, ink);
}

function ghost(ink) {
  if (!carried) return;
  const bad = state.supposed?.check && !state.supposed.check.allowed;
  const warn = state.supposed?.check && !state.supposed.check.feasible;
  pen.fillStyle = bad ? ink.bad : warn ? ink.warn : ink.good;
  pen.beginPath(); pen.roundRect(carried.x - 16, carried.y - 14, 32, 28, 7); pen.fill();
  pen.fillStyle = ink.sheet; pen.font = "700 15px system-ui, sans-serif"; pen.textAlign = "center";
  pen.fillText(bad ? "✕" : warn ? "!" : state.supposed?.check ? "✓" : "…", carried.x, carried.y + 5);
}

function label(lane, at) {
  const head = document.createElement("div");
  const wrong = findingsOf(lane).length > 0 || timed(lane).some((stop) => stop.late && !stop.over);
  Object.assign(head, { id: `lane-${at}`, className: `head route-${lane.colour}` });
  head.setAttribute("role", "option");
  head.setAttribute("aria-selected", String(lane.id === state.route));
  head.setAttribute("aria-posinset", at + 1);
  head.setAttribute("aria-setsize", lanes().length);
  head.style.transform = `translateY(${at * ROW}px)`;
  const stops = say("stops_count", { count: lane.stops.length });
  const [driver, tall] = [lane.driver ?? say("nobody"), lane.vehicle && ROW >= LEAST_TALL];
  head.classList.toggle("tall", Boolean(tall));
  for (const [kind, parts] of [["strong", [lane.title]], ...(tall ? [["span", [driver]], ["span", [lane.vehicle, stops]]] : [["span", [driver, stops]]])]) {
    const line = document.createElement(kind);
    line.textContent = line.title = parts.join(" · ");
    head.append(line);
  }
  for (const [is, sign, word] of [[wrong, "!", "broken"], [lane.locked, "", "locked"], [lane.published === false, "", "unpublished"]]) {
    if (!is) continue;
    const mark = document.createElement("i");
    Object.assign(mark, { className: word, textContent: sign, title: say(word) });
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", say(word));
    head.append(mark);
  }
  return head;
}

export function draw() {
  if (view.from == null) return;
  const ratio = devicePixelRatio || 1;
  const high = box.clientHeight;
  if (canvas.width !== width() * ratio || canvas.height !== high * ratio) Object.assign(canvas, { width: width() * ratio, height: high * ratio });
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const ink = tokens();
  pen.fillStyle = ink.sunk;
  pen.fillRect(0, 0, width(), high);
  ROW = Math.round(bound(LEAST_ROW, (high - AXIS - FOOT) / Math.max(1, lanes().length), MOST_ROW));
  heads.style.setProperty("--row", `${ROW}px`);
  document.getElementById("spacer").style.height = `${lanes().length * ROW + FOOT}px`;
  const first = Math.max(0, Math.floor(scroller.scrollTop / ROW));
  const seen = lanes().slice(first, first + Math.ceil(high / ROW) + 1);
  seen.forEach((lane, at) => row(lane, first + at, ink));
  axis(ink, high);
  pen.save();
  pen.beginPath(); pen.rect(headWidth(), AXIS, width(), high); pen.clip();
  seen.forEach((lane, at) => content(lane, first + at, ink));
  now(ink, high);
  pen.restore();
  ghost(ink);
  heads.replaceChildren(...seen.map((lane, at) => label(lane, first + at)));
  const here = lanes().findIndex((lane) => lane.id === (state.supposed?.to ?? state.route));
  if (here >= first && here < first + seen.length) scroller.setAttribute("aria-activedescendant", `lane-${here}`);
  else scroller.removeAttribute("aria-activedescendant");
}

watch(draw);
scroller.addEventListener("scroll", draw, { passive: true });
new ResizeObserver(draw).observe(box);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
