// The driver on the way to a recipient. The map is loaded when the driver is near, and then updates without a reload.
const EVERY_MS = 8000;
const section = document.getElementById("live-map");
const said = section.querySelector(".driver-state"), element = section.querySelector(".driver-map");
let map = null, fitted = false;

const loadStyle = (href) =>
  new Promise((done, failed) => document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: failed })));
const place = ([lat, lng]) => ({ lat, lng });

async function open() {
  const [{ openMap, routeLines }] = await Promise.all([import("/static/map.js"), loadStyle("/static/map.css")]);
  element.hidden = false;
  return { handle: await openMap(element, { minZoom: 3, gentle: true, label: element.getAttribute("aria-label") }), routeLines };
}

async function draw({ driver, destination, line }) {
  map ??= open();
  const { handle, routeLines } = await map;
  const [from, to] = [place(driver), destination && place(destination)];
  handle.show({
    lines: to && line.length ? routeLines([from, to], { legs: [line] }) : [],
    points: [
      ...(to ? [{ id: "to", ...to, look: { shape: "pin", colour: "bad" }, title: section.dataset.destination }] : []),
      { id: "driver", ...from, glides: true, order: 9, look: { shape: "driver", colour: "brand" }, title: section.dataset.driver },
    ],
  });
  if (!fitted) handle.fit([from, ...(to ? [to] : []), ...line.map(place)], { padding: 56, maxZoom: 16 });
  fitted = true;
}

async function renew() {
  const answer = await fetch(section.dataset.from).catch(() => null);
  if (answer?.status === 404) return void (section.hidden = true);
  if (answer?.ok) {
    const told = await answer.json();
    if (said.textContent !== told.text) said.textContent = told.text;
    if (told.driver) await draw(told).catch(() => (map = null));
    else element.hidden = true;
    if (told.driver && map) element.hidden = false;
  }
  setTimeout(renew, EVERY_MS);
}
renew();
