// Drivers and new routes: a form in a dialog, and a choice beside the selected lane.
import { ask } from "./dispatch-ask.js";
import { fit } from "./dispatch-gantt.js";
import { driveBy, toast } from "./dispatch-change.js";
import { laneOf, load, say, select, selected, state, watch } from "./dispatch-state.js";

const dialog = document.getElementById("ask-route");
const form = document.getElementById("route-form");
const driver = document.getElementById("driver");
let before = "";

const option = (value, text) => new Option(text, value);
const people = () => [option("", say("nobody")), ...state.drivers.map((each) => option(each.id, each.name))];

export function askRoute() {
  const { lane } = selected();
  const open = [...state.depots.values()].filter((depot) => !depot.closed);
  form.elements.depot.replaceChildren(...open.map((depot) => option(depot.id, depot.name)));
  if (open.some((depot) => depot.id === lane?.depotId)) form.elements.depot.value = String(lane.depotId);
  form.elements.who.replaceChildren(...people());
  dialog.showModal();
}

async function makeRoute() {
  const { name, depot, who } = form.elements;
  const asked = { day: state.day, depot_id: Number(depot.value), ...(name.value ? { name: name.value } : {}), ...(who.value ? { driver_id: Number(who.value) } : {}) };
  try {
    const { route } = await ask("create_route", asked);
    await load();
    fit();
    select(route.id);
    toast(say("route_made", { route: laneOf(route.id)?.title ?? "" }));
    form.reset();
  } catch (fault) {
    toast(fault.message);
  }
}

// Redraw the choice only if drivers or lane differ, so that an open list does not close.
function drawDriver() {
  const { lane, stop } = selected();
  const may = Boolean(lane && !stop && !state.supposed && !state.preview && lane.may.has("assign_driver"));
  driver.parentElement.hidden = !may;
  if (!may) return;
  const now = JSON.stringify([lane.id, lane.driverId, state.drivers.map((each) => [each.id, each.name])]);
  if (now === before) return;
  before = now;
  const all = people();
  if (lane.driverId && !state.drivers.some((each) => each.id === lane.driverId)) all.push(option(lane.driverId, lane.driver));
  driver.replaceChildren(...all);
  driver.value = String(lane.driverId ?? "");
}

document.getElementById("new-route").addEventListener("click", askRoute);
form.addEventListener("submit", (event) => { if (event.submitter?.value === "go") makeRoute(); });
driver.addEventListener("change", () => {
  const { lane } = selected();
  if (lane) driveBy(lane, driver.value ? Number(driver.value) : null);
});
watch(drawDriver);
