// A locker site: its lockers by compartment, and the actions of a compartment.
import { ask, follow, moment, page, Refused, say } from "./locker-page.js";
import { el } from "./page-parts.js";

const $ = (id) => document.getElementById(id);
const DOOR_MS = 1_000, DOOR_TRIES = 40, SILENT_MS = 5 * 60_000;
const FAULTS = ["door_stuck", "opened_offline"]; // state of a compartment reported by the locker; everything else is entered by users
const STATES = ["free", "let", "reserved", "occupied", "expired", "faulty", "disabled"];
const OVER = new Set(["done", "failed", "expired"]);
const site_id = Number(page.site);
let site = null, boxes = new Map(), parcels = new Map(), devices = new Map(), alarms = [], chosen = null, drawn = "";

const parcelOf = (box) => parcels.get(box.parcel_id);
function stateOf(box) {
  if (box.state !== "ready") return box.state;
  if (!box.parcel_id) return box.lease_id ? "let" : "free";
  const status = parcelOf(box)?.status;
  return status === "reserved" ? "reserved" : status === "expired" ? "expired" : "occupied";
}
const cabinetOf = (box) => site.cabinets.find((each) => each.id === box.cabinet_id);
const nameOf = (box) => `${cabinetOf(box)?.code}-${box.number}`;

function boxButton(box) {
  const state = stateOf(box);
  const told = [say("box", { box: nameOf(box) }), say(`state_${state}`), say("size", { size: box.size.toUpperCase() }), box.low && say("low"), box.door_open && say("door_open")];
  return el("li", { class: `size-${box.size}` },
    el("button", { type: "button", class: `${state}${box.door_open ? " is-open" : ""}`, "data-box": box.id, "aria-label": told.filter(Boolean).join(", "), onclick: () => choose(box.id) },
      el("strong", {}, String(box.number)), el("span", {}, say(`state_${state}`)), box.low && el("span", { "aria-hidden": "true" }, "♿")));
}

function deviceLine(cabinet) {
  const device = devices.get(cabinet.device_id);
  if (!device) return [say("no_device"), "bad"];
  const silent = !device.last_seen_at || Date.now() - Date.parse(device.last_seen_at) > SILENT_MS;
  return [device.last_seen_at ? say("seen", { at: moment(device.last_seen_at) }) : say("never_seen"), silent ? "bad" : "good"];
}

const alarmBadges = (cabinet) => alarms.filter((each) => each.device_id === cabinet.device_id).flatMap((each) => [" ", el("span", { class: "badge bad" }, say(`alarm_${each.kind}`, { pct: each.battery_pct }))]);

function draw() {
  const now = JSON.stringify([site, alarms, [...boxes.values()], [...parcels.values()].map((each) => [each.id, each.status]), [...devices.values()].map((each) => [each.id, each.status, each.last_seen_at])]);
  if (now === drawn) return;
  drawn = now;
  const at = document.activeElement?.dataset?.box;
  $("name").textContent = document.title = site.name;
  $("where").textContent = [site.address, site.open_now ? say("open_now") : say("closed_now"), site.retired && say("retired")].filter(Boolean).join(" · ");
  const sums = Object.fromEntries(STATES.map((state) => [state, 0]));
  for (const box of boxes.values()) sums[stateOf(box)] += 1;
  for (const state of STATES) $(`sum-${state}`).textContent = sums[state];
  const fronts = site.cabinets.map((cabinet) => {
    const [told, mood] = deviceLine(cabinet);
    const own = [...boxes.values()].filter((box) => box.cabinet_id === cabinet.id);
    return el("section", { class: "cabinet", "aria-labelledby": `cabinet-${cabinet.id}` },
      el("h2", { id: `cabinet-${cabinet.id}` }, say("cabinet", { code: cabinet.code }), el("span", { class: `badge ${mood}` }, told), cabinet.retired && el("span", { class: "badge" }, say("retired"))),
      el("div", { class: "cabinet-front", role: "group", "aria-label": say("cabinet", { code: cabinet.code }) }, el("ul", { class: "cabinet-boxes" }, own.map(boxButton))));
  });
  $("cabinets").replaceChildren(...(fronts.length ? fronts : [el("p", { class: "notice" }, say("no_cabinets"), " ", el("a", { href: `/desk/act/add_locker_cabinet?site_id=${site_id}` }, say("add_cabinet")))]));
  $("devices").replaceChildren(...site.cabinets.map((cabinet) => {
    const [told, mood] = deviceLine(cabinet);
    const name = devices.get(cabinet.device_id)?.name;
    return el("li", {}, el("strong", {}, say("cabinet", { code: cabinet.code })), " ", name && el("a", { href: `/desk/devices/${cabinet.device_id}` }, name), " ", el("span", { class: `badge ${mood}` }, told), ...alarmBadges(cabinet));
  }));
  if (at) document.querySelector(`[data-box="${at}"]`)?.focus({ preventScroll: true });
  if (chosen) tell();
}

const byId = (records) => new Map(records.map((each) => [each.id, each]));
function take(told) {
  site = told.site;
  boxes = byId(told.boxes);
  parcels = byId(told.parcels);
  devices = byId(told.devices);
  alarms = told.alarms;
  draw();
  const none = () => el("li", { class: "soft" }, say("nothing"));
  const items = told.soon.map((each) => el("li", {}, el("a", { href: `/desk/locker-parcels/${each.locker_parcel_id}` }, `${each.cabinet}-${each.box}`), " ", say("until", { at: moment(each.until) }), " ", el("span", { class: "badge warn" }, say(`status_${each.status}`))));
  list("soon", items.length ? items : [none()]);
  const shown = told.screens.map((each) => el("li", {}, el("strong", {}, each.name), " ", each.last_seen_at ? say("seen", { at: moment(each.last_seen_at) }) : say("never_seen")));
  list("screens", shown.length ? shown : [none()]);
}

// Redraw a list only if its text differs: a user may be about to press a link in it.
function list(id, items) {
  const now = items.map((each) => each.outerHTML).join("");
  if ($(id).dataset.said === now) return;
  $(id).dataset.said = now;
  $(id).replaceChildren(...items);
}

function tell() {
  const box = boxes.get(chosen);
  if (!box) return;
  const state = stateOf(box), parcel = parcelOf(box);
  $("box-title").textContent = say("box", { box: nameOf(box) });
  $("box-state").replaceChildren(el("span", { class: `badge ${{ free: "good", let: "info", occupied: "info", reserved: "info", expired: "warn", faulty: "bad" }[state] ?? ""}` }, say(`state_${state}`)), ` ${FAULTS.includes(box.fault) ? say(`fault_${box.fault}`) : box.fault ?? ""}`);
  const facts = [
    [say("size_of"), box.size.toUpperCase() + (box.low ? ` · ${say("low")}` : "")],
    [say("door"), box.door_open == null ? say("door_unknown") : box.door_open ? say("door_open") : say("door_shut")],
    ...(box.lease_id ? [[say("lease"), el("a", { href: `/desk/locker-leases/${box.lease_id}` }, String(box.lease_id))]] : []),
    ...(parcel ? [[say("parcel"), el("a", { href: `/desk/locker-parcels/${parcel.id}` }, parcel.reference ?? String(parcel.id))], [say("until_of"), moment(parcel.until)]] : []),
  ];
  $("box-facts").replaceChildren(...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  for (const button of $("use").querySelectorAll("button")) button.hidden = button.value === box.state;
}

function choose(id) {
  chosen = id;
  for (const form of [$("open"), $("use")]) form.reset();
  $("open-said").textContent = $("use-said").textContent = "";
  $("fault").value = boxes.get(id)?.fault ?? "";
  tell();
  $("box").showModal();
}

async function act(form, said, work) {
  const buttons = [...form.querySelectorAll("button")];
  for (const each of buttons) each.disabled = true;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    said.textContent = error.message;
  } finally {
    for (const each of buttons) each.disabled = false;
  }
}

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
async function followDoor(command) {
  for (let tries = 0; tries < DOOR_TRIES; tries += 1) {
    const { commands } = await ask("list_device_commands", { device_id: command.device_id, per_page: 20 });
    const now = commands.find((each) => each.id === command.id);
    if (now && OVER.has(now.status)) return now.status;
    await wait(DOOR_MS);
  }
  return "expired";
}

$("open").addEventListener("submit", (event) => {
  event.preventDefault();
  const box = boxes.get(chosen), said = $("open-said");
  act($("open"), said, async () => {
    said.textContent = say("opening");
    const { command } = await ask("open_locker_box", { box_id: box.id, reason: $("reason").value });
    const ended = await followDoor(command);
    said.textContent = say(`opened_${ended}`);
    if (ended === "done") $("open").reset();
  });
});
$("use").addEventListener("submit", (event) => {
  event.preventDefault();
  const state = event.submitter?.value ?? "faulty", fault = $("fault").value.trim();
  act($("use"), $("use-said"), async () => {
    const { box } = await ask("update_locker_box", { box_id: chosen, state, ...(state !== "ready" && fault ? { fault } : {}) });
    boxes.set(box.id, box);
    draw();
    $("use-said").textContent = say("is_now", { state: say(`state_${stateOf(box)}`) });
    if (state === "ready") $("fault").value = "";
  });
});
$("box").addEventListener("close", () => {
  const at = chosen;
  chosen = null;
  document.querySelector(`[data-box="${at}"]`)?.focus();
});
await follow(`/desk/lockers/${site_id}/stream`, take, (text) => {
  drawn = "";
  $("where").textContent = text;
});
