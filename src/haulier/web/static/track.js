// The page works without this file. With it the parcel updates live, and its map can be moved.
const parcel = document.getElementById("parcel");
let map = null;

async function renew() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll(".fresh")) {
    const now = page.getElementById(part.id);
    if (now && now.innerHTML !== part.innerHTML) part.replaceWith(now);
  }
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

const loadStyle = (href) =>
  new Promise((done, failed) => document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: failed })));

// The interactive map is larger than the rest of the page, so it loads on request.
async function moveMap(button) {
  button.disabled = true;
  const element = document.getElementById("map");
  try {
    const [{ openMap }] = await Promise.all([import("/static/map.js"), loadStyle("/static/map.css")]);
    element.replaceChildren();
    map = await openMap(element, { minZoom: 1, maxZoom: 12, gentle: true });
    button.hidden = true;
    draw();
    element.querySelector("canvas, .map-ground").focus();
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
  if (!places.length || !map) return;
  const last = places.length - 1;
  map.show({
    lines: [{ way: places.map(({ lat, lng }) => [lat, lng]), colour: "brand", width: 3.5, casing: "sheet" }],
    points: places.map((place, at) => ({ ...place, id: String(at), order: at, title: [place.name, place.what].filter(Boolean).join(" · "), look: { shape: "place", colour: "brand", state: at === last ? "last" : "", size: at === last ? 21 : 0 } })),
  });
  map.fit(places, { maxZoom: 7 });
}

offerMap();
if (parcel.dataset.live) document.addEventListener("visibilitychange", () => document.hidden || renew());
if (parcel.dataset.live) follow(parcel.dataset.live);
