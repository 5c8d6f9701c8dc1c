// Continues a bulk action chunk by chunk. Without this script, a button requests each chunk; a repeated form has no effect.
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
  // A response that is not a chunk is a page: a form with errors, or the sign-in page.
  if (!part) return form.submit();
  const focused = many.contains(document.activeElement);
  many.replaceChildren(...part.childNodes);
  if (focused) many.querySelector("button, a")?.focus();
}

// Report progress once a second, as more would overload screen readers.
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
