// A list, record or part of a page that stays up to date. Nothing jumps: changed rows are replaced in place, rows that
// no longer match turn pale, and new rows wait behind a button. Without this script, users reload the page.
import { uniqueKey } from "./unique-key.js";

const rows = document.getElementById("rows");
const record = document.getElementById("record");
const part = document.getElementById("part");
const news = document.querySelector(".news");
// All staff share a stream; each session puts its own tokens into the forms.
const csrf = document.querySelector('input[name="csrf"]')?.value ?? "";
const withOwnTokens = (html) => html.replaceAll("csrf-of-session", csrf).replaceAll("once-per-form", uniqueKey);
const parsed = (html) => new DOMParser().parseFromString(withOwnTokens(html), "text/html");
const rowsOf = (html) => [...parsed(`<table><tbody>${html}</tbody></table>`).querySelectorAll("tbody > tr")];
const text = (row) => row.textContent.replace(/\s+/g, " ");
let latest = [];

// Replacing a row keeps its selection, choices and focus.
function renew(old, fresh) {
  const tick = fresh.querySelector('input[name="pick"]');
  if (tick) tick.checked = old.querySelector('input[name="pick"]')?.checked ?? false;
  const focused = [...old.querySelectorAll("a, input")].indexOf(document.activeElement);
  fresh.classList.toggle("at", old.matches(".at"));
  fresh.classList.add("changed");
  old.replaceWith(fresh);
  if (focused >= 0) [...fresh.querySelectorAll("a, input")][focused]?.focus();
}

function offer(coming) {
  news.hidden = !coming;
  const button = news.querySelector("button");
  button.textContent = button.dataset.words.replace("{count}", coming);
}

function takeRows(html) {
  latest = rowsOf(html);
  const shown = new Map([...rows.rows].map((row) => [row.dataset.id, row]));
  const told = new Set(latest.map((row) => row.dataset.id));
  for (const fresh of latest) {
    const old = shown.get(fresh.dataset.id);
    if (old && (text(old) !== text(fresh) || old.matches(".gone"))) renew(old, document.importNode(fresh, true));
  }
  const coming = latest.filter((row) => !shown.has(row.dataset.id)).length;
  const lastKept = [...rows.rows].findLastIndex((row) => told.has(row.dataset.id));
  // Rows that new ones pushed to the next page still match the list.
  [...rows.rows].forEach((row, at) => row.classList.toggle("gone", !told.has(row.dataset.id) && (at < lastKept || !coming)));
  offer(coming);
}

function showNew() {
  if (rows.closest("[hidden]")) return location.reload();
  const shown = new Map([...rows.rows].map((row) => [row.dataset.id, row]));
  rows.replaceChildren(
    ...latest.map((fresh) => {
      const old = shown.get(fresh.dataset.id);
      if (!old) fresh.classList.add("changed");
      return old ?? document.importNode(fresh, true);
    }),
  );
  news.hidden = true;
  rows.querySelector("a")?.focus();
}

// Everything that can change in a part has a name; the rest comes with new elements.
const named = (root) => new Map([...root.querySelectorAll("[data-id]")].map((each) => [each.dataset.id, each]));
const sources = (root) => new Map([...named(root)].map(([id, each]) => [id, each.outerHTML]));
const reached = "a, button, summary";
let known = part && sources(part);

function takePart(html) {
  latest = parsed(html).body;
  const fresh = named(latest);
  const now = sources(latest);
  const coming = [...fresh.keys()].filter((id) => !known.has(id)).length;
  for (const [id, old] of named(part)) {
    const beside = [...old.parentElement.children];
    const lastKept = beside.findLastIndex((each) => fresh.has(each.dataset.id));
    // Elements that new ones pushed over the end of a truncated list still exist.
    old.classList.toggle("gone", !fresh.has(id) && (beside.indexOf(old) < lastKept || !coming));
    if (!fresh.has(id) || known.get(id) === now.get(id)) continue;
    const one = document.importNode(fresh.get(id), true);
    const focused = [...old.querySelectorAll(reached)].indexOf(document.activeElement);
    one.classList.add("changed");
    one.classList.toggle("at", old.matches(".at"));
    old.replaceWith(one);
    known.set(id, now.get(id));
    if (focused >= 0) [...one.querySelectorAll(reached)][focused]?.focus();
  }
  offer(coming);
}

function showPart() {
  const folds = () => [...part.querySelectorAll("details")].map((each, at) => [each.id || at, each]);
  const open = new Map(folds().map(([name, each]) => [name, each.open]));
  const newest = [...named(latest)].filter(([id]) => !known.has(id)).map(([, each]) => each);
  known = sources(latest);
  for (const each of newest) each.classList.add("changed");
  part.replaceChildren(...latest.childNodes);
  for (const [name, each] of folds()) each.open = open.get(name) ?? each.open;
  news.hidden = true;
  (newest.map((each) => each.querySelector(reached)).find(Boolean) ?? part.querySelector(reached))?.focus({ preventScroll: true });
}

const isTyped = (field) => field.type !== "hidden" && field.value !== field.defaultValue;

// A form that someone is filling in is kept; the next change comes after it is sent.
function takeRecord(record, html) {
  if ([...record.querySelectorAll("input, textarea")].some(isTyped)) return;
  const fresh = parsed(html).body;
  const values = (part) => [...part.querySelectorAll(".facts > dl > dd")];
  const before = new Map(values(record).map((value) => [text(value.previousElementSibling), text(value)]));
  for (const value of values(fresh)) {
    if (before.get(text(value.previousElementSibling)) !== text(value)) value.classList.add("changed");
  }
  const done = (part) => [...part.querySelectorAll(".history li")];
  const known = new Set(done(record).map((each) => each.dataset.id));
  for (const each of done(fresh)) if (!known.has(each.dataset.id)) each.classList.add("changed");
  const open = record.querySelector("details")?.open;
  const focused = record.contains(document.activeElement) && document.activeElement.getAttribute("href");
  record.replaceChildren(...fresh.childNodes);
  const more = record.querySelector("details");
  if (more && open) more.open = true;
  if (focused) record.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

news?.querySelector("button").addEventListener("click", part ? showPart : showNew);
const address = (rows ?? record ?? part)?.dataset.live;
let listening = null;

// A hidden page requests nothing; it catches up when it is visible again.
function listen() {
  if (document.hidden) {
    listening?.close();
    listening = null;
  } else if (address && !listening) {
    listening = new EventSource(address);
    listening.onmessage = (event) => {
      const { html } = JSON.parse(event.data);
      if (rows) takeRows(html);
      else if (part) takePart(html);
      else takeRecord(record, html);
    };
  }
}

document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", () => listening?.close());
listen();

// Keeps a record beside a list up to date; `fitIn` adapts new content to its place. Returns a function that stops.
export function followRecord(shown, fitIn) {
  let heard = null;
  const look = () => {
    heard?.close();
    heard = document.hidden ? null : new EventSource(shown.dataset.live);
    if (!heard) return;
    heard.onmessage = (event) => {
      takeRecord(shown, JSON.parse(event.data).html);
      fitIn(shown);
    };
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", () => heard?.close());
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    heard?.close();
  };
}
