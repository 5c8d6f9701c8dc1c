// A locker site: arrow keys in the picture, and actions of a compartment without leaving the page. Without scripts, the links and
// forms lead to the pages of these actions.
import { ask, clock, Refused, say } from "./locker-page.js";

const LOOK_MS = 500, QUIET_MS = 3_000, LONGEST_MS = 40_000;
const OVER = new Set(["done", "failed", "expired"]);
const MOODS = { done: "good", failed: "bad", expired: "bad", waiting: "warn" };
const WIDE = matchMedia("(min-width: 62rem)");
const PLACE = "haulier-locker-place";
const part = document.getElementById("part");

function tell(said, text, mood = "") {
  said.hidden = false;
  said.className = `notice ${mood}`;
  said.textContent = text;
}

async function act(form, said, work) {
  const buttons = [...form.querySelectorAll("button")];
  for (const each of buttons) each.disabled = true;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tell(said, error.message, "bad");
  } finally {
    for (const each of buttons) each.disabled = false;
  }
}

// Polls the outcome of a command. After three seconds without an outcome, the page says so.
async function followDoor(command, said) {
  const begun = performance.now(), wait = () => new Promise((done) => setTimeout(done, LOOK_MS));
  for (;;) {
    const { commands } = await ask("list_device_commands", { device_id: command.device_id, box_id: command.box_id, per_page: 10 });
    const now = commands.find((each) => each.id === command.id)?.status;
    if (OVER.has(now)) return now;
    const spent = performance.now() - begun;
    if (spent > LONGEST_MS) return "expired";
    if (spent > QUIET_MS - LOOK_MS) tell(said, say("no_answer", { at: clock(command.expires_at) }), MOODS.waiting);
    await wait();
  }
}

function openDoor(form) {
  const said = document.getElementById("open-said");
  act(form, said, async () => {
    tell(said, say("opening"), "info");
    const { command } = await ask("open_locker_box", { box_id: Number(form.dataset.box), reason: form.elements.reason.value });
    const ended = await followDoor(command, said);
    tell(said, say(`opened_${ended}`), MOODS[ended]);
    if (ended === "done") form.reset();
  });
}

function setUse(form, state) {
  const said = document.getElementById("use-said"), fault = form.elements.fault?.value.trim();
  act(form, said, async () => {
    const { box } = await ask("update_locker_box", { box_id: Number(form.dataset.box), state, ...(state !== "ready" && fault ? { fault } : {}) });
    tell(said, say("is_now", { state: say(`state_${box.use}`) }), "good");
  });
}

part?.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id === "open") openDoor(form);
  else if (form.id === "use") setUse(form, event.submitter?.value ?? "disabled");
  else return;
  event.preventDefault();
});
part?.addEventListener("click", (event) => {
  const reason = event.target.closest(".reasons button");
  if (reason) document.getElementById("reason").value = reason.textContent;
  // On wide screens, the panel is beside the picture: keep the scroll position.
  if (event.target.closest(".boxes a") && WIDE.matches) sessionStorage.setItem(PLACE, JSON.stringify([location.pathname, scrollY]));
});
for (const each of document.querySelectorAll(".reasons")) each.hidden = false;

// Returns the nearest compartment in a direction, by position on screen.
const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
function neighbour(from, [dx, dy]) {
  const centre = (each) => { const at = each.getBoundingClientRect(); return [at.left + at.width / 2, at.top + at.height / 2]; };
  const [x, y] = centre(from);
  let best = null, least = Infinity;
  for (const each of from.closest(".cabinet").parentElement.querySelectorAll(".boxes a")) {
    const [ox, oy] = centre(each), ahead = (ox - x) * dx + (oy - y) * dy, aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    const far = ahead + 3 * aside;
    if (ahead > 2 && far < least) [best, least] = [each, far];
  }
  return best;
}
part?.addEventListener("keydown", (event) => {
  const box = event.target.closest?.(".boxes a"), step = STEPS[event.key];
  if (!box || !step || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  neighbour(box, step)?.focus();
});

const [path, top] = JSON.parse(sessionStorage.getItem(PLACE) ?? "[null, 0]");
sessionStorage.removeItem(PLACE);
if (path === location.pathname && WIDE.matches) scrollTo(0, top);
