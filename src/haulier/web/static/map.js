// Maps of all pages: streets with WebGL, otherwise outlines. Pages pass areas, lines and points by design token; theme,
// language, tooltips and focusable markers are handled here. Engines are loaded when the first map opens.
import { anchorOf, drawPin, keyOf } from "./map-pins.js";
import { el } from "./page-parts.js";

const setup = document.getElementById("map-words");
const words = setup ? JSON.parse(setup.textContent) : { gl: {} };
const dark = matchMedia("(prefers-color-scheme: dark)");
const CLEAR = { top: 48, left: 48, right: 60, bottom: 64 }; // space for markers, zoom buttons and the attribution
const WORLD = { center: [20, 0], zoom: 1.2, minZoom: 1, maxZoom: 19 };
const CLOSEST = 16;
const CLOSEST_OUTLINES = 10; // of a location without streets
const GLIDE_MS = 1000;
const EDGE = 8, ABOVE = 28; // pixels between a card and the edge of the map or its anchor
const still = matchMedia("(prefers-reduced-motion: reduce)");

const hasWebGl = () => {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl2"));
  } catch {
    return false;
  }
};

async function engineOf(element, options) {
  if (hasWebGl()) {
    try {
      const { openStreets } = await import("./map-gl.js");
      return await openStreets(element, options);
    } catch (fault) {
      console.warn("map:", fault);
      element.replaceChildren();
    }
  }
  const { openStill } = await import("./map-still.js");
  return openStill(element, options);
}

// The smallest box around locations; none for an empty list.
function boxOf(places) {
  const lats = places.map(({ lat }) => lat), lngs = places.map(({ lng }) => lng);
  return { south: Math.min(...lats), north: Math.max(...lats), west: Math.min(...lngs), east: Math.max(...lngs) };
}

// Opens a map in an element. `many` draws points on the map itself: fast, but the keyboard only reaches the list beside it.
export async function openMap(element, { many = false, ...options } = {}) {
  const ink = (name) => (name?.startsWith("#") ? name : getComputedStyle(element).getPropertyValue(`--${name}`).trim());
  const isDark = () => getComputedStyle(element).colorScheme === "dark" || (dark.matches && getComputedStyle(element).colorScheme !== "light");
  element.classList.add("map-frame");
  const engine = await engineOf(element, { ...WORLD, ...options, words, ink, dark: isDark(), tiles: words.tiles, lang: document.documentElement.lang || "en" });
  element.dataset.map = engine.kind;
  const layer = el("div", { class: "map-marks" });
  const tip = el("p", { class: "map-tip", hidden: true, "aria-hidden": "true" });
  (element.querySelector(".maplibregl-canvas-container") ?? element).append(layer);
  element.append(tip);
  const shown = { areas: [], lines: [], points: [] };
  const marks = new Map();
  let card = null;
  let refit = null;

  const place = ({ node, at }) => {
    const { x, y } = engine.project(at);
    node.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  };
  // A card is above its location, or below if there is no room, and stays inside the map.
  function placeCard() {
    const { x, y } = engine.project(card.at);
    const [width, height] = [card.node.offsetWidth, card.node.offsetHeight];
    const inside = (at, size, room) => Math.max(EDGE, Math.min(at, room - size - EDGE));
    const above = y - height - ABOVE;
    const top = inside(above < EDGE ? y + ABOVE : above, height, element.clientHeight);
    card.node.style.transform = `translate(${inside(x - width / 2, width, element.clientWidth).toFixed(1)}px, ${top.toFixed(1)}px)`;
  }
  function placeAll() {
    for (const mark of marks.values()) place(mark);
    if (card) placeCard();
  }
  function tell(text, at) {
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const { x, y } = engine.project(at);
    const half = tip.offsetWidth / 2;
    tip.style.transform = `translate(${Math.max(4, Math.min(element.clientWidth - 2 * half - 4, x - half))}px, ${y < 70 ? y + 22 : y - 22 - tip.offsetHeight}px)`;
  }
  const titleOf = (point) => (typeof point.title === "function" ? point.title() : point.title);

  // A marker as an element: a link or button if it has a target, otherwise an image.
  function markOf(point) {
    const { canvas, width, height } = drawPin(point.look, ink);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const title = titleOf(point);
    const [name, own] = point.href ? ["a", { href: point.href }] : point.act ? ["button", { type: "button", onclick: (event) => point.act(event) }] : ["span", { role: title ? "img" : null }];
    const body = el(name, { class: `map-mark ${point.className ?? ""}`, "aria-label": title || null, ...own, onmouseenter: () => tell(titleOf(point), point), onmouseleave: () => tell(), onfocus: () => tell(titleOf(point), point), onblur: () => tell() }, canvas);
    if (point.drag) makeDraggable(body, point);
    if (point.heading != null) {
      const arrow = drawPin({ shape: "heading", size: 32 }, ink).canvas;
      Object.assign(arrow.style, { width: "44px", height: "44px", rotate: `${point.heading}deg` });
      arrow.className = "map-heading";
      body.append(arrow);
    }
    const node = el("div", { class: `map-spot ${anchorOf(point.look)}` }, body);
    node.style.zIndex = String(Math.round(point.order ?? 0) + 1000);
    return { node, at: { lat: point.lat, lng: point.lng } };
  }

  function makeDraggable(body, point) {
    for (const kind of ["mousedown", "touchstart", "click"]) body.addEventListener(kind, (event) => event.stopPropagation());
    body.classList.add("draggable");
    body.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      event.preventDefault();
      body.setPointerCapture(event.pointerId);
      const mark = marks.get(point.id);
      const from = engine.project(mark.at), start = { x: event.clientX, y: event.clientY };
      const move = (news) => { mark.at = engine.unproject({ x: from.x + news.clientX - start.x, y: from.y + news.clientY - start.y }); place(mark); };
      body.addEventListener("pointermove", move);
      body.addEventListener("pointerup", () => {
        body.removeEventListener("pointermove", move);
        point.drag({ lat: mark.at.lat, lng: mark.at.lng });
      }, { once: true });
    });
  }

  // Animates a marker to its new location.
  function glide(mark, { lat, lng }) {
    const from = mark.at;
    if (still.matches || (from.lat === lat && from.lng === lng)) return (mark.at = { lat, lng });
    const begun = performance.now();
    mark.way = begun;
    const step = (now) => {
      if (mark.way !== begun) return;
      const part = Math.min(1, Math.max(0, now - begun) / GLIDE_MS);
      mark.at = { lat: from.lat + (lat - from.lat) * part, lng: from.lng + (lng - from.lng) * part };
      place(mark);
      if (part < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // Unchanged markers keep their element, so that focus and movement continue.
  function drawMarks(points) {
    const wanted = new Map(points.map((point, at) => [point.id ?? `${at}`, point]));
    for (const [id, mark] of marks) if (!wanted.has(id)) { mark.node.remove(); marks.delete(id); }
    for (const [id, point] of wanted) {
      const look = JSON.stringify([keyOf(point.look), titleOf(point), point.heading != null && Math.round(point.heading), point.order, isDark()]);
      const known = marks.get(id);
      if (known?.look === look) {
        if (point.glides) glide(known, point);
        else known.at = { lat: point.lat, lng: point.lng };
        known.act.current = point;
      } else {
        const act = { current: point };
        const mark = markOf({ ...point, ...(point.act && { act: (event) => act.current.act(event) }) });
        const focused = known?.node.contains(document.activeElement);
        if (known) known.node.replaceWith(mark.node);
        else layer.append(mark.node);
        if (focused) mark.node.firstElementChild.focus({ preventScroll: true });
        marks.set(id, { ...mark, look, act, ...(known && point.glides && { at: known.at }) });
        if (known && point.glides) glide(marks.get(id), point);
      }
      place(marks.get(id));
    }
  }

  function drawPoints() {
    const onMap = many && engine.points ? shown.points.filter((point) => !point.reach) : [];
    if (engine.points) engine.points(onMap.map((point) => ({ ...point, key: keyOf(point.look), anchor: anchorOf(point.look) })));
    shown.onMap = onMap;
    drawMarks(onMap.length ? shown.points.filter((point) => point.reach) : shown.points);
    element.dataset.points = String(shown.points.length);
  }
  function drawLines() {
    engine.lines(shown.lines.map((each) => ({ ...each, colour: ink(each.colour), casing: each.casing && ink(each.casing), arrow: each.arrow })));
    element.dataset.lines = String(shown.lines.length);
  }
  function drawAreas() {
    engine.areas(shown.areas.map((each) => ({ ...each, colour: ink(each.colour) })));
    element.dataset.areas = String(shown.areas.length);
  }

  engine.on("move", placeAll);
  engine.on("hover", (spot) => {
    const found = shown.onMap?.length ? engine.pointAt(spot) : null;
    const point = found == null ? null : shown.onMap[found];
    engine.cursor(point?.act ? "pointer" : options.cursor ?? "");
    const area = point ? null : shown.areas.length ? engine.areaAt(spot) : null;
    tell(point ? titleOf(point) : area, point ?? engine.unproject(spot));
  });
  element.addEventListener("mouseleave", () => tell());
  for (const touch of ["pointerdown", "wheel", "keydown"]) element.addEventListener(touch, () => (refit = null), { passive: true });
  new ResizeObserver(() => refit?.()).observe(element);
  const clicks = [];
  engine.on("click", (at, spot) => {
    const found = shown.onMap?.length ? engine.pointAt(spot) : null;
    if (found != null) return shown.onMap[found].act?.();
    handle.closeCard();
    for (const act of clicks) act({ lat: at.lat, lng: at.lng });
  });
  const repaint = () => { engine.repaint(isDark()); drawAreas(); drawLines(); drawPoints(); };
  dark.addEventListener("change", repaint);
  new MutationObserver(repaint).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "style"] });

  const handle = {
    kind: engine.kind, element, regions: engine.regions,
    hasStreets: ({ lat, lng }) => engine.regions.some(({ bounds: [west, south, east, north] }) => lng >= west && lng <= east && lat >= south && lat <= north),
    // Draws the given parts and leaves the rest unchanged.
    show(parts) {
      Object.assign(shown, parts);
      if (parts.areas) drawAreas();
      if (parts.lines) drawLines();
      if (parts.points) drawPoints();
    },
    // Fits all locations into view, also after a resize, until the user moves the map.
    fit(places, { padding = CLEAR, maxZoom = CLOSEST, animate = false } = {}) {
      if (!places.length) return;
      if (new Set(places.map(({ lat, lng }) => `${lat} ${lng}`)).size === 1 && !handle.hasStreets(places[0])) maxZoom = Math.min(maxZoom, CLOSEST_OUTLINES);
      refit = () => engine.fit(boxOf(places), { padding: typeof padding === "function" ? padding() : padding, maxZoom, animate });
      refit();
      placeAll();
    },
    see(at) {
      refit = null;
      const { x, y } = engine.project(at);
      if (x < 24 || y < 24 || x > element.clientWidth - 24 || y > element.clientHeight - 24) engine.jump(at);
    },
    jump(at, zoom) { refit = null; engine.jump(at, zoom); },
    bounds: () => engine.bounds(),
    center: () => { const { lat, lng } = engine.center(); return { lat, lng }; },
    project: (at) => engine.project(at),
    unproject: (spot) => { const { lat, lng } = engine.unproject(spot); return { lat, lng }; },
    mark: (id) => marks.get(id)?.node,
    // A card beside a location, such as the stops of one building.
    openCard(at, ...content) {
      handle.closeCard();
      handle.see(at);
      card = { node: el("div", { class: "map-card" }, ...content), at };
      layer.append(card.node);
      placeCard();
      card.node.querySelector("a, button")?.focus({ preventScroll: true });
      card.node.addEventListener("keydown", (event) => event.key === "Escape" && handle.closeCard());
    },
    closeCard() { card?.node.remove(); card = null; },
    onClick: (act) => clicks.push(act),
    onMoved: (act) => engine.on("moved", act),
    remove: () => engine.remove(),
  };
  return handle;
}

// The bearing from one location to another in degrees.
export function headingOf(from, to) {
  const [a, b] = [from.lat, to.lat].map((each) => (each * Math.PI) / 180);
  const turn = ((to.lng - from.lng) * Math.PI) / 180;
  const angle = Math.atan2(Math.sin(turn) * Math.cos(b), Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn));
  return ((angle * 180) / Math.PI + 360) % 360;
}

// The lines of a route: along roads where `legs` has the way to the next location, otherwise straight. The completed part, up to
// the location at `done`, is dimmed. A route that is not `chosen` stays in the background.
export function routeLines(places, { legs = [], done = 0, colour = "brand", chosen = true } = {}) {
  const ways = places.slice(1).map((to, at) => legs[at] ?? [[places[at].lat, places[at].lng], [to.lat, to.lng]]);
  const roads = legs.some(Boolean);
  const line = { colour, width: (chosen ? 4 : 2.5) + (roads ? 0.5 : -0.5) };
  return [
    { ...line, way: ways.slice(0, done).flat(), opacity: chosen ? 0.4 : 0.2, order: 0 },
    { ...line, way: ways.slice(done).flat(), opacity: chosen ? 1 : 0.5, order: chosen ? 2 : 1, ...(chosen && { casing: "sheet" }), ...(chosen && roads && { arrow: "sheet" }) },
  ];
}
