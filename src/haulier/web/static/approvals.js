// The page works without this file: lists are links, decisions are forms. This script keeps the queue up to date and
// adds keys. A key never decides: it moves to the button, and Enter presses it.
const toasts = document.getElementById("toasts");
const keys = document.getElementById("keys");

function toast(text) {
  const shown = document.createElement("p");
  shown.className = "toast";
  shown.textContent = text;
  toasts.replaceChildren(shown);
  setTimeout(() => shown.remove(), 5000);
}

async function fetched(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (answer.redirected && new URL(answer.url).pathname === "/sign-in") location.reload();
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

function take(page, id) {
  const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
  if (old && fresh) old.replaceWith(fresh);
  else if (old) old.remove();
  else if (fresh) document.getElementById("desk").append(fresh);
}

// Keep the part that is being read or edited; only a changed proposal is shown again.
async function renew(state) {
  const page = await fetched(location.href);
  const focused = document.activeElement?.closest("#queue a")?.getAttribute("href");
  const of = (where) => where.getElementById("proposal")?.dataset.state;
  const writing = document.getElementById("note")?.value;
  if (of(document) !== of(page) && !writing) take(page, "proposal");
  take(page, "queue");
  document.title = page.title;
  document.getElementById("desk").dataset.state = state;
  if (focused) document.querySelector(`#queue a[href="${CSS.escape(focused)}"]`)?.focus();
  toast(toasts.dataset.new);
}

async function open(address, { remember }) {
  const page = await fetched(address);
  take(page, "queue");
  take(page, "proposal");
  document.getElementById("desk").className = page.getElementById("desk").className;
  document.title = page.title;
  if (remember) history.pushState(null, "", address);
  document.querySelector("#queue a[aria-current]")?.focus();
}

function move(step) {
  const links = [...document.querySelectorAll("#queue li a")];
  if (!links.length) return;
  const here = links.findIndex((link) => link.hasAttribute("aria-current"));
  const first = !location.pathname.match(/\d$/) && here === 0 && document.activeElement !== links[0];
  const next = links[first ? 0 : Math.min(links.length - 1, Math.max(0, here + step))];
  open(next.href, { remember: next.href !== location.href });
}

function ready(id) {
  const button = document.getElementById(id);
  if (!button) return;
  button.focus();
  toast(`${button.textContent.trim()}: ${toasts.dataset.enter}`);
}

const actions = {
  j: () => move(1),
  k: () => move(-1),
  a: () => ready("approve"),
  r: () => ready(document.getElementById("reject") ? "reject" : "withdraw"),
  n: () => document.getElementById("note")?.focus(),
  "?": () => keys.showModal(),
};

addEventListener("keydown", (event) => {
  const busy = event.ctrlKey || event.metaKey || event.altKey || keys.open;
  if (event.key === "Escape" && event.target.matches("textarea")) event.target.blur();
  if (busy || event.target.matches("input, textarea, select") || !actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});

addEventListener("submit", (event) => {
  if (event.target.closest("dialog")) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
  for (const button of event.target.querySelectorAll("button")) button.setAttribute("aria-disabled", "true");
});
addEventListener("popstate", () => open(location.href, { remember: false }));

const help = document.getElementById("show-keys");
help.hidden = false;
help.addEventListener("click", () => keys.showModal());

const desk = document.getElementById("desk");
if (desk.dataset.live) {
  new EventSource(desk.dataset.live).onmessage = (event) => {
    const known = document.getElementById("desk").dataset;
    if (known.state && event.data !== known.state) renew(event.data);
    else known.state = event.data;
  };
}
