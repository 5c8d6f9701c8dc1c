// An act on many records goes on by itself, a piece at a time. Without this a button asks for each; a form sent twice does nothing twice.
const many = document.getElementById("many");
const stop = document.getElementById("stop");
const told = document.getElementById("many-told");
const RESTS_MS = 1000;
let stopped = false;

function tellLost(form) {
  const notice = document.createElement("p");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.textContent = many.dataset.lost;
  many.querySelector(".notice")?.remove();
  form.before(notice);
}

async function takePiece(form) {
  const body = new URLSearchParams(new FormData(form));
  body.set("step", "do");
  const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
  if (!answer || answer.status >= 500) return tellLost(form);
  const part = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("many");
  // What is no piece is a page of its own: a form at fault, or the way to sign in.
  if (!part) return form.submit();
  const focused = many.contains(document.activeElement);
  many.replaceChildren(...part.childNodes);
  if (focused) many.querySelector("button, a")?.focus();
}

// Every second it is said how far it is: oftener nobody can listen to.
let saidAt = 0;
function say(isLast) {
  if (!isLast && Date.now() - saidAt < RESTS_MS) return;
  saidAt = Date.now();
  told.textContent = many.querySelector(".said").textContent;
}

async function goOn() {
  stop.hidden = false;
  stopped = false;
  for (let form = next(); form && !stopped; form = next()) {
    await takePiece(form);
    say(!next());
    if (many.querySelector(".notice.bad")) break;
  }
  stop.hidden = true;
}

const next = () => document.getElementById("go-on");

stop.addEventListener("click", () => {
  stopped = true;
});
many.addEventListener("submit", (event) => {
  if (event.target.id !== "go-on") return;
  event.preventDefault();
  goOn();
});
if (next()?.matches("[data-goes-on]")) goOn();
