// An area drawn on a map: click to add a corner, drag to move it. Without this script, users type GeoJSON into the field.
import { openMap } from "./map.js";
import { el } from "./page-parts.js";

const settings = document.getElementById("pin-words").dataset;
const LEAST_CORNERS = 3;
const ZOOM = { home: 11, region: 13 };

// The corners of a simple polygon; null for another geometry, which is shown and kept unchanged.
function cornersOf(geometry) {
  if (geometry?.type !== "Polygon" || geometry.coordinates.length !== 1) return null;
  return geometry.coordinates[0].slice(0, -1).map(([lng, lat]) => ({ lat, lng }));
}

function placesOf(geometry) {
  const numbers = geometry.coordinates.flat(Infinity);
  return numbers.filter((_, at) => at % 2).map((lat, at) => ({ lat, lng: numbers[2 * at] }));
}

class Area {
  constructor(field) {
    this.field = field;
    this.map = null;
    this.read();
    this.status = el("p", { class: "small", role: "status" });
    this.place = el("div", { class: "pin-map" });
    const undo = el("button", { type: "button", class: "plain", onclick: () => this.change(this.corners.slice(0, -1)) }, settings.areaUndo);
    const again = el("button", { type: "button", class: "plain", onclick: () => this.change([]) }, settings.areaAgain);
    const frame = el("div", { class: "pin" }, el("p", { class: "hint" }, settings.areaHint), this.place, el("div", { class: "row" }, undo, again, this.status));
    const typed = el("details", { class: "coordinates" }, el("summary", {}, "GeoJSON"));
    const whole = field.closest(".field") ?? field;
    const offer = el("div", { class: "pin-offer" }, el("strong", {}, whole.querySelector("label")?.textContent ?? ""), frame, typed);
    whole.before(offer);
    typed.append(whole);
    typed.open = Boolean(whole.querySelector(".fault"));
    field.addEventListener("change", () => { this.read(); this.draw(); });
    field.addEventListener("invalid", (event) => {
      event.preventDefault();
      this.status.textContent = settings.areaNeeded;
      offer.scrollIntoView({ block: "nearest" });
    });
    // Keyboard: arrow keys move the map below the crosshair, Enter adds a corner there.
    this.place.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("canvas, .map-ground")) return;
      event.preventDefault();
      this.add(this.map.center());
    });
    new IntersectionObserver((seen, watcher) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      this.open().catch(() => {
        frame.hidden = true;
        typed.open = true;
      });
    }).observe(frame);
  }

  read() {
    try {
      this.geometry = JSON.parse(this.field.value);
    } catch {
      this.geometry = null;
    }
    this.corners = cornersOf(this.geometry) ?? [];
  }

  async open() {
    this.map = await openMap(this.place, { label: settings.areaHint, cursor: "crosshair", gentle: true });
    this.map.onClick((at) => this.add(at));
    this.draw();
    if (this.geometry?.coordinates) return this.map.fit(placesOf(this.geometry));
    const [region] = this.map.regions;
    if (settings.lat) this.map.jump({ lat: Number(settings.lat), lng: Number(settings.lng) }, ZOOM.home);
    else if (region) this.map.jump({ lat: region.center[1], lng: region.center[0] }, ZOOM.region);
  }

  add(at) {
    if (this.geometry && !cornersOf(this.geometry) && !this.corners.length) return; // another geometry
    this.change([...this.corners, at]);
  }

  change(corners) {
    this.corners = corners;
    const ring = [...corners, corners[0]].filter(Boolean).map(({ lat, lng }) => [Number(lng.toFixed(6)), Number(lat.toFixed(6))]);
    this.geometry = corners.length >= LEAST_CORNERS ? { type: "Polygon", coordinates: [ring] } : null;
    this.field.value = this.geometry ? JSON.stringify(this.geometry) : "";
    this.status.textContent = "";
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
    this.draw();
  }

  draw() {
    this.map?.show({
      areas: this.geometry ? [{ geometry: this.geometry, colour: "brand" }] : [],
      lines: this.geometry || this.corners.length < 2 ? [] : [{ way: this.corners.map(({ lat, lng }) => [lat, lng]), colour: "brand", width: 2.5 }],
      points: this.corners.map((corner, at) => ({
        id: `corner-${at}`, ...corner, look: { shape: "place", colour: "brand" }, className: "corner",
        drag: (to) => this.change(this.corners.map((each, other) => (other === at ? to : each))),
      })),
    });
  }
}

for (const field of document.querySelectorAll('form.act textarea[name="geometry"], form.act textarea[name$=".geometry"]')) new Area(field);
