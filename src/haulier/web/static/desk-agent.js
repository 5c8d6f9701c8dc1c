// The agent's page works without scripts: a question is a form, and the answer is there after a reload.
// This script sends forms in place and shows an answer while it is written.
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
const root = () => document.getElementById("agent");
const question = () => document.getElementById("question");
const turned = new Map();
let stream = null;

function tell(text) {
  const told = document.getElementById("agent-told");
  if (told.textContent !== text) told.textContent = text;
}

function show(text) {
  const problem = document.getElementById("agent-problem");
  problem.hidden = !text;
  problem.textContent = text;
}

// Replace a part of the page, keeping focus and the open or closed state of its sections.
function put(part) {
  const before = document.getElementById(part.id);
  if (!before) return void document.getElementById("turns")?.append(part);
  for (const each of part.querySelectorAll("details[id]")) {
    if (turned.has(each.id)) each.open = turned.get(each.id);
  }
  const held = before.contains(document.activeElement) ? document.activeElement : null;
  const heldIn = held?.closest("details[id]")?.id;
  before.replaceWith(part);
  if (held) (part.querySelector(heldIn ? `#${heldIn} summary` : "button.stop") ?? question())?.focus();
}

function place(html) {
  const told = parsed(html);
  const turn = told.querySelector("li.turn");
  for (const part of told.querySelectorAll("li.turn, #agent-usage")) {
    const before = document.getElementById(part.id);
    if (before?.outerHTML !== part.outerHTML) put(part);
  }
  if (!turn) return;
  const busy = turn.hasAttribute("aria-busy");
  const button = document.querySelector("#ask button");
  if (busy) button?.setAttribute("aria-disabled", "true");
  else button?.removeAttribute("aria-disabled");
  tell(busy ? document.getElementById("agent-told").dataset.working : (turn.querySelector(".reply, .notice")?.textContent ?? ""));
}

function follow() {
  stream?.close();
  const address = root().dataset.stream;
  stream = address ? new EventSource(address) : null;
  if (stream) stream.onmessage = (event) => place(event.data);
}

function swap(html, address) {
  const page = parsed(html);
  const next = page.getElementById("agent");
  if (!next) return location.assign(address);
  root().replaceWith(next);
  document.title = page.title;
  if (new URL(address).pathname !== location.pathname) history.pushState(null, "", address);
  document.querySelector("#turns > li:last-child")?.scrollIntoView({ block: "nearest" });
  question()?.focus();
  follow();
}

async function send(form, button) {
  if (form.dataset.sent) return;
  form.dataset.sent = "1";
  try {
    const fields = new URLSearchParams(new FormData(form, button));
    const answer = await fetch(form.action, { method: "POST", body: fields });
    swap(await answer.text(), answer.url);
  } catch {
    show(root().dataset.offline);
  } finally {
    delete form.dataset.sent;
  }
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("#agent form[data-live]")) return;
  event.preventDefault();
  if (event.submitter?.getAttribute("aria-disabled") !== "true") send(event.target, event.submitter);
});
document.addEventListener("keydown", (event) => {
  if (event.target !== question() || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  document.getElementById("ask").requestSubmit(document.querySelector("#ask button"));
});
document.addEventListener("click", (event) => {
  const details = event.target.closest("#agent details[id] > summary")?.parentElement;
  if (details) turned.set(details.id, !details.open);
});
addEventListener("popstate", () => location.reload());
follow();
