// Route building: start, progress, preview on map and timeline, commit or discard.
import { ask } from "./dispatch-ask.js";
import { fit, view } from "./dispatch-gantt.js";
import { fitMap } from "./dispatch-map.js";
import { toast } from "./dispatch-change.js";
import { showLeft } from "./dispatch-left.js";
import { changed, colourOf, load, loadWaiting, say, select, state } from "./dispatch-state.js";

const by = (id) => document.getElementById(id);
const panel = by("building");
const [progress, told, score] = [by("build-progress"), by("build-state"), by("build-score")];
const OVER = new Set(["done", "cancelled", "failed"]);
let build = null; // { id, began, seconds, over }
let stream = null;
let looking = null;

function lane(route) {
  const id = `plan-${route.driver_id}`;
  const ms = (text) => Date.parse(text);
  const stops = route.stops.map((stop) => ({
    id: `${id}-${stop.order_id}-${stop.kind}`, ref: String(stop.order_id), address: say("order_number", { count: stop.order_id }), kind: stop.kind, status: "planned",
    locked: false, over: false, failed: false, lat: stop.lat, lng: stop.lng, opens: null, closes: null, lateS: stop.late_s,
    service: 60_000, arrival: ms(stop.start_at), departure: ms(stop.departure_at), arrived: null, ended: null,
  }));
  return { id, title: route.driver_name ?? id, driver: route.vehicle_name ?? say("plan"), status: "draft", mode: route.travel_mode, depotId: route.depot_id, locked: false, published: null,
    may: new Set(), colour: colourOf(id), stops, starts: ms(route.start_at), ends: ms(route.end_at), mark: `${stops.length}-${route.end_at}` };
}

function numbers(sums) {
  if (!sums) return "";
  return [say("score_cost", { count: Math.round(sums.price).toLocaleString(state.language) }), say("score_km", { km: Math.round(sums.distance_m / 1000) }), say("score_vehicles", { vehicles: sums.vehicles }),
    say("score_unassigned", { count: sums.unassigned })].join(" · ");
}

async function look() {
  if (looking) { looking = "again"; return; }
  looking = "once";
  const { build: found } = await ask("get_route_build", { build_id: build.id });
  const first = !state.preview;
  if (build && found.routes.length) {
    state.preview = found.routes.map(lane);
    if (first) { select(state.preview[0].id); fitMap(); }
    if (first || state.preview.some((each) => each.ends > view.to)) fit();
    changed();
  }
  score.textContent = numbers(found.score);
  if (build) {
    showLeft(found.unassigned);
    build.empty = found.routes.length === 0;
    offer();
  }
  if (found.fault) toast(found.fault.message);
  const again = looking === "again";
  looking = null;
  if (again && build) look();
}

function tick() {
  if (!build || build.over) return;
  progress.value = Math.min(0.98, (Date.now() - build.began) / (build.seconds * 1000));
  setTimeout(tick, 200);
}

function over(state_) {
  build.over = true;
  stream?.close();
  progress.value = 1;
  told.textContent = say(`build_is_${state_}`);
  build.failed = state_ === "failed";
  offer();
}

// Available actions for the build. A plan without routes cannot be committed.
function offer() {
  by("build-cancel").hidden = build.over;
  by("build-discard").hidden = !build.over;
  by("build-commit").hidden = !build.over || build.failed || build.empty;
}

function hear(event) {
  if (!event.data || !build) return;
  const step = JSON.parse(event.data);
  score.textContent = numbers(step.score) || score.textContent;
  look().catch((fault) => toast(fault.message));
  if (OVER.has(step.state)) over(step.state);
}

async function start(form) {
  const seconds = Number(form.seconds.value);
  const asked = { day: state.day, current: form.current.value, time_budget_s: seconds, late_minutes_max: Number(form.late.value) };
  try {
    const { build: begun } = await ask("build_route", asked);
    build = { id: begun.id, began: Date.now(), seconds, over: false, failed: false, empty: true };
    panel.hidden = false;
    told.textContent = say("build_is_running");
    score.textContent = "";
    showLeft([]);
    offer();
    stream = new EventSource(`/dispatch/builds/${begun.id}/stream`);
    stream.onmessage = hear;
    tick();
    if (OVER.has(begun.state)) { over(begun.state); await look(); }
  } catch (fault) {
    toast(fault.message);
  }
}

async function leave() {
  stream?.close();
  build = null;
  state.preview = null;
  panel.hidden = true;
  await Promise.all([load(), loadWaiting()]);
  fit();
  fitMap();
  by("lanes").focus();
}

by("build").addEventListener("click", () => { if (!build) by("ask-build").showModal(); });
by("ask-build").addEventListener("close", () => { if (by("ask-build").returnValue === "go") start(by("build-form")); });
by("build-cancel").addEventListener("click", () => ask("cancel_route_build", { build_id: build.id }).catch((fault) => toast(fault.message)));
by("build-discard").addEventListener("click", leave);
by("build-commit").addEventListener("click", async () => {
  by("build-commit").disabled = true;
  try {
    await ask("commit_route_build", { build_id: build.id });
    await leave();
    toast(say("committed"));
  } catch (fault) {
    toast(fault.message);
  }
  by("build-commit").disabled = false;
});
export const building = () => build !== null;
