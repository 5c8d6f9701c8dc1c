// The page is whole without this file. With it the parcel is followed live, and its places are drawn on a map.
const parcel = document.getElementById("parcel");
let map = null;
let drawn = null;

async function renew() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.getElementById("fresh").replaceWith(page.getElementById("fresh"));
  document.title = page.title;
  draw();
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

// The ground weighs more than all of the page: it comes for those who look at the map.
function whenSeen(element, act) {
  const look = new IntersectionObserver((seen) => {
    if (!seen.some((each) => each.isIntersecting)) return;
    look.disconnect();
    act();
  }, { rootMargin: "0px 0px -120px" });
  look.observe(element);
}

async function draw() {
  const places = JSON.parse(document.getElementById("places").textContent);
  if (!places.length || !window.L) return;
  const section = document.getElementById("map-section");
  section.hidden = false;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  if (!map) {
    map = L.map("map", { attributionControl: false, zoomSnap: 0.25, minZoom: 2, maxZoom: 9 });
    whenSeen(document.getElementById("map"), () => drawGround(map, () => ({ land: colour("--line"), border: colour("--soft"), water: colour("--paper") })).catch(() => {}));
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

draw();
if (parcel.dataset.live) follow(parcel.dataset.live);
