// The page of a screen at a locker site: start tiles, a code, a door. It stores its own key and no personal data.
import { el, fill } from "./page-parts.js";
import { kioskShop } from "./kiosk-shop.js";

const words = JSON.parse(document.getElementById("words").textContent);
const say = (id, values = {}) => fill(words[id] ?? id, values);
const $ = (id) => document.getElementById(id);
const KEY = "locker-screen-key", LANGUAGE = "locker-screen-language";
const IDLE_MS = 60_000, PAYING_MS = 300_000, WARN_MS = 20_000, LOOK_MS = 10_000, DOOR_MS = 1_000;
const still = $("still");
let key = localStorage.getItem(KEY), step = "", offer = "", courier = "", door = null, idleSince = Date.now(), busy = false, known = null;

const given = new URLSearchParams(location.hash.slice(1)).get("key");
if (given) {
  key = given;
  localStorage.setItem(KEY, key);
  history.replaceState(null, "", location.pathname + location.search);
}
// The installer chooses the language; visitors change it until they leave.
if (given || !localStorage.getItem(LANGUAGE)) localStorage.setItem(LANGUAGE, document.documentElement.lang);

async function ask(operation, values, shown = { screen_key: key }) {
  let answer;
  try {
    answer = await fetch(`/kiosk/ask/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...shown, ...values }),
    });
  } catch {
    $("offline").hidden = false;
    return null;
  }
  $("offline").hidden = answer.status < 500;
  if (answer.status >= 500) return null;
  const body = await answer.json();
  if (answer.status === 401) return forget(body.message);
  return { ok: answer.ok, body };
}

function forget(why) {
  localStorage.removeItem(KEY);
  key = null;
  $("setup-said").textContent = why;
  show("setup");
  return null;
}

function show(name) {
  step = name;
  for (const each of document.querySelectorAll("main > section")) each.hidden = each.id !== `step-${name}`;
  $("said").textContent = "";
  const field = name === "code" ? $("code") : name === "setup" ? $("key") : document.querySelector(`#step-${name} h1`);
  field.focus();
  if (name === "start") document.title = words.title;
}

function start() {
  offer = courier = "";
  shop.leave();
  door = null;
  $("code").value = "";
  $("errands").replaceChildren();
  for (const name of ["large", "contrast", "low"]) press($(name), false);
  if (still.open) still.close();
  const own = localStorage.getItem(LANGUAGE);
  if (own && own !== document.documentElement.lang) location.replace(`/kiosk?lang=${own}`);
  else show("start");
}

const LARGE = { large: "data-large", contrast: "data-contrast" };
function press(button, on) {
  button.setAttribute("aria-pressed", String(on));
  if (LARGE[button.id]) document.body.toggleAttribute(LARGE[button.id], on);
}
for (const name of ["large", "contrast", "low"]) {
  $(name).addEventListener("click", ({ currentTarget }) => press(currentTarget, currentTarget.getAttribute("aria-pressed") !== "true"));
}

function paint(state) {
  const now = JSON.stringify([state.site, state.business, state.open_now, state.free, state.offers, state.silent_cabinets]);
  if (now === known) return;
  known = now;
  $("site").textContent = state.site;
  $("facts").hidden = false;
  $("hours").textContent = state.open_now ? say("open_now") : say("closed_now");
  $("free").textContent = say("free", { count: state.free.reduce((sum, each) => sum + each.free, 0) });
  $("closed").hidden = state.open_now;
  $("silent").hidden = !state.silent_cabinets.length;
  $("silent").textContent = say("silent", { cabinets: state.silent_cabinets.join(", ") });
  for (const tile of document.querySelectorAll("[data-offer]")) tile.hidden = !state.offers.includes(tile.dataset.offer);
  $("main").dataset.business = state.business;
}

async function look() {
  if (!key) return;
  const told = await ask("show_locker_screen", {});
  if (told?.ok) {
    paint(told.body);
    if (!step || step === "setup") show("start");
  } else if (told && step !== "setup") {
    forget(told.body.message);
  }
}

async function enter(code, parcel) {
  if (busy || !code) return;
  busy = true;
  $("go").disabled = true;
  const low = $("low").getAttribute("aria-pressed") === "true";
  const told = await ask("enter_locker_code", { code, low, ...(parcel ? { locker_parcel_id: parcel } : {}) });
  busy = false;
  $("go").disabled = false;
  if (!told) {
    if (key && step === "code") $("said").textContent = words.offline;
    return;
  }
  const verdict = told.body;
  if (!told.ok) refuse(verdict.message);
  else if (verdict.door) watchDoor(verdict.door, verdict.errands.length > 0 || parcel ? code : "");
  else if (verdict.accepted) listErrands(code, verdict.errands);
  else refuse(verdict.rests_until ? words.rests : say("wrong", { left: verdict.tries_left }));
}

function refuse(message) {
  $("code").value = "";
  if (step !== "code") show("code");
  $("said").textContent = message;
  $("code").focus();
}

function listErrands(code, errands) {
  courier = code;
  $("code").value = "";
  $("no-errands").hidden = errands.length > 0;
  $("errands").replaceChildren(...errands.map((each) =>
    el("li", {}, el("button", { type: "button", class: "plain", onclick: () => enter(courier, each.locker_parcel_id) },
      el("strong", {}, say(`act_${each.act}`, { box: `${each.cabinet}-${each.box}` })),
      el("span", {}, each.reference ?? (each.order_id ? say("order", { id: each.order_id }) : ""))))));
  show("errands");
}

const OVER = new Set(["done", "failed", "expired"]);
function watchDoor(opened, ofCourier) {
  courier = ofCourier;
  $("code").value = "";
  door = opened;
  paintDoor();
  show("door");
}

function paintDoor() {
  const box = `${door.cabinet}-${door.box}`;
  const { status, purpose } = door;
  $("box").textContent = box;
  $("box").className = `kiosk-box ${status === "done" ? "open" : OVER.has(status) ? "stuck" : ""}`;
  const title = status === "done" ? "door_open" : OVER.has(status) ? "door_stuck" : "door_opens";
  $("door-title").textContent = document.title = say(title, { box });
  const told = status === "done" ? `then_${purpose}` : status === "failed" && purpose === "deposit" ? "another" : OVER.has(status) ? "ask_business" : "wait";
  $("door-said").textContent = say(told, { business: $("main").dataset.business ?? "" }) + (status === "done" && door.low ? ` ${words.is_low}` : "");
  const on = $("door-on");
  on.hidden = !OVER.has(status);
  on.textContent = courier ? words.next : status === "failed" && purpose === "deposit" ? words.again : words.finish;
}

$("door-on").addEventListener("click", () => {
  const again = door.status === "failed" && door.purpose === "deposit";
  if (courier) enter(courier);
  else if (again) show("code");
  else start();
});

async function followDoor() {
  if (step !== "door" || !door || OVER.has(door.status)) return;
  const told = await ask("show_locker_screen", { command_id: door.command_id });
  if (told?.ok && told.body.door && step === "door" && told.body.door.status !== door.status) {
    door = told.body.door;
    paintDoor();
    if (OVER.has(door.status) && document.activeElement === $("door-title")) $("door-on").focus();
  }
}

const shop = kioskShop({ ask, say, words, show, start, step: () => step });
for (const tile of document.querySelectorAll("[data-offer]")) {
  tile.addEventListener("click", () => {
    if (tile.dataset.step === "goods") return shop.open();
    offer = tile.dataset.offer;
    $("code-how").textContent = say(`code_${offer}`);
    $("code").value = "";
    return show(tile.dataset.step);
  });
}
for (const each of document.querySelectorAll("[data-digit]")) {
  each.addEventListener("click", () => {
    $("code").value += each.dataset.digit;
    $("said").textContent = "";
  });
}
$("erase").addEventListener("click", () => ($("code").value = $("code").value.slice(0, -1)));
$("enter").addEventListener("submit", (event) => { event.preventDefault(); enter($("code").value.replace(/\s/g, "")); });
$("setup").addEventListener("submit", (event) => {
  event.preventDefault();
  key = $("key").value.trim();
  localStorage.setItem(KEY, key);
  localStorage.setItem(LANGUAGE, document.documentElement.lang);
  $("key").value = "";
  look();
});
for (const each of document.querySelectorAll("[data-back]")) each.addEventListener("click", start);
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !still.open && step !== "setup") start(); });

// Without input the screen asks, then returns to the start and clears everything. While a door moves, it waits.
for (const act of ["pointerdown", "keydown"]) {
  document.addEventListener(act, () => { idleSince = Date.now(); if (still.open) still.close(); }, { capture: true });
}
setInterval(() => {
  const idle = Date.now() - idleSince;
  const away = step === "start" && document.documentElement.lang === localStorage.getItem(LANGUAGE) && !document.querySelector('[aria-pressed="true"]');
  if (away || step === "setup" || !step || (step === "door" && door && !OVER.has(door.status)) || shop.doorMoves()) return;
  const patience = step === "pay" ? PAYING_MS : IDLE_MS;
  if (idle >= patience + WARN_MS) start();
  else if (idle >= patience && !still.open) still.showModal();
}, 1_000);
setInterval(look, LOOK_MS);
setInterval(followDoor, DOOR_MS);
addEventListener("offline", () => ($("offline").hidden = false));
addEventListener("online", look);

if (key) look();
else show("setup");
