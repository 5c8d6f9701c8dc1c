// Steps of a plan without a page load: slider, keys and buttons move picture, table and bars.

const data = JSON.parse(document.getElementById("plan-data").textContent);
const slider = document.getElementById("step-slider");
const told = document.getElementById("told");
const language = document.documentElement.lang;
// Created at the first step, as the formatter of a language takes longer to load than everything else here.
let numbers;
const rounded = (value) => (numbers ??= new Intl.NumberFormat(language, { maximumFractionDigits: 1 })).format(value);
const loaded = data.steps;
const last = data.moments.length - 1;
let at = Number(slider.value);
const listeners = new Set();

const momentAt = (number) => ({ steps: data.moments[number][0], after: data.moments[number][1] });

// A repacked package keeps its place from a stop on; 0 is the departure.
const isThere = (step, stop, since, { steps, after }) =>
  after === null ? !since && step <= steps : since <= after && stop > after;

function showPieces(moment) {
  for (const each of document.querySelectorAll("#plan .box, .pieces tr[data-step]")) {
    const step = Number(each.dataset.step);
    const isNew = moment.after === null && step === moment.steps;
    each.classList.toggle("away", !isThere(step, Number(each.dataset.stop), Number(each.dataset.since ?? 0), moment));
    each.classList.toggle("new", isNew);
    if (each.matches("tr")) isNew ? each.setAttribute("aria-current", "step") : each.removeAttribute("aria-current");
  }
  for (const row of document.querySelectorAll("tr[data-moment]")) {
    const now = Number(row.dataset.moment) === at;
    row.classList.toggle("new", now);
    now ? row.setAttribute("aria-current", "step") : row.removeAttribute("aria-current");
  }
}

function showGauges(values, centre) {
  for (const gauge of document.querySelectorAll("[data-gauge]")) {
    const [limit, least, most] = data.gauges[gauge.dataset.gauge];
    const value = values[gauge.dataset.gauge];
    const kept = least <= value && value <= limit;
    gauge.classList.toggle("over", !kept);
    gauge.querySelector(".full").setAttribute("width", Math.max(0, (value / most) * 100));
    gauge.querySelector(".value").textContent = rounded(value);
    gauge.querySelector(".outside").hidden = kept;
  }
  const dot = document.getElementById("centre");
  if (!dot) return;
  dot.toggleAttribute("hidden", !centre);
  document.getElementById("centre-words").hidden = !centre;
  if (!centre) return;
  ["x", "y"].forEach((axis, index) => {
    dot.setAttribute(`c${axis}`, centre[index]);
    document.getElementById(`centre-${axis}`).textContent = rounded(centre[index]);
  });
}

export function show(number) {
  at = Math.min(Math.max(number, 0), last);
  const [, , words, values, centre] = data.moments[at];
  slider.value = at;
  slider.setAttribute("aria-valuetext", words);
  told.textContent = words;
  showPieces(momentAt(at));
  showGauges(values, centre);
  for (const each of document.querySelectorAll(".step-links [data-go]")) {
    const there = Number(each.dataset.go) === at;
    const name = each.matches("a") ? "aria-current" : "aria-pressed";
    there ? each.setAttribute(name, "true") : each.removeAttribute(name);
  }
  for (const carried of document.querySelectorAll("input[type=hidden][name=step]")) carried.value = at;
  if (!document.getElementById("carried")) {
    const address = new URL(location.href);
    address.searchParams.set("step", at);
    history.replaceState(history.state, "", address);
    for (const link of document.querySelectorAll(".look a.turn")) {
      const there = new URL(link.href);
      there.searchParams.set("step", at);
      link.href = there.href;
    }
  }
  listeners.forEach((listener) => listener(momentAt(at)));
}

const named = { first: () => 0, back: () => at - 1, on: () => at + 1, last: () => last, loaded: () => loaded };
const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };

document.addEventListener("click", (event) => {
  const control = event.target.closest("[data-go]");
  if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show((named[control.dataset.go] ?? (() => Number(control.dataset.go)))());
});
document.addEventListener("keydown", (event) => {
  // Not on the slider, which handles these keys itself. A three-dimensional picture rotates with its own.
  if (!keys[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
  if (!event.target.closest(".step-links, #picture")) return;
  event.preventDefault();
  show(named[keys[event.key]]());
});
slider.addEventListener("input", () => show(Number(slider.value)));
slider.hidden = false;
document.querySelector("label[for=step-slider]").hidden = false;
document.getElementById("picture").tabIndex = 0;
document.getElementById("picture").setAttribute("role", "group");
document.getElementById("picture").setAttribute("aria-describedby", "told");
document.getElementById("picture").setAttribute("aria-label", document.querySelector(".stepper").getAttribute("aria-label"));

const opener = document.getElementById("open-space");
if (loaded) {
  opener.hidden = false;
  opener.addEventListener("click", async () => {
    const place = document.getElementById("space-place");
    const open = place.hidden;
    opener.setAttribute("aria-pressed", String(open));
    place.hidden = !open;
    document.getElementById("picture").hidden = open;
    if (!open) return;
    if (!place.childElementCount) {
      place.textContent = data.words.loading;
      const { drawSpace } = await import("./plan-space.js");
      place.textContent = "";
      listeners.add(drawSpace(place, data, isThere));
    }
    listeners.forEach((listener) => listener(momentAt(at)));
    place.querySelector("canvas").focus();
  });
}
