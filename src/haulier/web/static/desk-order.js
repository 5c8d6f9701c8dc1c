// A new order: fetches addresses, the price and matching routes while the user types. Without this script, buttons fetch them.
const order = document.getElementById("order");
const seek = document.getElementById("q");
const asked = { addresses: 0, price: 0, routes: 0 };

async function fill(place, part, query) {
  const mine = ++asked[place];
  // Without a network nothing is filled in; the buttons of the form report the problem.
  const answer = await fetch(`/desk/new-order?part=${part}&${query}`).catch(() => null);
  if (!answer?.ok || mine !== asked[place]) return;
  const html = await answer.text();
  const shown = document.getElementById(place);
  shown.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  // If the search finds nothing, the user sets the pin.
  if (shown.querySelector("[data-nothing]")) document.getElementById("pin-fields").open = true;
}

function typed() {
  const query = new URLSearchParams(new FormData(order));
  query.delete("csrf");
  return query;
}

let waiting;
function soon(act) {
  clearTimeout(waiting);
  waiting = setTimeout(act, 250);
}

function tell() {
  fill("price", "price", typed());
  if (document.getElementById("routes")) fill("routes", "routes", typed());
}

document.getElementById("ask-price").hidden = true;
order.addEventListener("input", (event) => {
  if (event.target.name !== "service") soon(tell);
});
function find() {
  const query = typed();
  query.set("q", seek.value);
  soon(() => fill("addresses", "found", query));
}

document.getElementById("addresses").addEventListener("click", (event) => {
  if (!event.target.matches('a[href="#pin-fields"]')) return;
  event.preventDefault();
  const fields = document.getElementById("pin-fields");
  fields.open = true;
  (fields.querySelector(".pin:not([hidden]) input") ?? fields.querySelector("button, input")).focus();
});
// One click selects a window. Its day and times remain editable fields.
const windows = document.querySelector(".windows");
if (windows) windows.hidden = false;
windows?.addEventListener("click", (event) => {
  const chosen = event.target.closest("button");
  if (!chosen) return;
  for (const each of windows.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each === chosen));
  order.elements.scheduled_date.value = chosen.dataset.day;
  order.elements.window_start.value = chosen.dataset.starts;
  order.elements.window_end.value = chosen.dataset.ends;
  order.elements.window_end.dispatchEvent(new Event("input", { bubbles: true }));
});
seek.addEventListener("input", find);
tell();
// Entries made before this script loaded on a slow network.
if (seek.value !== seek.defaultValue) find();
