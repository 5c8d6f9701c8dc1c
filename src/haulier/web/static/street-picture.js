// A picture of streets with a driver, a destination and the line between them: a hundredth of the weight of a map to move.
import { anchorOf, drawPin } from "./map-pins.js";
import { readTile } from "./vector-tile.js";

const SIDE = 512, MOST_ZOOM = 16.5, LEAST_ZOOM = 9, ROOM = 52, GLIDE_MS = 1000;
const WANTED = new Set(["earth", "water", "landuse", "buildings", "roads"]);
const GREEN = new Set(["park", "garden", "wood", "forest", "grass", "grassland", "cemetery", "pitch", "golf_course", "nature_reserve", "recreation_ground"]);
const WIDTHS = { highway: 7, major_road: 6, medium_road: 5, minor_road: 3.6, other: 2, path: 1 };
const LIGHT = { sea: "#c3dce6", land: "#f4f2ec", green: "#dfecd6", building: "#e5e1d8", casing: "#dcd8cd", road: "#ffffff", highway: "#fdecc0", name: "#5f5d57", halo: "#ffffff" };
const DARK = { sea: "#10222a", land: "#1a2320", green: "#1c2f25", building: "#232e2a", casing: "#161d1a", road: "#34413c", highway: "#54574a", name: "#b3beb9", halo: "#161d1a" };
const dark = matchMedia("(prefers-color-scheme: dark)"), still = matchMedia("(prefers-reduced-motion: reduce)");

const xOf = (lng) => lng / 360 + 0.5;
const yOf = (lat) => 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
const within = ([west, south, east, north], { lat, lng }) => lng >= west && lng <= east && lat >= south && lat <= north;

function loadScript(src) {
  return new Promise((done, failed) => document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: failed })));
}

async function groundAt(place, tiles) {
  const answer = await fetch("/maps/regions.json").catch(() => null);
  const region = answer?.ok && (await answer.json()).regions.find(({ bounds }) => within(bounds, place));
  if (region) {
    await loadScript("/static/vendor/pmtiles.js");
    const file = new window.pmtiles.PMTiles(new URL(region.url, location.href).href);
    const load = async (z, x, y) => { const found = await file.getZxy(z, x, y); return found && { layers: readTile(found.data, WANTED) }; };
    return { credit: region.attribution, most: region.zooms[1], load };
  }
  if (!tiles) return { credit: "", most: 0, load: async () => null };
  const load = async (z, x, y) => {
    const address = tiles.address.replace("{s}", "a").replace("{z}", z).replace("{x}", x).replace("{y}", y);
    return { image: await createImageBitmap(await (await fetch(address)).blob()) };
  };
  return { credit: tiles.credit, most: 19, load };
}

// The middle and zoom that show all places.
function viewOf(places, width, height) {
  const xs = places.map(({ lng }) => xOf(lng)), ys = places.map(({ lat }) => yOf(lat));
  const span = Math.max((Math.max(...xs) - Math.min(...xs)) / (width - 2 * ROOM), (Math.max(...ys) - Math.min(...ys)) / (height - 2 * ROOM), 1e-9);
  const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, Math.log2(1 / (span * SIDE))));
  return { x: (Math.max(...xs) + Math.min(...xs)) / 2, y: (Math.max(...ys) + Math.min(...ys)) / 2, zoom };
}

function trace(pen, parts, { left, top, side }) {
  pen.beginPath();
  for (const part of parts) part.forEach(([x, y], at) => (at ? pen.lineTo(left + x * side, top + y * side) : pen.moveTo(left + x * side, top + y * side)));
}

function drawGround(pen, tiles, look, scale) {
  const fill = (layer, colour, keep = () => true) => {
    pen.fillStyle = colour;
    for (const tile of tiles) for (const each of tile.layers?.[layer] ?? []) if (each.type === 3 && keep(each.tags)) { trace(pen, each.parts, tile); pen.fill("evenodd"); }
  };
  for (const { image, left, top, side } of tiles) if (image) pen.drawImage(image, left, top, side, side);
  fill("earth", look.land);
  fill("landuse", look.green, ({ kind }) => GREEN.has(kind));
  fill("water", look.sea);
  fill("buildings", look.building);
  const roads = tiles.flatMap((tile) => (tile.layers?.roads ?? []).filter(({ type, tags }) => type === 2 && WIDTHS[tags.kind]).map((each) => ({ ...each, tile })));
  roads.sort((one, other) => WIDTHS[one.tags.kind] - WIDTHS[other.tags.kind]);
  Object.assign(pen, { lineCap: "round", lineJoin: "round" });
  for (const casing of [true, false]) {
    for (const { parts, tags: { kind }, tile } of roads) {
      trace(pen, parts, tile);
      pen.strokeStyle = casing ? look.casing : kind === "highway" ? look.highway : look.road;
      pen.lineWidth = WIDTHS[kind] * scale + (casing ? 1.6 : 0);
      pen.stroke();
    }
  }
  drawNames(pen, roads, look);
}

// A street's name along its longest straight piece, once per street, if it fits.
function drawNames(pen, roads, look) {
  const longest = new Map();
  for (const { parts, tags, tile: { left, top, side } } of roads) {
    if (!tags.name || tags.kind === "path") continue;
    for (const part of parts) for (let at = 1; at < part.length; at++) {
      const [[x0, y0], [x1, y1]] = [part[at - 1], part[at]].map(([x, y]) => [left + x * side, top + y * side]);
      const length = Math.hypot(x1 - x0, y1 - y0);
      if (length > (longest.get(tags.name)?.length ?? 0)) longest.set(tags.name, { length, x: (x0 + x1) / 2, y: (y0 + y1) / 2, turn: Math.atan2(y1 - y0, x1 - x0) });
    }
  }
  Object.assign(pen, { font: "11px system-ui, sans-serif", textAlign: "center", textBaseline: "middle", fillStyle: look.name, strokeStyle: look.halo, lineWidth: 3 });
  for (const [name, { length, x, y, turn }] of longest) {
    if (pen.measureText(name).width > length) continue;
    pen.save();
    pen.translate(x, y);
    pen.rotate(Math.abs(turn) > Math.PI / 2 ? turn + Math.PI : turn);
    pen.strokeText(name, 0, 0);
    pen.fillText(name, 0, 0);
    pen.restore();
  }
}

export async function openPicture(element, first, { tiles } = {}) {
  const ink = (name) => getComputedStyle(element).getPropertyValue(`--${name}`).trim();
  const { credit, most, load } = await groundAt(first, tiles);
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), ground = document.createElement("canvas"), kept = new Map();
  const tile = (z, x, y) => { const key = `${z}/${x}/${y}`; kept.get(key) ?? kept.set(key, load(z, x, y).catch(() => null)); return kept.get(key); };
  element.replaceChildren(canvas);
  if (credit) {
    const text = new DOMParser().parseFromString(credit, "text/html").body.textContent;
    element.append(Object.assign(document.createElement("p"), { className: "credit", textContent: text }));
  }
  let now = null, view = null, run = 0;

  const size = () => ({ width: element.clientWidth || 1, height: element.clientHeight || 1 });
  const spot = ({ lat, lng }) => { const unit = SIDE * 2 ** view.zoom, { width, height } = size(); return [(xOf(lng) - view.x) * unit + width / 2, (yOf(lat) - view.y) * unit + height / 2]; };

  async function drawStreets() {
    const { width, height } = size(), ratio = Math.min(2, devicePixelRatio || 1), look = dark.matches ? DARK : LIGHT, mine = ++run;
    const z = Math.min(most, Math.max(0, Math.round(view.zoom))), count = 2 ** z, unit = SIDE * 2 ** view.zoom, side = unit / count;
    const [x0, y0] = [Math.floor((view.x - width / 2 / unit) * count), Math.floor((view.y - height / 2 / unit) * count)];
    const [x1, y1] = [Math.floor((view.x + width / 2 / unit) * count), Math.floor((view.y + height / 2 / unit) * count)];
    const wanted = [];
    for (let x = x0; most && x <= x1; x++) for (let y = y0; y <= y1; y++) wanted.push(tile(z, x, y).then((found) => found && { ...found, side, left: (x / count - view.x) * unit + width / 2, top: (y / count - view.y) * unit + height / 2 }));
    const found = (await Promise.all(wanted)).filter(Boolean);
    if (mine !== run) return;
    Object.assign(ground, { width: width * ratio, height: height * ratio });
    const on = ground.getContext("2d");
    on.scale(ratio, ratio);
    on.fillStyle = look.land;
    on.fillRect(0, 0, width, height);
    drawGround(on, found, look, Math.min(1.6, Math.max(0.5, 2 ** (view.zoom - 15))));
    draw();
  }

  function draw(driver = now.driver) {
    const { width, height } = size(), ratio = Math.min(2, devicePixelRatio || 1);
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    pen.scale(ratio, ratio);
    if (ground.width) pen.drawImage(ground, 0, 0, width, height);
    if (now.line.length > 1) {
      pen.beginPath();
      now.line.map(spot).forEach(([x, y], at) => (at ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      Object.assign(pen, { lineCap: "round", lineJoin: "round", lineWidth: 8, strokeStyle: ink("sheet") });
      pen.stroke();
      Object.assign(pen, { lineWidth: 4.5, strokeStyle: ink("brand") });
      pen.stroke();
    }
    if (now.destination) mark(now.destination, { shape: "pin", colour: "bad" });
    mark(driver, { shape: "driver", colour: "brand" });
  }

  function mark(place, look) {
    const [x, y] = spot(place), { canvas: pin, width, height } = drawPin(look, ink);
    pen.drawImage(pin, x - width / 2, anchorOf(look) === "bottom" ? y - height + 6 : y - height / 2, width, height);
  }

  function glide(from, to) {
    const began = performance.now();
    const step = (at) => {
      const part = Math.min(1, (at - began) / GLIDE_MS);
      draw({ lat: from.lat + (to.lat - from.lat) * part, lng: from.lng + (to.lng - from.lng) * part });
      if (part < 1 && now.driver === to) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  const fit = () => { const { width, height } = size(); view = viewOf([now.driver, ...(now.destination ? [now.destination] : []), ...now.line], width, height); return drawStreets(); };
  addEventListener("resize", () => now && fit());
  dark.addEventListener("change", () => now && drawStreets());

  // Shows { driver, destination, line }; the view changes only if the driver would leave it.
  return async function show(next) {
    const before = now?.driver;
    now = next;
    const [x, y] = view ? spot(next.driver) : [-1, -1], { width, height } = size();
    if (x < 20 || y < 20 || x > width - 20 || y > height - 20) return fit();
    if (still.matches || !before) return draw();
    glide(before, next.driver);
  };
}
