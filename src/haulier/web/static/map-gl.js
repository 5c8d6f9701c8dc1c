// The engine of street maps: MapLibre. It draws the ground, areas, lines and large numbers of points.
import { ground } from "./map-style.js";
import { drawArrow, drawPin, lookOf } from "./map-pins.js";

const VENDOR = "/static/vendor/";
const LANGUAGES = { "zh-Hans": "zh-Hans", "zh-Hant": "zh-Hant" };
const NOTHING = { type: "FeatureCollection", features: [] };
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
let parts;

function loadScript(src) {
  return new Promise((done, failed) => document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: failed })));
}
function loadStyle(href) {
  return new Promise((done, failed) => document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: failed })));
}

async function loadRegions() {
  try {
    const answer = await fetch("/maps/regions.json");
    return answer.ok ? (await answer.json()).regions : [];
  } catch {
    return [];
  }
}

// Everything is fetched once, when the first map opens.
function load() {
  parts ??= Promise.all([import(`${VENDOR}maplibre-gl.mjs`), loadRegions(), loadScript(`${VENDOR}pmtiles.js`), loadStyle(`${VENDOR}maplibre-gl.css`)]).then(([gl, regions]) => {
    gl.addProtocol("pmtiles", new window.pmtiles.Protocol({ metadata: false }).tile);
    gl.setWorkerUrl(new URL(`${VENDOR}maplibre-gl-worker.mjs`, location.href).href);
    return { gl, regions };
  });
  parts.catch(() => (parts = undefined));
  return parts;
}

const LINE = { type: "line", source: "lines", layout: { "line-cap": "round", "line-join": "round", "line-sort-key": ["get", "order"] } };
const DRAWN = { "line-color": ["get", "colour"], "line-width": ["get", "width"], "line-opacity": ["get", "opacity"] };
const OURS = [
  { id: "areas", type: "fill", source: "areas", paint: { "fill-color": ["get", "colour"], "fill-opacity": 0.14 } },
  { id: "area-edges", type: "line", source: "areas", paint: { "line-color": ["get", "colour"], "line-width": 1.6, "line-opacity": 0.85 } },
  { ...LINE, id: "line-casing", filter: ["has", "casing"], paint: { "line-color": ["get", "casing"], "line-width": ["+", ["get", "width"], 4], "line-opacity": ["get", "opacity"] } },
  { ...LINE, id: "lines", paint: DRAWN },
  { id: "arrows", type: "symbol", source: "lines", filter: ["has", "arrow"], layout: { "symbol-placement": "line", "symbol-spacing": 70, "icon-image": ["get", "arrow"], "icon-allow-overlap": true, "icon-ignore-placement": true, "icon-padding": 0 } },
];
const POINTS = {
  id: "points", type: "symbol", source: "points",
  layout: { "icon-image": ["get", "look"], "icon-allow-overlap": true, "icon-ignore-placement": true, "symbol-sort-key": ["get", "order"], "icon-anchor": ["get", "anchor"], "symbol-z-order": "auto" },
};

const feature = (geometry, properties, id) => ({ type: "Feature", id, geometry, properties });
const line = (each) => feature({ type: "LineString", coordinates: each.way.map(([lat, lng]) => [lng, lat]) },
  { colour: each.colour, width: each.width, opacity: each.opacity ?? 1, order: each.order ?? 0, ...(each.casing && { casing: each.casing }), ...(each.arrow && { arrow: `arrow:${each.arrow}` }) });

export async function openStreets(element, { words, lang, dark, ink, tiles, ...view }) {
  const { gl, regions } = await load();
  const made = ({ dark }) => ground({ dark, lang: LANGUAGES[lang] ?? lang.slice(0, 2), regions, tiles });
  let now = made({ dark });
  const data = { areas: NOTHING, lines: NOTHING, points: NOTHING };
  const map = new gl.Map({
    container: element, style: dressed(), center: [view.center[1], view.center[0]], zoom: view.zoom, minZoom: view.minZoom, maxZoom: view.maxZoom,
    attributionControl: false, dragRotate: false, pitchWithRotate: false, touchPitch: false, maxPitch: 0, renderWorldCopies: true, fadeDuration: STILL.matches ? 0 : 200,
    cooperativeGestures: view.gentle ?? false, keyboard: view.keyboard ?? true, locale: words.gl,
    localIdeographFontFamily: '"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Sans TC", sans-serif',
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new gl.AttributionControl({ compact: true }), "bottom-left");
  map.addControl(new gl.NavigationControl({ showCompass: false }), view.zoomAt ?? "top-right");
  map.addControl(new gl.ScaleControl({ maxWidth: 90 }), "bottom-right");
  const canvas = map.getCanvas();
  canvas.setAttribute("aria-label", view.label ?? words.map);
  canvas.setAttribute("role", "application");

  // The ground, with our layers between roads and labels.
  function dressed() {
    const at = now.style.layers.findIndex(({ id }) => id === now.firstLabel);
    const layers = [...now.style.layers];
    layers.splice(at < 0 ? layers.length : at, 0, ...OURS);
    const own = Object.fromEntries(Object.entries(data).map(([name, kept]) => [name, { type: "geojson", data: kept }]));
    return { ...now.style, sources: { ...now.style.sources, ...own }, layers: [...layers, POINTS] };
  }
  map.setMissingStyleImageResolver((id) => {
    if (map.hasImage(id)) return;
    const drawn = id.startsWith("arrow:") ? drawArrow(id.slice(6), ink) : id.startsWith("[") ? drawPin(lookOf(id), ink) : null;
    if (!drawn) return void map.addImage(id, { width: 1, height: 1, data: new Uint8Array(4) });
    const { width, height } = drawn.canvas;
    map.addImage(id, drawn.canvas.getContext("2d").getImageData(0, 0, width, height), { pixelRatio: drawn.scale });
  });

  function put(name, features) {
    data[name] = { type: "FeatureCollection", features };
    map.getSource(name)?.setData(data[name]);
  }

  // Draw the sea after the land is loaded; until then everything is land.
  map.on("sourcedata", ({ sourceId }) => sourceId === "world" && map.isSourceLoaded("world") && map.setPaintProperty("world-background", "background-color", now.sea));
  map.on("idle", () => (element.dataset.drawn = "yes"));
  await new Promise((done, failed) => {
    map.once("style.load", done);
    map.once("error", ({ error }) => (map.isStyleLoaded() ? done() : failed(error)));
  });
  return {
    kind: "streets", regions,
    project: (at) => map.project([at.lng, at.lat]),
    unproject: (spot) => map.unproject([spot.x, spot.y]),
    bounds: () => map.getBounds(),
    center: () => map.getCenter(),
    zoom: () => map.getZoom(),
    jump: (at, zoom) => (STILL.matches ? map.jumpTo : map.easeTo).call(map, { center: [at.lng, at.lat], ...(zoom != null && { zoom }) }),
    fit(box, { padding, maxZoom, animate }) {
      map.resize();
      map.fitBounds([[box.west, box.south], [box.east, box.north]], { padding, maxZoom, animate: Boolean(animate) && !STILL.matches });
    },
    areas: (areas) => put("areas", areas.map((each) => feature(each.geometry, { colour: each.colour, name: each.title }))),
    lines: (lines) => put("lines", lines.filter((each) => each.way.length > 1).map(line)),
    points: (points) => put("points", points.map((each, at) => feature({ type: "Point", coordinates: [each.lng, each.lat] }, { at, look: each.key, order: each.order ?? 0, anchor: each.anchor }))),
    // The index of the point at a position, or null; and the name of the area there.
    pointAt: (spot) => map.queryRenderedFeatures([[spot.x - 3, spot.y - 3], [spot.x + 3, spot.y + 3]], { layers: ["points"] })[0]?.properties.at ?? null,
    areaAt: (spot) => map.queryRenderedFeatures([spot.x, spot.y], { layers: ["areas"] })[0]?.properties.name ?? null,
    cursor: (name) => (canvas.style.cursor = name),
    repaint(dark) {
      now = made({ dark });
      map.setStyle(dressed(), { diff: false });
    },
    on(event, act) {
      const onMap = ({ originalEvent }) => originalEvent.target === canvas;
      const told = { click: (news) => onMap(news) && act(news.lngLat, news.point), hover: (news) => onMap(news) && act(news.point), move: () => act(), moved: () => act() }[event];
      map.on({ click: "click", hover: "mousemove", move: "move", moved: "moveend" }[event], told);
    },
    remove: () => map.remove(),
  };
}
