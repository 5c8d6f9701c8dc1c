// The driver on the way to a recipient. A picture of the streets is drawn when the driver is near, and then updates without
// a reload. The map that can be moved is twenty times larger, so it loads on request.
import { openPicture } from "./street-picture.js";

const EVERY_MS = 8000;
const section = document.getElementById("live-map");
const said = section.querySelector(".driver-state"), element = section.querySelector(".driver-map"), more = section.querySelector("button");
const tiles = JSON.parse(document.getElementById("map-words").textContent).tiles;
let show = null, shown = null;

const loadStyle = (href) =>
  new Promise((done, failed) => document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: failed })));
const place = ([lat, lng]) => ({ lat, lng });

async function draw({ driver, destination, line }) {
  element.hidden = more.parentElement.hidden = false;
  shown = { driver: place(driver), destination: destination && place(destination), line: line.map(place) };
  show ??= openPicture(element, shown.driver, { tiles });
  await (await show)(shown);
}

// Replaces the picture with the map of all pages.
async function openMap() {
  more.disabled = true;
  const [{ openMap: open, routeLines }] = await Promise.all([import("/static/map.js"), loadStyle("/static/map.css")]);
  element.replaceChildren();
  const handle = await open(element, { minZoom: 3, gentle: true, label: element.getAttribute("aria-label") });
  const drawn = async ({ driver, destination: to, line }) =>
    handle.show({
      lines: to && line.length ? routeLines([driver, to], { legs: [line.map(({ lat, lng }) => [lat, lng])] }) : [],
      points: [
        ...(to ? [{ id: "to", ...to, look: { shape: "pin", colour: "bad" }, title: section.dataset.destination }] : []),
        { id: "driver", ...driver, glides: true, order: 9, look: { shape: "driver", colour: "brand" }, title: section.dataset.driver },
      ],
    });
  show = Promise.resolve(drawn);
  await drawn(shown);
  handle.fit([shown.driver, ...(shown.destination ? [shown.destination] : []), ...shown.line], { padding: 56, maxZoom: 16 });
  more.parentElement.hidden = true;
}
more.addEventListener("click", () => openMap().catch(() => (more.disabled = false)));

async function renew() {
  const answer = await fetch(section.dataset.from).catch(() => null);
  if (answer?.status === 404) return void (section.hidden = true);
  if (answer?.ok) {
    const told = await answer.json();
    if (said.textContent !== told.text) said.textContent = told.text;
    if (told.driver) await draw(told).catch(() => (show = null));
    else element.hidden = more.parentElement.hidden = true;
  }
  setTimeout(renew, EVERY_MS);
}
renew();
