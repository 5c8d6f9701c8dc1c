// The map regions page: previews, uploads in parts that resume after an interruption, and progress.
import { openMap } from "./map.js";

const PART = 4 * 1024 * 1024, EVERY_MS = 1500, TRIES = 5, MOST_MAPS = 12;
const form = document.getElementById("region-form"), csrf = form?.elements.csrf.value;
let opened = 0;

// Centers a region so that it fills the frame.
async function preview(element) {
  const [west, south, east, north] = JSON.parse(element.dataset.bounds);
  const map = await openMap(element, { gentle: true, label: element.getAttribute("aria-label") });
  const lat = (south + north) / 2, lng = (west + east) / 2;
  const narrowing = Math.cos((lat * Math.PI) / 180) * (element.clientHeight / element.clientWidth);
  const high = Math.min(north - south, (east - west) * narrowing) / 2, wide = high / narrowing;
  map.fit([{ lat: lat - high, lng: lng - wide }, { lat: lat + high, lng: lng + wide }], { padding: 0 });
}
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting || opened >= MOST_MAPS) continue;
    seen.unobserve(target);
    opened += 1;
    preview(target);
  }
});
const watch = () => document.querySelectorAll(".region-map:not(.map-frame)").forEach((each) => seen.observe(each));

// While a task runs, its part of the page is fetched again; the regions only after they change.
const stamps = (root) => [...root.querySelectorAll(".map-regions > li")].map((each) => each.dataset.id).join();
async function refresh() {
  const answer = await fetch("/desk/map-regions").catch(() => null);
  if (answer?.ok) {
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (stamps(fresh) !== stamps(document)) {
      document.getElementById("installed").replaceWith(fresh.getElementById("installed"));
      watch();
    }
    const tasks = document.getElementById("tasks");
    if (!tasks.contains(document.activeElement)) tasks.replaceWith(fresh.getElementById("tasks"));
  }
  follow();
}
function follow() {
  if (document.getElementById("tasks").dataset.underWay === "true") setTimeout(refresh, EVERY_MS);
}

async function sendPart(file, offset) {
  const query = new URLSearchParams({ name: file.name, offset });
  const answer = await fetch(`/desk/map-regions/uploads/${form.dataset.upload}?${query}`, { method: "PUT", headers: { "X-CSRF": csrf }, body: file.slice(offset, offset + PART) });
  const told = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(told.message), { told: true });
  return told.size;
}
// Sends a file from the offset that the server has.
async function send(file, tell) {
  let done = 0, tries = 0;
  while (done < file.size) {
    try {
      done = await sendPart(file, done);
      tries = 0;
      tell(done);
    } catch (fault) {
      tries += 1;
      if (fault.told || tries >= TRIES) throw fault;
      await new Promise((wake) => setTimeout(wake, 1000 * tries));
    }
  }
}

if (form) {
  const file = document.getElementById("file"), said = document.getElementById("sending"), bar = document.getElementById("sent");
  document.getElementById("choose-file").hidden = false;
  form.addEventListener("submit", async (event) => {
    const chosen = file.files[0];
    if (!chosen || form.elements.upload.value) return;
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    said.hidden = bar.hidden = false;
    try {
      await send(chosen, (done) => {
        bar.value = done / chosen.size;
        said.textContent = form.dataset.sending.replace("{percent}", Math.round((100 * done) / chosen.size));
      });
      form.elements.upload.value = form.dataset.upload;
      form.elements.path.value = "";
      form.submit();
    } catch (fault) {
      said.textContent = fault.told ? fault.message : form.dataset.interrupted;
      button.disabled = false;
    }
  });
}
watch();
follow();
