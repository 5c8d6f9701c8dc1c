// The chat of an order: messages, input and updates. It follows a stream if there is one, otherwise it polls.
import { OF_RECIPIENTS, offerAlerts, pushWorker } from "./page-alerts.js";
import { el, fill, readPicture } from "./page-parts.js";
import { uniqueKey } from "./unique-key.js";

const part = (name) => document.getElementById(`chat-${name}`);
export const words = JSON.parse(part("words").textContent);
const OF_ORDER = { send: "send_chat_message", photo: "send_chat_photo", mark: "mark_chat_read", report: "report_chat_message" };
const OF_DELIVERY = { send: "send_delivery_chat_message", photo: "send_delivery_chat_photo", mark: "mark_delivery_chat_read", report: "report_delivery_chat_message" };
const POLL_MS = 10_000;
// The open chat, or null. Pending work refers to its own chat, so that nothing reaches one that was opened since.
let open = null;
const drafts = new Map(); // drafts of closed chats

async function ask(chat, operation, values) {
  const answer = await fetch(`${chat.base}/ask/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF": chat.csrf },
    body: JSON.stringify({ ...chat.named, ...values }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.message);
  return body;
}

async function page(chat, values) {
  if (!chat.ofOrder) {
    const { chat: standing, page: messages } = await ask(chat, "get_delivery_chat", values);
    return { standing, messages };
  }
  const [{ chat: standing }, messages] = await Promise.all([ask(chat, "get_order_chat", {}), ask(chat, "list_chat_messages", values)]);
  return { standing, messages };
}

function show(text) {
  part("problem").hidden = !text;
  part("problem").textContent = text ?? "";
}

const attempt = (work) => async (event) => {
  event?.preventDefault?.();
  const chat = open;
  if (!chat) return;
  try {
    show(null);
    await work(chat, event);
  } catch (error) {
    if (chat === open) show(error.message || words.offline);
  }
};

// Times are in the time zone of the business, as everywhere on the page.
const clock = { dateStyle: "short", timeStyle: "short", timeZone: "UTC" };
const moment = (text) => new Date(`${text.slice(0, 19)}Z`).toLocaleString(document.documentElement.lang, clock);
const photoOf = (chat, message) => `${chat.base}/photos/${chat.ofOrder ? message.photo : message.id}`;

function content(chat, message) {
  if (message.hidden) return el("p", { class: "soft" }, words.hidden);
  if (message.kind === "photo") return el("img", { src: photoOf(chat, message), alt: words.photo, loading: "lazy" });
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

function line(chat, message) {
  const { sender } = message;
  const who = sender.mine ? words.you : [sender.name, words[`role_${sender.role}`]].filter(Boolean).join(" · ");
  const report = attempt(async () => {
    await ask(chat, chat.names.report, { message_id: message.id, reason: "other" });
    show(words.reported);
  });
  return el(
    "li",
    { class: sender.mine ? "mine" : null },
    el("p", { class: "by" }, `${who} · `, el("time", { datetime: message.sent_at }, moment(message.sent_at))),
    content(chat, message),
    readBy(message),
    !sender.mine && !message.hidden && el("button", { type: "button", class: "text", onclick: report }, words.report),
  );
}

function draw(chat) {
  const { known, state } = chat;
  const list = part("said");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const messages = [...known.values()].sort((one, other) => one.id - other.id);
  list.replaceChildren(...messages.map((message) => line(chat, message)));
  list.hidden = !messages.length;
  part("empty").hidden = Boolean(messages.length);
  part("older").hidden = !chat.olderCursor;
  if (atEnd) list.scrollTop = list.scrollHeight;
  part("form").hidden = !state.can_write;
  part("closed").hidden = state.can_write;
  part("closed").textContent = state.can_write ? "" : state.open ? words.blocked : words.closed;
  part("quick").replaceChildren(...(state.can_write ? state.quick_replies : []).map((reply) =>
    el("button", { type: "button", class: "plain", onclick: attempt(() => send(chat, { quick_reply: reply.code })) }, reply.text)));
  if (part("mute")) part("mute").textContent = state.muted_until ? words.unmute : words.mute;
}

// Messages on the screen count as read; messages that arrive while the page is hidden only as delivered.
async function mark(chat) {
  const last = chat.state.last_message_id ?? 0;
  if (!last || last <= chat.marked) return;
  if (document.hidden) return void (await ask(chat, chat.names.mark, { delivered_up_to: last }));
  chat.marked = last;
  await ask(chat, chat.names.mark, { read_up_to: last });
}

async function fetchNewest(chat) {
  const { standing, messages } = await page(chat, { order: "newest", limit: 50 });
  if (chat !== open) return;
  if (chat.known.size === 0) chat.olderCursor = messages.next_cursor;
  chat.state = standing;
  for (const message of messages.messages) chat.known.set(message.id, message);
  draw(chat);
  await mark(chat);
}

const renew = attempt(fetchNewest);

const older = attempt(async (chat) => {
  const { messages } = await page(chat, { order: "newest", limit: 50, cursor: chat.olderCursor });
  if (chat !== open) return;
  for (const message of messages.messages) chat.known.set(message.id, message);
  chat.olderCursor = messages.next_cursor;
  draw(chat);
});

async function send(chat, said) {
  await ask(chat, chat.names.send, { ...said, client_ref: uniqueKey() });
  await fetchNewest(chat);
}

part("form").addEventListener("submit", attempt(async (chat) => {
  const text = part("text").value.trim();
  if (!text) return;
  await send(chat, { text });
  drafts.delete(chat.base);
  if (chat === open) part("text").value = "";
}));
part("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    part("form").requestSubmit();
  }
});
part("photo").addEventListener("change", attempt(async (chat) => {
  const [file] = part("photo").files;
  if (!file) return;
  const [, content64] = (await readPicture(file)).split(",");
  part("photo").value = "";
  await ask(chat, chat.names.photo, { content: content64, media_type: "image/jpeg", client_ref: uniqueKey() });
  await fetchNewest(chat);
}));
part("place").addEventListener("click", attempt(async (chat) => {
  const { coords } = await new Promise((found, failed) => {
    if (!navigator.geolocation) return failed(new Error(words.no_place));
    navigator.geolocation.getCurrentPosition(found, () => failed(new Error(words.no_place)), { timeout: 15_000 });
  });
  await send(chat, { location: { lat: coords.latitude, lng: coords.longitude, accuracy_m: Math.min(100_000, Math.round(coords.accuracy)) } });
}));
part("older").addEventListener("click", older);
part("mute")?.addEventListener("click", attempt(async (chat) => {
  const until = chat.state.muted_until ? null : new Date(Date.now() + 8 * 3_600_000).toISOString();
  await ask(chat, "mute_order_chat", { until });
  await fetchNewest(chat);
}));
document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });

// Returns a function that stops following.
function follow(chat) {
  if (!chat.ofOrder) {
    const timer = setInterval(() => { if (!document.hidden) renew(); }, POLL_MS);
    return () => clearInterval(timer);
  }
  const stream = new EventSource(`${chat.base}/stream`);
  stream.onmessage = renew;
  return () => stream.close();
}

// Opens the chat of an order, or of a delivery if no order is given, in its part of the page.
export async function openChat({ base, csrf, order = null }) {
  closeChat();
  const ofOrder = order != null;
  const chat = { base, csrf, ofOrder, named: ofOrder ? { order_id: order } : {}, names: ofOrder ? OF_ORDER : OF_DELIVERY, known: new Map(), olderCursor: null, state: null, marked: 0 };
  open = chat;
  part("text").value = drafts.get(base) ?? "";
  await renew();
  if (chat !== open) return;
  chat.leave = follow(chat);
  if (part("alerts")) {
    const tell = (operation, values) => ask(chat, operation, values);
    offerAlerts(part("alerts"), { tell, words, worker: pushWorker(base.slice(1)), operations: OF_RECIPIENTS });
  }
}

// Closes the chat: it is no longer followed, marked as read or shown.
export function closeChat() {
  if (open) drafts.set(open.base, part("text").value);
  open?.leave?.();
  open = null;
  show(null);
  part("said").replaceChildren();
  part("quick").replaceChildren();
  for (const name of ["form", "closed", "empty", "older"]) part(name).hidden = true;
}
