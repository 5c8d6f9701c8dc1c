// The engine of maps without WebGL: world outlines, lines and areas as SVG, with panning, zooming and tooltips.
import { el } from "./page-parts.js";

const SVG = "http://www.w3.org/2000/svg";
const TILE = 512;
const TOWNS = 25;
const OUTLINES_UNTIL_ZOOM = 12; // above it, outlines that are a kilometre off are misleading
let world;

const xOf = (lng) => lng / 360 + 0.5;
const yOf = (lat) => 0.5 - Math.asinh(Math.tan((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180)) / (2 * Math.PI);
const latOf = (y) => (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI;

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value != null) made.setAttribute(key, value);
  return made;
}

function loadWorld() {
  world ??= fetch("/static/vendor/natural-earth.json").then(async (answer) => {
    const { features } = await answer.json();
    return features.map(({ properties, geometry }) => ({ ...properties, parts: partsOf(geometry) })).map((each) => ({ ...each, box: boxOf(each.parts.flat()) }));
  });
  return world.catch(() => []);
}

// Rings and lines of any geometry, as points of the world.
function partsOf({ type, coordinates }) {
  const deep = { Point: 0, LineString: 1, MultiLineString: 2, Polygon: 2, MultiPolygon: 3 }[type];
  const all = deep === 0 ? [[coordinates]] : deep === 1 ? [coordinates] : coordinates.flat(deep - 2);
  return all.map((part) => part.map(([lng, lat]) => [xOf(lng), yOf(lat)]));
}
function boxOf(points) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    box[0] = Math.min(box[0], x); box[1] = Math.min(box[1], y); box[2] = Math.max(box[2], x); box[3] = Math.max(box[3], y);
  }
  return box;
}

export function openStill(element, { words, ...view }) {
  const least = view.minZoom ?? 1, most = view.maxZoom ?? 19;
  const at = { x: xOf(view.center[1]), y: yOf(view.center[0]), zoom: view.zoom };
  const told = { click: [], hover: [], move: [], moved: [] };
  const drawn = { areas: [], lines: [] };
  const picture = shape("svg", { class: "map-still", "aria-hidden": "true" });
  const button = (sign, label, by) => el("button", { type: "button", class: "plain", "aria-label": label, title: label, onclick: () => zoomTo(at.zoom + by) }, sign);
  const buttons = el("div", { class: "map-zoom" }, button("+", words.zoom_in, 1), button("−", words.zoom_out, -1));
  const ground = el("div", { class: "map-ground", tabindex: view.keyboard === false ? null : "0", role: "application", "aria-label": view.label ?? words.map });
  ground.append(picture);
  element.append(ground, buttons, el("p", { class: "map-credit" }, "Natural Earth"));
  element.classList.add("map-flat");

  const unit = () => TILE * 2 ** at.zoom;
  const size = () => ({ x: element.clientWidth || 1, y: element.clientHeight || 1 });
  const toSpot = (x, y) => ({ x: (x - at.x) * unit() + size().x / 2, y: (y - at.y) * unit() + size().y / 2 });
  const fromSpot = ({ x, y }) => ({ x: at.x + (x - size().x / 2) / unit(), y: at.y + (y - size().y / 2) / unit() });
  const placeAt = (spot) => { const { x, y } = fromSpot(spot); return { lat: latOf(y), lng: (x - 0.5) * 360 }; };
  const tell = (event, ...news) => { for (const act of told[event]) act(...news); };

  const path = (parts, close) => parts.map((part) => `M${part.map(([x, y]) => { const spot = toSpot(x, y); return `${spot.x.toFixed(1)} ${spot.y.toFixed(1)}`; }).join("L")}${close ? "z" : ""}`).join("");
  function draw() {
    const corner = fromSpot({ x: 0, y: 0 }), other = fromSpot(size());
    const seen = (box) => box[2] >= corner.x && box[0] <= other.x && box[3] >= corner.y && box[1] <= other.y;
    ground.classList.toggle("near", at.zoom > OUTLINES_UNTIL_ZOOM);
    const kinds = Object.groupBy(features.filter(({ box }) => seen(box)), ({ kind }) => kind);
    picture.replaceChildren(
      ...(at.zoom > OUTLINES_UNTIL_ZOOM ? [] : ["land", "lake", "border"]).map((kind) => shape("path", { class: kind, d: (kinds[kind] ?? []).map(({ parts }) => path(parts, kind !== "border")).join("") })),
      ...towns(kinds.town ?? []),
      ...drawn.areas.map((each) => shape("path", { d: path(each.parts, true), fill: each.colour, "fill-opacity": 0.14, stroke: each.colour })),
      ...drawn.lines.map((each) => shape("path", { d: path([each.points], false), class: "line", stroke: each.colour, "stroke-width": each.width, "stroke-opacity": each.opacity ?? 1 })),
    );
    tell("move");
  }
  function towns(all) {
    const taken = [];
    return all.flatMap(({ name, parts: [[[x, y]]] }) => {
      const spot = toSpot(x, y);
      if (taken.length >= TOWNS || taken.some((other) => Math.abs(other.x - spot.x) < 90 && Math.abs(other.y - spot.y) < 24)) return [];
      taken.push(spot);
      const text = shape("text", { x: spot.x, y: spot.y });
      text.textContent = name;
      return [text];
    });
  }
  let due = 0;
  const soon = () => { due ||= requestAnimationFrame(() => { due = 0; draw(); }); };
  function zoomTo(zoom, spot = { x: size().x / 2, y: size().y / 2 }) {
    const before = fromSpot(spot);
    at.zoom = Math.max(least, Math.min(most, zoom));
    const after = fromSpot(spot);
    at.x += before.x - after.x;
    at.y += before.y - after.y;
    soon();
    tell("moved");
  }
  function pan(x, y) { at.x += x / unit(); at.y += y / unit(); soon(); }

  let from = null;
  const spotOf = (event) => { const box = element.getBoundingClientRect(); return { x: event.clientX - box.left, y: event.clientY - box.top }; };
  ground.addEventListener("pointerdown", (event) => { from = { ...spotOf(event), far: 0 }; ground.setPointerCapture(event.pointerId); });
  ground.addEventListener("pointermove", (event) => {
    const spot = spotOf(event);
    if (!from) return tell("hover", spot);
    from.far += Math.hypot(spot.x - from.x, spot.y - from.y);
    pan(from.x - spot.x, from.y - spot.y);
    Object.assign(from, spot);
  });
  ground.addEventListener("pointerup", (event) => {
    const spot = spotOf(event), moved = from?.far > 4;
    from = null;
    if (moved) tell("moved");
    else tell("click", placeAt(spot), spot);
  });
  ground.addEventListener("wheel", (event) => { if (view.gentle && !event.ctrlKey) return; event.preventDefault(); zoomTo(at.zoom - Math.sign(event.deltaY) / 2, spotOf(event)); }, { passive: false });
  ground.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: [0, -60], ArrowDown: [0, 60], ArrowLeft: [-60, 0], ArrowRight: [60, 0] }[event.key];
    const zoom = { "+": 1, "=": 1, "-": -1 }[event.key];
    if (!steps && !zoom) return;
    event.preventDefault();
    if (zoom) return zoomTo(at.zoom + zoom);
    pan(...steps);
    tell("moved");
  });
  let features = [];
  loadWorld().then((all) => { features = all; draw(); element.dataset.drawn = "yes"; });
  new ResizeObserver(soon).observe(element);
  return {
    kind: "still", regions: [],
    project: ({ lat, lng }) => toSpot(xOf(lng), yOf(lat)),
    unproject: placeAt,
    bounds() {
      const [a, b] = [placeAt({ x: 0, y: 0 }), placeAt(size())];
      const near = Math.max(-180, Math.min(180, a.lng)), far = Math.max(-180, Math.min(180, b.lng));
      return { getWest: () => near, getEast: () => far, getNorth: () => a.lat, getSouth: () => b.lat };
    },
    center: () => ({ lat: latOf(at.y), lng: (at.x - 0.5) * 360 }),
    zoom: () => at.zoom,
    jump({ lat, lng }, zoom) { Object.assign(at, { x: xOf(lng), y: yOf(lat), zoom: zoom ?? at.zoom }); soon(); tell("moved"); },
    fit(box, { padding, maxZoom }) {
      const [x, y, right, bottom] = [xOf(box.west), yOf(box.north), xOf(box.east), yOf(box.south)];
      const { top = 40, bottom: below = 40, left = 40, right: beside = 40 } = typeof padding === "object" ? padding : { top: padding, bottom: padding, left: padding, right: padding };
      const room = { x: Math.max(40, size().x - left - beside), y: Math.max(40, size().y - top - below) };
      const zoom = Math.log2(Math.min(room.x / Math.max(right - x, 1e-9), room.y / Math.max(bottom - y, 1e-9)) / TILE);
      at.zoom = Math.max(least, Math.min(maxZoom ?? most, most, zoom));
      Object.assign(at, { x: (x + right) / 2 + (beside - left) / 2 / unit(), y: (y + bottom) / 2 + (below - top) / 2 / unit() });
      soon();
      tell("moved");
    },
    areas(areas) { drawn.areas = areas.filter(({ geometry }) => geometry).map((each) => ({ ...each, parts: partsOf(each.geometry) })); soon(); },
    lines(lines) { drawn.lines = [...lines].sort((a, b) => (a.order ?? 0) - (b.order ?? 0)).map((each) => ({ ...each, points: each.way.map(([lat, lng]) => [xOf(lng), yOf(lat)]) })); soon(); },
    points: null,
    areaAt: () => null,
    cursor: (name) => (ground.style.cursor = name),
    repaint: soon,
    on: (event, act) => told[event].push(act),
    remove: () => element.replaceChildren(),
  };
}
