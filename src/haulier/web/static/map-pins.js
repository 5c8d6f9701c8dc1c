// Markers of maps, drawn on a canvas so that WebGL maps, still maps and legends look the same.
// A look is { shape, colour, label, state, size }; colours are names of design tokens.
const SCALE = Math.min(3, Math.max(2, window.devicePixelRatio || 1));
const ROOM = 6; // for the shadow and the ring of a selected marker
const SIZES = { dot: 11, stop: 25, house: 34, depot: 30, driver: 32, locker: 32, pin: 40, me: 22, waiting: 15, place: 17 };

export const keyOf = (look) => JSON.stringify([look.shape, look.colour, look.label ?? "", look.state ?? "", look.size ?? 0, look.chosen ? 1 : 0, look.on ?? ""]);
export function lookOf(key) {
  const [shape, colour, label, state, size, chosen, on] = JSON.parse(key);
  return { shape, colour, label, state, size, chosen: Boolean(chosen), on: on || undefined };
}
export const anchorOf = (look) => (look.shape === "pin" ? "bottom" : "center");

// Returns { canvas, width, height, scale } with the sizes in CSS pixels.
export function drawPin(look, ink) {
  const size = look.size || SIZES[look.shape] || SIZES.stop;
  const font = `600 ${Math.round(size * (String(look.label ?? "").length > 2 ? 0.38 : 0.46))}px system-ui, "Segoe UI", "Noto Sans", sans-serif`;
  const side = size + 2 * ROOM;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.ceil(side * SCALE);
  const pen = canvas.getContext("2d");
  pen.scale(canvas.width / side, canvas.height / side);
  pen.translate(side / 2, side / 2);
  const colour = ink(look.colour ?? "brand");
  const sheet = ink("sheet");
  const kit = { pen, size, radius: size / 2 - 1, colour, sheet, ink, on: ink(look.on ?? "on-brand"), font };
  (SHAPES[look.shape] ?? SHAPES.stop)(look, kit);
  return { canvas, width: side, height: side, scale: canvas.width / side };
}

function shade(pen, draw) {
  pen.save();
  pen.shadowColor = "rgb(0 0 0 / 32%)";
  pen.shadowBlur = 4 * SCALE;
  pen.shadowOffsetY = 1.2 * SCALE;
  draw();
  pen.restore();
}

function circle(pen, radius) {
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
}

function write(kit, text, colour, dy = 0) {
  kit.pen.fillStyle = colour;
  kit.pen.font = kit.font;
  kit.pen.textAlign = "center";
  kit.pen.textBaseline = "middle";
  kit.pen.fillText(text, 0, dy + kit.size * 0.03);
}

function strokes(pen, width, colour, points, close = false) {
  pen.beginPath();
  points.forEach(([x, y], at) => (at ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  if (close) pen.closePath();
  Object.assign(pen, { lineWidth: width, strokeStyle: colour, lineJoin: "round", lineCap: "round" });
  pen.stroke();
}

function ring(look, { pen, radius, ink }) {
  if (!look.chosen) return;
  circle(pen, radius + 3);
  Object.assign(pen, { lineWidth: 2.5, strokeStyle: ink("focus") });
  pen.stroke();
}

// A filled disc with a rim that sets it off from the map.
function disc(look, kit, fill, rim, rimWidth = 2) {
  const { pen, radius } = kit;
  shade(pen, () => { circle(pen, radius); pen.fillStyle = fill; pen.fill(); });
  circle(pen, radius - rimWidth / 2 + 0.5);
  Object.assign(pen, { lineWidth: rimWidth, strokeStyle: rim });
  pen.stroke();
  ring(look, kit);
}

function box(look, kit, fill) {
  const { pen, radius, sheet } = kit;
  shade(pen, () => { pen.beginPath(); pen.roundRect(-radius, -radius, 2 * radius, 2 * radius, radius * 0.42); pen.fillStyle = fill; pen.fill(); });
  pen.beginPath();
  pen.roundRect(-radius + 0.5, -radius + 0.5, 2 * radius - 1, 2 * radius - 1, radius * 0.42);
  Object.assign(pen, { lineWidth: 2, strokeStyle: sheet });
  pen.stroke();
  ring(look, kit);
}

const SHAPES = {
  stop(look, kit) {
    const { pen, radius, colour, sheet, ink, on } = kit;
    if (look.state === "done" || look.state === "failed") {
      const mark = look.state === "done" ? colour : ink("bad");
      disc(look, kit, sheet, mark);
      const r = radius * 0.42;
      if (look.state === "done") strokes(pen, 2.2, mark, [[-r, 0.1 * r], [-0.25 * r, 0.8 * r], [r, -0.75 * r]]);
      else for (const sign of [1, -1]) strokes(pen, 2.2, mark, [[-r * 0.75, -r * 0.75 * sign], [r * 0.75, r * 0.75 * sign]]);
      return;
    }
    const fill = look.state === "late" ? ink("bad") : colour;
    disc(look, kit, fill, sheet);
    write(kit, look.label ?? "", look.state === "late" ? sheet : on);
  },
  dot(look, kit) {
    const over = look.state === "done" || look.state === "failed";
    const colour = look.state === "late" || look.state === "failed" ? kit.ink("bad") : kit.colour;
    disc(look, kit, over ? kit.sheet : colour, over ? colour : kit.sheet, 1.6);
  },
  // A location with several stops, or the next stop: a number with more space.
  house(look, kit) {
    SHAPES.stop(look, kit);
  },
  waiting(look, { pen, radius, ink, sheet }) {
    circle(pen, radius);
    Object.assign(pen, { fillStyle: sheet, lineWidth: 2, strokeStyle: ink("soft") });
    pen.fill();
    circle(pen, radius - 1);
    pen.setLineDash([2.6, 2]);
    pen.stroke();
  },
  depot(look, kit) {
    box(look, kit, kit.ink("ink"));
    const r = kit.radius * 0.52;
    const paper = kit.ink("paper");
    strokes(kit.pen, 1.9, paper, [[-r, r], [-r, -0.35 * r], [0, -r], [r, -0.35 * r], [r, r]]);
    strokes(kit.pen, 1.9, paper, [[-0.45 * r, r], [-0.45 * r, 0.15 * r], [0.45 * r, 0.15 * r], [0.45 * r, r]]);
  },
  driver(look, kit) {
    const off = look.state === "off";
    const fill = off ? kit.ink("edge") : kit.ink("ink");
    disc(look, { ...kit, radius: kit.radius - 3 }, fill, kit.sheet, 2.2);
    write({ ...kit, font: `700 ${Math.round(kit.size * 0.33)}px system-ui, "Segoe UI", "Noto Sans", sans-serif` }, look.label ?? "", kit.ink("paper"));
  },
  // The heading of a driver, pointing up; the map rotates it.
  heading(look, { pen, ink, sheet }) {
    pen.translate(0, -14);
    pen.beginPath();
    pen.moveTo(0, -6);
    pen.lineTo(5.5, 1.5);
    pen.quadraticCurveTo(0, -1.2, -5.5, 1.5);
    pen.closePath();
    Object.assign(pen, { fillStyle: ink("ink"), strokeStyle: sheet, lineWidth: 2.4, lineJoin: "round" });
    pen.stroke();
    pen.fill();
  },
  locker(look, kit) {
    box(look, kit, kit.colour);
    const { pen, sheet, radius } = kit;
    if (look.label) return write(kit, look.label, sheet);
    const r = radius * 0.5;
    strokes(pen, 1.8, sheet, [[-r, -r], [r, -r], [r, r], [-r, r]], true);
    strokes(pen, 1.8, sheet, [[0, -r], [0, r]]);
    strokes(pen, 1.8, sheet, [[-r, 0], [r, 0]]);
  },
  place(look, kit) {
    disc(look, kit, look.state === "last" ? kit.colour : kit.sheet, look.state === "last" ? kit.sheet : kit.colour, 3);
  },
  me(look, kit) {
    const { pen, radius, ink } = kit;
    disc(look, kit, ink("info"), kit.sheet, 3);
    circle(pen, radius + 3.5);
    Object.assign(pen, { lineWidth: 2, strokeStyle: ink("info"), globalAlpha: 0.35 });
    pen.stroke();
  },
  pin(look, kit) {
    const { pen, size, colour, sheet } = kit;
    const r = size * 0.34;
    pen.translate(0, size / 2 - size + r + 1);
    const drop = () => {
      pen.beginPath();
      pen.arc(0, 0, r, Math.PI * 0.86, Math.PI * 0.14);
      pen.quadraticCurveTo(r * 0.55, r * 1.15, 0, size - r - 3);
      pen.quadraticCurveTo(-r * 0.55, r * 1.15, Math.cos(Math.PI * 0.86) * r, Math.sin(Math.PI * 0.86) * r);
      pen.closePath();
    };
    shade(pen, () => { drop(); pen.fillStyle = colour; pen.fill(); });
    drop();
    Object.assign(pen, { lineWidth: 2, strokeStyle: sheet });
    pen.stroke();
    if (look.label) return write({ ...kit, font: `700 ${Math.round(size * (String(look.label).length > 2 ? 0.24 : 0.36))}px system-ui, "Segoe UI", "Noto Sans", sans-serif` }, look.label, kit.on);
    circle(pen, r * 0.4);
    pen.fillStyle = sheet;
    pen.fill();
  },
};

// A small chevron for the direction of a line.
export function drawArrow(colour, ink) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 12 * SCALE;
  const pen = canvas.getContext("2d");
  pen.scale(SCALE, SCALE);
  pen.translate(6, 6);
  strokes(pen, 1.9, ink(colour), [[-2, -3.4], [1.8, 0], [-2, 3.4]]);
  return { canvas, width: 12, height: 12, scale: SCALE };
}
