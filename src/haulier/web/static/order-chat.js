// The chat of an order: read, write, and hear what is new. It follows a stream where there is one, and asks again otherwise.
import { OF_RECIPIENTS, offerAlerts, pushWorker } from "./page-alerts.js";
import { el, fill, readPicture } from "./page-parts.js";

const chat = document.getElementById("chat");
const part = (name) => document.getElementById(`chat-${name}`);
const words = JSON.parse(part("words").textContent);
const { base, kind, csrf } = chat.dataset;
const ofOrder = kind === "order";
const named = ofOrder ? { order_id: Number(chat.dataset.order) } : {};
const NAMES = ofOrder
  ? { send: "send_chat_message", photo: "send_chat_photo", mark: "mark_chat_read", report: "report_chat_message" }
  : { send: "send_delivery_chat_message", photo: "send_delivery_chat_photo", mark: "mark_delivery_chat_read", report: "report_delivery_chat_message" };
const POLL_MS = 10_000;
const known = new Map();
let olderCursor = null;
let state = null;
let marked = 0;

async function ask(operation, values) {
  const answer = await fetch(`${base}/ask/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF": csrf },
    body: JSON.stringify({ ...named, ...values }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.message);
  return body;
}

async function page(values) {
  if (!ofOrder) {
    const { chat: standing, page: messages } = await ask("get_delivery_chat", values);
    return { standing, messages };
  }
  const [{ chat: standing }, messages] = await Promise.all([ask("get_order_chat", {}), ask("list_chat_messages", values)]);
  return { standing, messages };
}

function show(text) {
  part("problem").hidden = !text;
  part("problem").textContent = text ?? "";
}

const attempt = (work) => async (event) => {
  event?.preventDefault?.();
  try {
    show(null);
    await work(event);
  } catch (error) {
    show(error.message || words.offline);
  }
};

// Moments come on the clock of the business, as all of the page tells them, wherever its reader is.
const clock = { dateStyle: "short", timeStyle: "short", timeZone: "UTC" };
const moment = (text) => new Date(`${text.slice(0, 19)}Z`).toLocaleString(document.documentElement.lang, clock);
const photoOf = (message) => (ofOrder ? `${base}/photos/${message.photo}` : `${base}/photos/${message.id}`);

function content(message) {
  if (message.hidden) return el("p", { class: "soft" }, words.hidden);
  if (message.kind === "photo") return el("img", { src: photoOf(message), alt: words.photo, loading: "lazy" });
  if (message.kind === "location") {
    const at = `${message.location.lat},${message.location.lng}`;
    return el("p", {}, el("a", { href: `geo:${at}?q=${at}` }, fill(words.place_at, { place: at })));
  }
  return el("p", {}, message.text ?? "");
}

function readBy(message) {
  if (!message.sender.mine) return null;
  const who = message.read_by.length ? message.read_by : message.delivered_to;
  if (!who.length) return el("span", { class: "read" }, words.sent);
  const text = message.read_by.length ? words.read : words.delivered;
  return el("span", { class: "read" }, fill(text, { who: who.map((role) => words[`role_${role}`]).join(", ") }));
}

function line(message) {
  const { sender } = message;
  const who = sender.mine ? words.you : [sender.name, words[`role_${sender.role}`]].filter(Boolean).join(" · ");
  const report = () => attempt(async () => {
    await ask(NAMES.report, { message_id: message.id, reason: "other" });
    show(words.reported);
  })();
  return el(
    "li",
    { class: sender.mine ? "mine" : null },
    el("p", { class: "by" }, `${who} · `, el("time", { datetime: message.sent_at }, moment(message.sent_at))),
    content(message),
    readBy(message),
    !sender.mine && !message.hidden && el("button", { type: "button", class: "text", onclick: report }, words.report),
  );
}

function draw() {
  const list = part("said");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const messages = [...known.values()].sort((one, other) => one.id - other.id);
  list.replaceChildren(...messages.map(line));
  list.hidden = !messages.length;
  part("empty").hidden = Boolean(messages.length);
  part("older").hidden = !olderCursor;
  if (atEnd) list.scrollTop = list.scrollHeight;
  part("form").hidden = !state.can_write;
  part("closed").hidden = state.can_write;
  part("closed").textContent = state.can_write ? "" : state.open ? words.blocked : words.closed;
  part("quick").replaceChildren(...(state.can_write ? state.quick_replies : []).map((reply) =>
    el("button", { type: "button", class: "plain", onclick: attempt(() => send({ quick_reply: reply.code })) }, reply.text)));
  if (part("mute")) part("mute").textContent = state.muted_until ? words.unmute : words.mute;
}

// What is on the screen has been read; what came while nobody looked has only arrived.
async function mark() {
  const last = state.last_message_id ?? 0;
  if (!last || last <= marked) return;
  if (document.hidden) return void (await ask(NAMES.mark, { delivered_up_to: last }));
  marked = last;
  await ask(NAMES.mark, { read_up_to: last });
}

const renew = attempt(async () => {
  const { standing, messages } = await page({ order: "newest", limit: 50 });
  const first = known.size === 0;
  state = standing;
  for (const message of messages.messages) known.set(message.id, message);
  if (first) olderCursor = messages.next_cursor;
  draw();
  await mark();
});

const older = attempt(async () => {
  const { messages } = await page({ order: "newest", limit: 50, cursor: olderCursor });
  for (const message of messages.messages) known.set(message.id, message);
  olderCursor = messages.next_cursor;
  draw();
});

const reference = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`;

async function send(said) {
  await ask(NAMES.send, { ...said, client_ref: reference() });
  await renew();
}

part("form").addEventListener("submit", attempt(async (event) => {
  event.preventDefault();
  const text = part("text").value.trim();
  if (!text) return;
  await send({ text });
  part("text").value = "";
}));
part("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    part("form").requestSubmit();
  }
});
part("photo").addEventListener("change", attempt(async () => {
  const [file] = part("photo").files;
  if (!file) return;
  const [, content64] = (await readPicture(file)).split(",");
  part("photo").value = "";
  await ask(NAMES.photo, { content: content64, media_type: "image/jpeg", client_ref: reference() });
  await renew();
}));
part("place").addEventListener("click", attempt(async () => {
  const { coords } = await new Promise((found, failed) => {
    if (!navigator.geolocation) return failed(new Error(words.no_place));
    navigator.geolocation.getCurrentPosition(found, () => failed(new Error(words.no_place)), { timeout: 15_000 });
  });
  await send({ location: { lat: coords.latitude, lng: coords.longitude, accuracy_m: Math.min(100_000, Math.round(coords.accuracy)) } });
}));
part("older").addEventListener("click", older);
part("mute")?.addEventListener("click", attempt(async () => {
  const until = state.muted_until ? null : new Date(Date.now() + 8 * 3_600_000).toISOString();
  await ask("mute_order_chat", { until });
  await renew();
}));
document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });

function follow() {
  if (!ofOrder) return setInterval(() => { if (!document.hidden) renew(); }, POLL_MS);
  const stream = new EventSource(`${base}/stream`);
  stream.onmessage = renew;
}

await renew();
follow();
if (part("alerts")) offerAlerts(part("alerts"), { tell: ask, words, worker: pushWorker(base.slice(1)), operations: OF_RECIPIENTS });
