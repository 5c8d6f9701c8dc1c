// The map of the sites of lockers, and the same as a list to read, seek and go to by keys.
import { follow, say } from "./locker-page.js";
import { el } from "./page-parts.js";

const list = document.getElementById("sites"), seek = document.getElementById("seek"), count = document.getElementById("count");
const element = document.getElementById("map"), nothing = document.getElementById("nothing");
const dark = matchMedia("(prefers-color-scheme: dark)");
const map = L.map(element, { preferCanvas: true, attributionControl: false, zoomSnap: 0.25, minZoom: 3, maxZoom: 18, keyboard: false, center: [20, 0], zoom: 3 });
L.control.scale({ imperial: false }).addTo(map);
const dots = L.layerGroup().addTo(map);
let sites = [], fitted = false, laid = null;

const ink = (name) => getComputedStyle(document.body).getPropertyValue(`--${name}`).trim();
const mood = (site) => (site.retired ? "soft" : site.out_of_use ? "warn" : site.free ? "good" : "bad");
const told = (site) => (site.retired ? say("retired") : say("free_of", { free: site.free, boxes: site.boxes }));

function row(site) {
  const link = el("a", { href: `/desk/lockers/${site.id}`, onmouseenter: () => point(site), onfocus: () => point(site) },
    el("strong", {}, site.name), el("span", { class: `badge ${mood(site)}` }, told(site)),
    el("small", {}, [site.address, site.out_of_use ? say("out_of_use", { count: site.out_of_use }) : ""].filter(Boolean).join(" · ")));
  return el("li", {}, link);
}

function point(site) {
  if (!map.getBounds().contains([site.lat, site.lng])) map.panTo([site.lat, site.lng], { animate: false });
}

function wanted() {
  const text = seek.value.trim().toLocaleLowerCase();
  return sites.filter((site) => `${site.name} ${site.address}`.toLocaleLowerCase().includes(text));
}

function draw() {
  const shown = wanted();
  nothing.hidden = sites.length > 0;
  element.parentElement.hidden = list.parentElement.hidden = !sites.length;
  count.textContent = sites.length ? say("sites_of", { shown: shown.length, sites: sites.length }) : say("none");
  list.replaceChildren(...shown.map(row));
  dots.clearLayers();
  for (const site of shown) {
    L.circleMarker([site.lat, site.lng], { radius: 10, weight: 4, color: ink(mood(site)), fillColor: ink("sheet"), fillOpacity: 1 })
      .bindTooltip([site.name, told(site)].join(" · ")).on("click", () => location.assign(`/desk/lockers/${site.id}`)).addTo(dots);
  }
  if (!fitted && shown.length) {
    map.invalidateSize({ animate: false });
    map.fitBounds(L.latLngBounds(shown.map((site) => [site.lat, site.lng])).pad(0.2), { animate: false, maxZoom: 10 });
    fitted = true;
  }
}

seek.addEventListener("input", draw);
dark.addEventListener("change", () => { laid?.repaint(); draw(); });
new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(element);
await follow("/desk/lockers/stream", (told) => { sites = told.sites; draw(); }, (text) => {
  list.parentElement.hidden = false;
  count.textContent = text;
});
laid = await drawGround(map, () => ({ land: ink("paper"), border: ink("edge"), water: ink("sunk") }));
