// The location of an address: found by a search or set on a map. Without scripts, users type latitude and longitude.
import { openMap } from "./map.js";
import { el } from "./page-parts.js";

const settings = document.getElementById("pin-words").dataset;
const SMALL = 0.03; // degrees: the map shows a region of this height as a whole
const ZOOM = { pin: 16, home: 13, outline: 10, town: 9, region: 13, world: 1.5 };
const WAIT_MS = 300;

async function findPlaces(query, country) {
  const answer = await fetch(`/desk/places?${new URLSearchParams({ q: query, ...(country && { country }) })}`);
  return answer.ok ? (await answer.json()).places : [];
}

async function findAddress({ lat, lng }) {
  const answer = await fetch(`/desk/places/nearest?${new URLSearchParams({ lat: lat.toFixed(6), lng: lng.toFixed(6) })}`);
  return answer.ok ? (await answer.json()).place : null;
}

class Pin {
  constructor(lat, lng) {
    Object.assign(this, { lat, lng, map: null, opened: null });
    this.status = el("p", { class: "small", role: "status" });
    const own = lat.form.elements[lat.form.dataset.pinSearch];
    this.own = own ?? null; // the address field, if the form has no other
    this.search = own ?? el("input", { type: "search", autocomplete: "off", "aria-label": settings.search, placeholder: settings.search });
    this.found = el("ul", { class: "pin-found", "aria-label": settings.results });
    this.place = el("div", { class: "pin-map" });
    this.here = el("button", { type: "button", class: "plain", onclick: () => this.map && this.setByHand(this.map.center()) }, settings.here);
    this.near = el("div", { class: "pin-near", hidden: true });
    this.typed = el("details", { class: "coordinates" }, el("summary", {}, settings.coordinates));
    const hint = el("p", { class: "hint" }, settings.hint);
    const parts = own ? [this.status, this.found, this.place, this.near, el("div", { class: "row" }, this.here), hint] : [this.search, this.found, hint, this.place, this.near, el("div", { class: "row" }, this.here, this.status)];
    this.frame = el("div", { class: "pin", hidden: true }, ...parts);
    this.button = el("button", { type: "button", class: "plain", "aria-expanded": "false", onclick: () => this.toggle() }, settings.open);
    this.build();
  }

  // Move the coordinate fields into a disclosure and show the search and the map instead.
  build() {
    const { lat, lng } = this;
    const fields = [lat, lng].map((input) => input.closest(".field") ?? input);
    const offer = el("div", { class: "pin-offer" }, this.button, this.frame, this.typed);
    fields[0].before(offer);
    this.typed.append(...fields);
    if (fields.some((field) => field.querySelector(".fault"))) this.typed.open = true;
    for (const input of [lat, lng]) {
      input.addEventListener("input", () => this.tell());
      input.addEventListener("change", () => {
        this.draw();
        if (this.map && this.at()) this.map.jump(this.at(), this.closest(this.at()));
      });
      // Browsers cannot report errors at hidden fields.
      input.addEventListener("invalid", (event) => {
        event.preventDefault();
        if (this.frame.hidden) this.toggle();
        this.status.textContent = settings.needed;
        this.search.focus();
      });
    }
    let due = 0;
    this.search.addEventListener("input", () => { clearTimeout(due); due = setTimeout(() => this.seek(), WAIT_MS); });
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || this.own) return;
      event.preventDefault();
      const first = this.found.querySelector("button");
      if (first) first.click();
      else this.seek();
    });
    // Keyboard: arrow keys move the map below the crosshair, Enter sets the pin there.
    this.place.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("canvas, .map-ground")) return;
      event.preventDefault();
      this.setByHand(this.map.center());
    });
    this.tell();
    const fold = offer.closest("details");
    if (fold) fold.addEventListener("toggle", () => fold.open && this.frame.hidden && this.toggle(false));
    else if (lat.required || this.own || this.at()) new IntersectionObserver((seen, watcher) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting) || !this.frame.hidden) return;
      watcher.disconnect();
      this.toggle(false);
    }).observe(offer);
  }

  at() {
    const [lat, lng] = [this.lat, this.lng].map(({ value }) => (value === "" ? Number.NaN : Number(value)));
    return Number.isNaN(lat + lng) ? null : { lat, lng };
  }
  sibling(part) {
    return this.lat.form.elements[this.lat.name.replace(/lat$/, part)];
  }

  async toggle(focus = true) {
    this.frame.hidden = !this.frame.hidden;
    this.button.setAttribute("aria-expanded", String(!this.frame.hidden));
    if (!focus) {
      const had = document.activeElement === this.button;
      this.button.hidden = true;
      if (had) this.search.focus({ preventScroll: true });
      if (this.own) this.seek();
    }
    if (this.frame.hidden) return;
    if (focus) this.search.focus({ preventScroll: true });
    try {
      this.opened ??= this.open();
      await this.opened;
    } catch {
      this.opened = null;
      this.place.hidden = this.here.hidden = true;
      this.typed.open = true;
      this.status.textContent = settings.lost;
    }
  }

  async open() {
    this.map = await openMap(this.place, { label: settings.map, cursor: "crosshair", gentle: true });
    this.map.onClick((at) => this.setByHand(at));
    this.draw();
    const [at, zoom] = await this.start();
    this.map.jump(at, zoom);
  }

  // Initial view of the map: the pin, the typed address, home, a region, or the world.
  async start() {
    if (this.at()) return [this.at(), this.closest(this.at())];
    const typed = ["address", "postal_code", "city"].map((part) => this.sibling(part)?.value).filter(Boolean).join(" ");
    const [found] = typed ? await findPlaces(typed, this.sibling("country")?.value).catch(() => []) : [];
    if (found?.lat != null) return [found, this.closest(found)];
    if (settings.lat) {
      const home = { lat: Number(settings.lat), lng: Number(settings.lng) };
      const town = this.map.regions.find(({ bounds: [west, south, east, north] }) => home.lng >= west && home.lng <= east && home.lat >= south && home.lat <= north && north - south < SMALL);
      if (town) return [{ lat: town.center[1], lng: town.center[0] }, ZOOM.home];
      return [home, settings.zoom ? Number(settings.zoom) : Math.min(ZOOM.home, this.closest(home))];
    }
    const [region] = this.map.regions;
    return region ? [{ lat: region.center[1], lng: region.center[0] }, ZOOM.region] : [{ lat: 20, lng: 0 }, ZOOM.world];
  }

  closest(at) {
    return this.map.hasStreets(at) ? ZOOM.pin : ZOOM.outline;
  }

  async seek() {
    const query = this.search.value.trim();
    const places = query.length > 1 ? await findPlaces(query, this.sibling("country")?.value).catch(() => []) : [];
    if (query !== this.search.value.trim()) return;
    if (!this.own || !this.at()) this.status.textContent = query.length > 1 && !places.length ? (this.own ? settings.unknown : settings.none) : "";
    const placed = places.filter(({ lat }) => lat != null);
    if (this.own) this.guess(placed[0]);
    this.found.replaceChildren(...(this.own && placed.length === 1 ? [] : placed).map((place) => el("li", {}, el("button", { type: "button", class: "text", onclick: () => this.take(place) }, place.text))));
  }

  // A found address fills the empty parts of the address.
  take(place) {
    if (place.source === "towns") return this.map?.jump(place, ZOOM.outline);
    for (const part of ["address", "unit", "city", "postal_code", "region", "country"]) {
      const field = this.sibling(part);
      if (field && !field.value && place[part]) field.value = place[part];
    }
    this.found.replaceChildren();
    this.search.value = place.text;
    this.put(place);
    this.map?.jump(place, this.closest(place));
  }

  // After the pin is set by hand, its address is offered and fills the form on request.
  async setByHand(at) {
    this.put(at);
    this.near.hidden = true;
    if (!this.sibling("address")) return;
    const place = await findAddress(at).catch(() => null);
    const now = this.at();
    if (!place || !now || now.lat.toFixed(6) !== at.lat.toFixed(6) || now.lng.toFixed(6) !== at.lng.toFixed(6)) return;
    const use = el("button", { type: "button", class: "plain", onclick: () => { this.fill(place); this.near.hidden = true; } }, settings.use);
    this.near.replaceChildren(el("span", {}, settings.nearest, " ", el("strong", {}, place.text)), use);
    this.near.hidden = false;
  }
  fill(place) {
    for (const part of ["address", "city", "postal_code", "region", "country"]) {
      const field = this.sibling(part);
      if (!field || place[part] == null) continue;
      field.value = place[part];
      for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
    }
  }

  // The pin follows the typed address until the user sets it.
  guess(place) {
    if (!place || this.set || (this.at() && !this.guessed)) return;
    this.guessed = true;
    this.put(place, true);
    this.map?.jump(place, place.source === "towns" ? ZOOM.town : this.closest(place));
    this.status.textContent = (place.source === "towns" ? settings.about : settings.found).replace("{place}", place.text);
  }

  put(at, guessed = false) {
    this.set = !guessed;
    this.near.hidden = true;
    this.lat.value = at.lat.toFixed(6);
    this.lng.value = at.lng.toFixed(6);
    this.lat.dispatchEvent(new Event("input", { bubbles: true }));
    this.draw();
  }
  tell() {
    this.status.textContent = this.at() ? settings.placed : "";
  }
  draw() {
    const at = this.at();
    this.map?.show({ points: at ? [{ id: "pin", ...at, look: { shape: "pin", colour: "bad", size: 44 }, title: settings.pin, className: "pin-mark", drag: (to) => this.setByHand(to) }] : [] });
  }
}

for (const lat of document.querySelectorAll('form.act input[name="lat"], form.act input[name$=".lat"]')) {
  const lng = lat.form.elements[lat.name.replace(/lat$/, "lng")];
  if (lng instanceof HTMLInputElement) new Pin(lat, lng);
}
if (document.querySelector('form.act textarea[name$="geometry"]')) import("./desk-area.js");
