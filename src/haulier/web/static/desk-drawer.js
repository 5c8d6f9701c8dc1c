// On a wide screen a record opens in a drawer beside its list. On a narrow one, or without this script, its link opens its own page.
import { followRecord } from "./desk-live.js";

const drawer = document.getElementById("drawer");
const title = document.getElementById("drawer-title");
const place = document.getElementById("drawer-place");
const told = document.getElementById("drawer-told");
const frame = document.getElementById("beside-drawer");
const wide = matchMedia("(min-width: 78rem)");
const RESTS_MS = 150;
let asked = 0;
let unfollow = () => {};
let rests;

const rowOf = (id) => document.querySelector(`#beside-drawer tr[data-id="${CSS.escape(id)}"]`);
const linkOf = (row) => row?.querySelector("td a[href^='/desk/']");
const isOpen = () => !drawer.hidden;

function addressWith(id) {
  const query = new URLSearchParams(location.search);
  for (const name of ["done", "undo", "drawer"]) query.delete(name);
  if (id) query.set("drawer", id);
  return `${location.pathname}${query.size ? `?${query}` : ""}`;
}

function markRow(id) {
  for (const row of document.querySelectorAll("#beside-drawer tr.at")) row.classList.remove("at");
  const row = rowOf(id);
  row?.classList.add("at");
  row?.scrollIntoView({ block: "nearest" });
}

// The drawer shows the title. An action of the record returns to the list with the drawer open.
function fitIn(record) {
  const heading = record.querySelector("h1");
  if (heading) title.textContent = heading.firstChild.textContent.trim();
  heading?.replaceWith(...heading.querySelectorAll(".badge"));
  for (const link of record.querySelectorAll('.acts a[href^="/desk/act/"]')) {
    const address = new URL(link.href);
    address.searchParams.set("back", addressWith(drawer.dataset.id));
    link.href = address;
  }
}

async function show(id, address) {
  const mine = ++asked;
  const answer = await fetch(address).catch(() => null);
  if (mine !== asked) return;
  const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
  const record = page?.getElementById("record");
  // Other responses, such as a missing record or an expired session, open as a page.
  if (mine !== asked || !answer) return;
  if (!record) return location.assign(address);
  unfollow();
  const held = drawer.contains(document.activeElement);
  title.href = address;
  fitIn(record);
  told.textContent = title.textContent;
  place.replaceChildren(record);
  drawer.scrollTop = 0;
  if (held) drawer.focus({ preventScroll: true });
  unfollow = record.dataset.live ? followRecord(record, fitIn) : () => {};
}

function open(id, address, { push = false } = {}) {
  drawer.dataset.id = id;
  drawer.hidden = false;
  frame.classList.add("open");
  history[push ? "pushState" : "replaceState"](null, "", addressWith(id));
  markRow(id);
  return show(id, address);
}

function close() {
  asked++;
  unfollow();
  unfollow = () => {};
  const link = linkOf(rowOf(drawer.dataset.id));
  drawer.hidden = true;
  frame.classList.remove("open");
  place.replaceChildren();
  history.replaceState(null, "", addressWith(null));
  link?.focus();
}

// Moving through the list: with fast key presses only the last record is loaded.
function goOn(row) {
  if (!isOpen() || !linkOf(row)) return;
  clearTimeout(rests);
  drawer.dataset.id = row.dataset.id;
  rests = setTimeout(() => open(row.dataset.id, linkOf(row).href), RESTS_MS);
}

function openRow(row) {
  const known = isOpen();
  open(row.dataset.id, linkOf(row).href, { push: !known }).then(() => drawer.focus({ preventScroll: true }));
}

document.addEventListener("desk:row", (event) => goOn(event.detail));
frame.addEventListener("click", (event) => {
  const row = event.target.closest("#beside-drawer > .scroll tr[data-id]");
  const link = event.target.closest("a");
  const other = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button;
  if (!row || !link || link !== linkOf(row) || other || !wide.matches) return;
  event.preventDefault();
  openRow(row);
});
document.getElementById("drawer-close").hidden = false;
document.getElementById("drawer-close").addEventListener("click", close);
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.target.matches("input, textarea, select") || document.querySelector("dialog[open]")) return;
  const row = document.querySelector("#beside-drawer tr.at");
  if (event.key === "Escape" && isOpen()) close();
  else if (event.key === "Enter" && document.activeElement === document.body && wide.matches && linkOf(row)) openRow(row);
});
addEventListener("popstate", () => {
  const id = new URLSearchParams(location.search).get("drawer");
  const link = id && linkOf(rowOf(id));
  if (link) open(id, link.href);
  else if (isOpen()) close();
});

if (drawer.dataset.address) {
  if (wide.matches) open(drawer.dataset.id, drawer.dataset.address);
  else location.replace(drawer.dataset.address);
}
