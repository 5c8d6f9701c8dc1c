// A pin on a map for an address that nobody knows. Without this, latitude and longitude are typed into the fields that it fills.
import { el } from "./page-parts.js";

const settings = document.getElementById("pin-words").dataset;
const ink = (name) => getComputedStyle(document.body).getPropertyValue(`--${name}`).trim();
const ZOOM = { pin: 16, town: 12, home: 11, world: 3 };
const dark = matchMedia("(prefers-color-scheme: dark)");
let parts;

function script(address, data = {}) {
  return new Promise((loaded, failed) => {
    const made = el("script", { src: address });
    Object.assign(made.dataset, data);
    made.onload = loaded;
    made.onerror = failed;
    document.head.append(made);
  });
}

// Maps are heavy, so their parts come when one is opened.
function loadMap() {
  parts ??= (async () => {
    document.head.append(el("link", { rel: "stylesheet", href: "/static/vendor/leaflet.css" }));
    await Promise.all([script("/static/vendor/leaflet.js"), script("/static/vendor/topojson-client.min.js")]);
    const { zoomIn, zoomOut, tiles, credit } = settings;
    await script("/static/basemap.js", { zoomIn, zoomOut, ...(tiles && { tiles, credit: credit ?? "" }) });
  })();
  parts.catch(() => (parts = undefined));
  return parts;
}

// Where the map opens: at the pin, in the town that is typed, at home, or over the world.
async function startOf(lat, lng) {
  if (lat.value && lng.value) return [[Number(lat.value), Number(lng.value)], ZOOM.pin];
  const city = lat.form.elements[lat.name.replace(/lat$/, "city")]?.value;
  const town = city && (await findTown(city).catch(() => null));
  if (town) return [town, ZOOM.town];
  return settings.lat ? [[Number(settings.lat), Number(settings.lng)], ZOOM.home] : [[20, 0], ZOOM.world];
}

function placePin(lat, lng, at) {
  lat.value = at.lat.toFixed(6);
  lng.value = at.lng.toFixed(6);
  lat.dispatchEvent(new Event("input", { bubbles: true }));
}

async function showMap(place, lat, lng) {
  const [centre, zoom] = await startOf(lat, lng);
  const map = L.map(place, { attributionControl: false, minZoom: 2, maxZoom: 19, center: centre, zoom, zoomAnimation: false });
  L.control.scale({ imperial: false }).addTo(map);
  const icon = L.divIcon({ className: "pin-mark", iconSize: [22, 22] });
  const pin = L.marker(centre, { icon, draggable: true, keyboard: false, title: settings.pin });
  const show = () => {
    if (!lat.value || !lng.value || Number.isNaN(Number(lat.value) + Number(lng.value))) return pin.remove();
    pin.setLatLng([Number(lat.value), Number(lng.value)]).addTo(map);
  };
  const put = (at) => placePin(lat, lng, at.wrap());
  for (const field of [lat, lng]) field.addEventListener("input", show);
  map.on("click", (event) => put(event.latlng));
  pin.on("dragend", () => put(pin.getLatLng()));
  // By keys: the arrows move the map below the cross in its middle, and Enter puts the pin there.
  place.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target !== place) return;
    event.preventDefault();
    put(map.getCenter());
  });
  show();
  const ground = await drawGround(map, () => ({ land: ink("paper"), border: ink("edge"), water: ink("sunk") }));
  dark.addEventListener("change", ground.repaint);
  return { put: () => put(map.getCenter()) };
}

function offerMap(lat, lng) {
  const place = el("div", { class: "pin-map", role: "application", "aria-label": settings.map, tabindex: "0" });
  const told = el("p", { class: "small", role: "status" });
  const here = el("button", { type: "button", class: "plain" }, settings.here);
  const frame = el("div", { class: "pin", hidden: true }, el("p", { class: "hint" }, settings.hint), place, el("div", { class: "row" }, here, told));
  const open = el("button", { type: "button", class: "plain", "aria-expanded": "false" }, settings.open);
  let shown;
  const tell = () => (told.textContent = lat.value && lng.value ? `${settings.pin}: ${lat.value}, ${lng.value}` : "");
  open.addEventListener("click", async () => {
    frame.hidden = !frame.hidden;
    open.setAttribute("aria-expanded", String(!frame.hidden));
    if (frame.hidden) return;
    try {
      await loadMap();
      shown ??= showMap(place, lat, lng);
      await shown;
      place.focus({ preventScroll: true });
    } catch {
      told.textContent = settings.lost;
    }
  });
  here.addEventListener("click", async () => (await shown)?.put());
  for (const field of [lat, lng]) field.addEventListener("input", tell);
  tell();
  const after = lng.closest(".field") ?? lng;
  after.after(el("div", { class: "pin-offer" }, open, frame));
}

for (const lat of document.querySelectorAll('form.act input[name="lat"], form.act input[name$=".lat"]')) {
  const lng = lat.form.elements[lat.name.replace(/lat$/, "lng")];
  if (lng instanceof HTMLInputElement) offerMap(lat, lng);
}
