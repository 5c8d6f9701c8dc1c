// The driver app. Entries are written to the phone's own database first; the server's response comes later.
import { makeCodes } from "./go-codes.js";
import { atLockers, mergeDay, withEvents } from "./go-day.js";
import { showDay } from "./go-list.js";
import { showBoard, showMoney, showOffers } from "./go-more.js";
import { makeScanForm } from "./go-scan.js";
import { makeSender } from "./go-send.js";
import { showStop } from "./go-stop.js";
import { makeStore } from "./go-store.js";
import { makeWhereabouts } from "./go-where.js";
import { openQueue } from "./device-queue.js";
import { makeCaller, Unanswered } from "./page-calls.js";
import { keepForOffline } from "./page-offline.js";
import { el, fill } from "./page-parts.js";
import { uniqueKey } from "./unique-key.js";

const UNDO_MS = 5000;
const LOOK_AGAIN_MS = 30_000;
const CAN_BE_UNDONE = new Set(["pick_up", "deliver", "fail", "decline"]);
const find = (id) => document.getElementById(id);
const words = JSON.parse(find("words").textContent);
const { csrf, user } = find("go").dataset;
const store = makeStore(user);
const queue = await openQueue("go", user);
const ask = makeCaller("go", csrf);
const sender = makeSender({ queue, ask, onReceipt, onUploadRefused, onLine, again: () => flush() });
const whereabouts = makeWhereabouts(ask);
const codes = makeCodes(user, ask);
let waiting = [];
let asked = false; // true after the first response since the page was opened

const app = {
  words,
  store,
  codes,
  ask,
  day,
  record,
  keepPictures,
  dismiss(id) {
    store.dismiss(id);
    show();
  },
  refresh,
  show,
  tell,
  position: whereabouts.position,
  here,
  scanForm: (route, stop) => makeScanForm(app, route, stop),
};

// The day with all entries of the driver, sent or not.
function day() {
  const unsent = waiting.filter((entry) => entry.event).map((entry) => entry.event);
  return store.kept.day && withEvents(store.kept.day, [...store.events(), ...unsent]);
}

function onLine(status) {
  const said = status === 0 ? "online" : status === 401 || status === 403 ? "sign_in" : "offline";
  find("line").textContent = words[said];
  find("line").className = `badge ${said === "online" ? "good" : "warn"}`;
}

function onReceipt(event, receipt) {
  const known = event ?? store.kept.told.find((each) => each.event.id === receipt.id)?.event;
  if (known) store.tell(known, { status: receipt.status, message: receipt.message });
}

function onUploadRefused(upload, message) {
  store.tell({ id: upload.upload_id, kind: "upload", stop_id: upload.stop_id }, { status: "refused", message });
}

// Calls an operation that needs a network; null without one or after a refusal, which the page shows.
async function tell(operation, values) {
  try {
    const { ok, body } = await ask(operation, values);
    onLine(0);
    if (!ok) toast(body.message);
    return ok ? body : null;
  } catch (error) {
    onLine(error.status || -1);
    toast(words.needs_network);
    return null;
  }
}

async function refresh() {
  const known = store.kept.day;
  try {
    const { ok, body } = await ask("get_rider_day", known ? { changed_since: known.cursor } : {});
    asked = true;
    if (!ok) return toast(body.message), show();
    onLine(0);
    store.set({ day: mergeDay(known, body), asked_at: Date.now() });
    store.settle();
    await settleLockers();
    if (!store.kept.reasons.length) {
      const reasons = await ask("list_return_reasons", {});
      if (reasons.ok) store.set({ reasons: reasons.body.reasons });
    }
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    asked = true;
    onLine(error.status || -1);
  }
  show();
}

async function flush() {
  if (await sender.flush()) await refresh();
  await readQueue();
  showWaiting();
}

const readQueue = async () => (waiting = await queue.list());

function showWaiting() {
  find("waiting").textContent = waiting.length ? fill(words.waiting, { count: waiting.length }) : words.nothing_waits;
}

// Stores the pictures of a stop before the event that they prove. Returns their names.
async function keepPictures(stop, pictures) {
  const names = [];
  for (const picture of pictures) {
    const [head, content] = picture.split(",");
    const upload_id = uniqueKey();
    const upload = { stop_id: stop.id, upload_id, media_type: head.slice(5).split(";")[0] };
    await queue.add({ upload, held_until: Date.now() + UNDO_MS }, content);
    names.push(upload_id);
  }
  return names;
}

// Time and place of a button press, taken before the pictures, which take a while to store.
function here(route, stop, kind) {
  return { kind, route_id: route.id, stop_id: stop.id, occurred_at: new Date().toISOString(), ...whereabouts.position() };
}

// Reports that a locker has confirmed are removed; codes are fetched while there is a network.
async function settleLockers() {
  for (const { route, stop } of atLockers(day(), true)) {
    const occurred_at = codes.putInAt(stop);
    if (!occurred_at) continue;
    codes.sayPutIn(stop, undefined);
    await record({ ...here(route, stop, "deliver"), occurred_at });
  }
  codes.prune(day());
  await codes.fetchMissing(store.kept.day);
}

// Stores an entry of the driver. `uploads` is the number of pictures stored just before.
async function record(event, uploads = 0, { quiet = false } = {}) {
  const last = store.kept.last;
  const whole = { id: uniqueKey(), occurred_at: new Date().toISOString(), ...event };
  const before = store.before();
  if (before) whole.after = before;
  const undoable = CAN_BE_UNDONE.has(event.kind);
  const n = await queue.add({ event: whole, ...(undoable ? { held_until: Date.now() + UNDO_MS } : {}) });
  store.set({ last: { id: whole.id, at: Date.now() } });
  await readQueue();
  show();
  document.querySelector(".toast.undo")?.remove();
  if (undoable) offerUndo(whole, n, uploads, last);
  else if (!quiet) toast(words[`did_${event.kind}`]);
  flush();
  if (undoable) setTimeout(flush, UNDO_MS + 100);
}

function offerUndo(event, n, uploads, last) {
  const undo = async () => {
    made.remove();
    for (let at = n - uploads; at <= n; at += 1) await queue.remove(at);
    store.set({ last });
    await readQueue();
    location.hash = event.stop_id ? `#stop-${event.stop_id}` : "#day";
    show();
  };
  const made = toast(words[`did_${event.kind}`], el("button", { type: "button", class: "plain", onclick: undo }, words.undo));
  made.classList.add("undo");
}

function toast(text, act) {
  const made = el("div", { class: "toast", role: "status" }, text, act ? " " : "", act);
  find("toasts").replaceChildren(made);
  setTimeout(() => made.remove(), UNDO_MS);
  return made;
}

let shown = null;
let known = false; // true if shown with a day
let cashTyped = false; // the field starts with the amount due
find("view").addEventListener("input", ({ target }) => (cashTyped ||= target.name === "cash"));
function show() {
  const today = day();
  const [name, id] = (location.hash.slice(1) || "day").split("-");
  showWaiting();
  whereabouts.watch(today?.routes.some(({ route }) => route.status === "started"));
  for (const tab of document.querySelectorAll("#tabs a")) {
    if (tab.hash === `#${name}` || (name === "stop" && tab.hash === "#day")) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  const again = shown === location.hash && known === Boolean(today);
  // Updates do not replace forms that are being filled in, or lists that update themselves.
  if (again && today && (name in OWN || isFilledIn() || cashTyped)) return find("view").dispatchEvent(new Event("news"));
  shown = location.hash;
  known = Boolean(today);
  cashTyped = false;
  const focused = again && document.activeElement.id;
  const unfolded = again ? [...find("view").querySelectorAll("details[id][open]")].map((each) => each.id) : [];
  find("view").replaceChildren(...view(today, name, Number(id)).flat().filter(Boolean));
  for (const each of unfolded) find(each)?.setAttribute("open", "");
  if (focused) find(focused)?.focus();
  if (!again) window.scrollTo(0, 0);
}

const FILLED_IN = "input:not([name=cash], [type=checkbox]), textarea";
const isFilledIn = () =>
  [...find("view").querySelectorAll(FILLED_IN)].some((field) => field.value) ||
  find("view").querySelector(".pictures > *, input:checked, .signature.drawn, video:not([hidden])") !== null;

const OWN = { map: openMap, offers: showOffers, board: showBoard, money: showMoney };

// The map is loaded on first use, so that the day loads fast.
function openMap() {
  const place = el("div", {}, el("p", { class: "soft", role: "status" }, words.map_loading));
  import("./go-map.js").then(
    ({ showMap }) => place.isConnected && place.replaceWith(...showMap(app)),
    () => place.replaceChildren(el("p", { class: "empty" }, words.map_needs_network)),
  );
  return [place];
}

function view(today, name, id) {
  if (name in OWN && today) return OWN[name](app, today);
  if (!today) return [asked ? el("p", { class: "empty" }, words.no_day) : el("p", { class: "empty", role: "status" }, words.loading)];
  const each = today.routes.find(({ route }) => route.stops.some((stop) => stop.id === id));
  if (name === "stop" && each) return showStop(app, each, each.route.stops.find((stop) => stop.id === id));
  return showDay(app, today);
}

addEventListener("hashchange", show);
addEventListener("online", async () => {
  await flush();
  refresh();
});
document.addEventListener("visibilitychange", () => document.hidden || flush().then(refresh));
// Signing out removes the day; unsent entries stay on the phone until the same user signs in again.
document.querySelector("form[action='/sign-out']")?.addEventListener("submit", () => {
  store.forget();
  codes.forget();
});
setInterval(() => document.hidden || refresh(), LOOK_AGAIN_MS);
navigator.storage?.persist?.();
keepForOffline("go");
await readQueue();
show();
await flush();
await refresh();
