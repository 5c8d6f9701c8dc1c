// The map of locker sites, and the same sites as a list to read and search.
import { follow, say } from "./locker-page.js";
import { openMap } from "./map.js";
import { el } from "./page-parts.js";

const list = document.getElementById("sites"), seek = document.getElementById("seek"), count = document.getElementById("count");
const element = document.getElementById("map"), nothing = document.getElementById("nothing");
let sites = [], fitted = false, map = null;

const mood = (site) => (site.retired ? "soft" : site.out_of_use ? "warn" : site.free ? "good" : "bad");
const told = (site) => (site.retired ? say("retired") : say("free_of", { free: site.free, boxes: site.boxes }));

function row(site) {
  const point = () => map?.see(site);
  const link = el("a", { href: `/desk/lockers/${site.id}`, onmouseenter: point, onfocus: point },
    el("strong", {}, site.name), el("span", { class: `badge ${mood(site)}` }, told(site)),
    el("small", {}, [site.address, site.out_of_use ? say("out_of_use", { count: site.out_of_use }) : ""].filter(Boolean).join(" · ")));
  return el("li", {}, link);
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
  map?.show({ points: shown.map((site) => ({
    id: String(site.id), lat: site.lat, lng: site.lng, title: [site.name, told(site)].join(" · "), href: `/desk/lockers/${site.id}`,
    look: { shape: "locker", colour: mood(site), label: site.retired ? "" : String(site.free) },
  })) });
  if (!map || fitted || !shown.length) return;
  map.fit(shown, { maxZoom: 15 });
  fitted = true;
}

seek.addEventListener("input", draw);
await follow("/desk/lockers/stream", (told) => { sites = told.sites; draw(); }, (text) => {
  list.parentElement.hidden = false;
  count.textContent = text;
});
map = await openMap(element, { minZoom: 2 });
draw();
