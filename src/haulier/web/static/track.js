// The page is whole without this file. With it the parcel is followed live, and its map can be moved.
const parcel = document.getElementById("parcel");
let map = null;
let drawn = null;

async function renew() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.getElementById("fresh").replaceWith(page.getElementById("fresh"));
  document.title = page.title;
  const [still, news] = [document.getElementById("map-section"), page.getElementById("map-section")];
  if (map || !news) return draw();
  if (still) still.replaceWith(news);
  else parcel.lastElementChild.before(news);
  offerMap();
}

function follow(address) {
  const stream = new EventSource(address);
  let known = document.querySelectorAll(".events li").length;
  let told = 0;
  stream.onopen = () => { document.getElementById("live").hidden = false; };
  stream.onmessage = () => {
    told += 1;
    if (told > known) { known = told; renew(); }
  };
}

const load = (name, dataset = {}) =>
  new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script.dataset, dataset);
    script.onload = done;
    script.onerror = failed;
    script.src = `/static/${name}`;
    document.head.append(script);
  });

// A map that moves weighs four times as much as all of the page: it comes for those who ask for it.
async function moveMap(button) {
  button.disabled = true;
  const style = document.createElement("link");
  Object.assign(style, { rel: "stylesheet", href: "/static/vendor/leaflet.css" });
  try {
    const styled = new Promise((done, failed) => { style.onload = done; style.onerror = failed; });
    document.head.append(style);
    await Promise.all([styled, load("vendor/leaflet.js"), load("vendor/topojson-client.min.js"), load("basemap.js", { ...button.dataset })]);
    document.getElementById("map").replaceChildren();
    draw();
    button.hidden = true;
    document.getElementById("map").focus();
  } catch {
    button.disabled = false;
  }
}

function offerMap() {
  const button = document.getElementById("move-map");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => moveMap(button));
}

function draw() {
  const places = JSON.parse(document.getElementById("places").textContent);
  if (!places.length || !window.drawGround) return;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  if (!map) {
    const { zoomIn, zoomOut } = document.getElementById("move-map").dataset;
    L.Control.Zoom.mergeOptions({ zoomInTitle: zoomIn, zoomOutTitle: zoomOut });
    map = L.map("map", { attributionControl: false, zoomSnap: 0.25, minZoom: 2, maxZoom: 9 });
    drawGround(map, () => ({ land: colour("--line"), border: colour("--soft"), water: colour("--paper") })).catch(() => {});
  }
  if (drawn) drawn.remove();
  const way = places.map((place) => [place.lat, place.lng]);
  drawn = L.featureGroup([
    L.polyline(way, { color: colour("--brand"), weight: 3 }),
    ...places.map((place, at) => L.circleMarker([place.lat, place.lng], {
      radius: at === places.length - 1 ? 9 : 6, color: colour("--brand"), weight: 3,
      fillColor: at === places.length - 1 ? colour("--brand") : colour("--paper"), fillOpacity: 1,
    }).bindTooltip([place.name, place.what].filter(Boolean).join(" · "))),
  ]).addTo(map);
  map.fitBounds(drawn.getBounds().pad(0.4), { maxZoom: 6 });
}

offerMap();
if (parcel.dataset.live) follow(parcel.dataset.live);
