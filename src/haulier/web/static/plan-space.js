// A space and its contents in three dimensions, on a plain canvas. Boxes never intersect and are axis-aligned, so a drawing order
// exists that depends only on the octant of the viewpoint; no library is needed.

const TURN = Math.PI / 24;
const NEARER = 1.2;
const START = { turned: 0.78, tilted: 0.6, near: 1, x: 0, y: 0 };
const SHADES = [0, 0.12, 0.26];
const STROKES = [
  [], [[-4, 4, 4, -4], [0, 16, 16, 0], [12, 20, 20, 12]], [[0, 8, 16, 8]],
  [[-4, 12, 4, 20], [0, 0, 16, 16], [12, -4, 20, 4]], "dot", [[8, 0, 8, 16]], [[0, 0, 16, 16], [16, 0, 0, 16]],
];

const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function patternsOf(context, signs) {
  const stroke = token("stroke");
  return signs.map(([colour, pattern]) => {
    const tile = new OffscreenCanvas(16, 16);
    const on = tile.getContext("2d");
    on.fillStyle = token(colour);
    on.fillRect(0, 0, 16, 16);
    on.strokeStyle = on.fillStyle = stroke;
    on.globalAlpha = 0.55;
    on.lineWidth = 1.4;
    const strokes = STROKES[pattern] ?? [];
    if (strokes === "dot") {
      on.arc(8, 8, 2.5, 0, 7);
      on.fill();
    } else {
      for (const [x0, y0, x1, y1] of strokes) {
        on.beginPath();
        on.moveTo(x0, y0);
        on.lineTo(x1, y1);
        on.stroke();
      }
    }
    return context.createPattern(tile, "repeat");
  });
}

// Of two boxes separated along an axis, the nearer one is in front. If axes disagree, neither can hide the other.
function isBefore(one, other, towards) {
  let said = 0;
  for (let axis = 0; axis < 3; axis += 1) {
    const apart = one.high[axis] <= other.low[axis] ? 1 : other.high[axis] <= one.low[axis] ? -1 : 0;
    if (!apart || !towards[axis]) continue;
    const nearer = apart * towards[axis];
    if (said && said !== nearer) return 0;
    said = nearer;
  }
  return said;
}

// Fixed parts are always there; packages keep their place from one stop with repacking to the next.
const areSeenTogether = (one, other) => [one.since, other.since].includes(undefined) || one.since === other.since;

export function orderOf(boxes, towards) {
  const waits = boxes.map(() => 0);
  const frees = boxes.map(() => []);
  for (let i = 0; i < boxes.length; i += 1) {
    for (let j = i + 1; j < boxes.length; j += 1) {
      const said = areSeenTogether(boxes[i], boxes[j]) && isBefore(boxes[i], boxes[j], towards);
      if (!said) continue;
      const [behind, front] = said > 0 ? [i, j] : [j, i];
      frees[behind].push(front);
      waits[front] += 1;
    }
  }
  const depth = (box) => box.low.reduce((sum, low, axis) => sum + (low + box.high[axis]) * towards[axis], 0);
  const left = new Set([...boxes.keys()].sort((i, j) => depth(boxes[i]) - depth(boxes[j])));
  const order = [];
  while (left.size) {
    let next = left.values().next().value;
    for (const each of left) {
      if (!waits[each]) { next = each; break; }
    }
    left.delete(next);
    order.push(next);
    for (const front of frees[next]) waits[front] -= 1;
  }
  return order;
}

const boxOf = ([x, y, z, length, width, height]) => ({ low: [x, y, z], high: [x + length, y + width, z + height] });

function cornersOf({ low, high }, axis, side, project) {
  const [a, b] = [0, 1, 2].filter((each) => each !== axis);
  const value = side > 0 ? high[axis] : low[axis];
  return [[low[a], low[b]], [high[a], low[b]], [high[a], high[b]], [low[a], high[b]]].map(([p, q]) => {
    const point = [];
    point[axis] = value;
    point[a] = p;
    point[b] = q;
    return project(point);
  });
}

function trace(context, points) {
  context.beginPath();
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
}

export function drawSpace(place, data, isThere) {
  const boxes = [...data.pieces.map((each) => ({ ...boxOf(each), sign: each[6], stop: each[7], since: each[8], step: each[9] })), ...data.fixed.map(boxOf)];
  const inner = data.inner;
  const orders = new Map();
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  const told = document.createElement("p");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let look = { ...START };
  let moment = { steps: data.steps, after: null };
  let patterns = patternsOf(context, data.signs);
  let faces = [];
  let planned = 0;
  let pointed = 0;

  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", place.dataset.help);
  told.className = "small soft";
  told.textContent = place.dataset.help;

  function drawBox(box, project, towards) {
    const visible = [2, 0, 1];
    visible.forEach((axis, index) => {
      const points = cornersOf(box, axis, towards[axis], project);
      trace(context, points);
      context.fillStyle = box.step ? patterns[box.sign] : token("edge");
      context.fill();
      context.fillStyle = token("stroke");
      context.globalAlpha = SHADES[index];
      context.fill();
      context.globalAlpha = 1;
      const marked = box.step && (box.step === pointed || (moment.after === null && box.step === moment.steps));
      context.lineWidth = marked ? 3 : 1;
      context.strokeStyle = marked ? token("focus") : token("stroke");
      context.stroke();
      if (box.step) faces.push([points, box.step]);
    });
  }

  function drawNumber(box, project) {
    const middle = project(box.low.map((low, axis) => (axis === 2 ? box.high[2] : (low + box.high[axis]) / 2)));
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.strokeStyle = token("sheet");
    context.fillStyle = token("ink");
    context.strokeText(box.step, ...middle);
    context.fillText(box.step, ...middle);
  }

  function draw() {
    planned = 0;
    const scale = devicePixelRatio || 1;
    const { clientWidth: wide, clientHeight: high } = canvas;
    canvas.width = wide * scale;
    canvas.height = high * scale;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const [sin, cos, up, flat] = [Math.sin(look.turned), Math.cos(look.turned), Math.sin(look.tilted), Math.cos(look.tilted)];
    const size = (Math.min(wide, high) / Math.hypot(...inner)) * look.near;
    const project = ([x, y, z]) => {
      const [a, b, c] = [x - inner[0] / 2, y - inner[1] / 2, z - inner[2] / 2];
      return [wide / 2 + look.x + (a * cos - b * sin) * size * -1, high / 2 + look.y - (c * flat - (a * sin + b * cos) * up) * size];
    };
    const towards = [sin * flat, cos * flat, up].map((each) => Math.sign(Math.round(each * 1e6)));
    const key = towards.join();
    if (!orders.has(key)) orders.set(key, orderOf(boxes, towards));
    faces = [];
    context.strokeStyle = token("edge");
    context.lineWidth = 1;
    const hull = boxOf([0, 0, 0, ...inner]);
    for (const axis of [0, 1, 2]) {
      trace(context, cornersOf(hull, axis, -towards[axis] || -1, project));
      context.fillStyle = token("sunk");
      context.fill();
      context.stroke();
    }
    const there = (box) => !box.step || isThere(box.step, box.stop, box.since, moment);
    for (const index of orders.get(key)) {
      const box = boxes[index];
      if (!there(box)) continue;
      drawBox(box, project, towards.map((each) => each || 1));
      if (box.step && look.tilted > 0.1) drawNumber(box, project);
    }
  }

  const redraw = () => { planned ||= requestAnimationFrame(draw); };

  function turnTo(change) {
    const from = { ...look };
    const to = { ...look, ...change };
    to.tilted = Math.min(Math.max(to.tilted, 0.05), Math.PI / 2);
    to.near = Math.min(Math.max(to.near, 0.4), 8);
    const began = performance.now();
    const step = (now) => {
      const share = calm.matches ? 1 : Math.min(1, Math.max(0, (now - began) / 180));
      for (const name of Object.keys(to)) look[name] = from[name] + (to[name] - from[name]) * share;
      draw();
      if (share < 1) requestAnimationFrame(step);
    };
    step(calm.matches ? began : performance.now());
  }

  const moves = {
    left: () => turnTo({ turned: look.turned - TURN * 2 }),
    right: () => turnTo({ turned: look.turned + TURN * 2 }),
    up: () => turnTo({ tilted: look.tilted + TURN }),
    down: () => turnTo({ tilted: look.tilted - TURN }),
    nearer: () => turnTo({ near: look.near * NEARER }),
    farther: () => turnTo({ near: look.near / NEARER }),
    whole: () => turnTo(START),
  };
  const keys = {
    ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", "+": "nearer", "=": "nearer", "-": "farther", Home: "whole",
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[keys[event.key]]();
  });

  const pointers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return pointAt(event);
    const [one, other] = [...pointers.values()];
    if (other) {
      const still = one.pointerId === event.pointerId ? other : one;
      const apart = (each) => Math.hypot(each.clientX - still.clientX, each.clientY - still.clientY) || 1;
      look.near = Math.min(Math.max(look.near * (apart(event) / apart(before)), 0.4), 8);
    } else {
      look.turned += (event.clientX - before.clientX) / 150;
      look.tilted = Math.min(Math.max(look.tilted + (event.clientY - before.clientY) / 150, 0.05), Math.PI / 2);
    }
    pointers.set(event.pointerId, event);
    redraw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    look.near = Math.min(Math.max(look.near * Math.exp(-event.deltaY / 500), 0.4), 8);
    redraw();
  }, { passive: false });

  function pointAt(event) {
    const found = faces.findLast(([points]) => {
      trace(context, points);
      context.setTransform(1, 0, 0, 1, 0, 0);
      return context.isPointInPath(event.offsetX, event.offsetY);
    });
    const step = found?.[1] ?? 0;
    if (step === pointed) return;
    pointed = step;
    const row = step && document.querySelector(`.pieces tr[data-step="${step}"]`);
    told.textContent = row ? [...row.cells].map((cell) => cell.innerText.trim()).join(" · ") : place.dataset.help;
    redraw();
  }

  const row = document.createElement("div");
  row.className = "row";
  for (const [name, sign] of Object.entries({ left: "↺", right: "↻", up: "↑", down: "↓", nearer: "+", farther: "−", whole: "⤢" })) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "turn";
    button.textContent = sign;
    button.title = data.words[name];
    button.setAttribute("aria-label", data.words[name]);
    button.addEventListener("click", moves[name]);
    row.append(button);
  }
  place.append(canvas, row, told);
  new ResizeObserver(redraw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    patterns = patternsOf(context, data.signs);
    redraw();
  });
  return (now) => {
    moment = now;
    draw();
  };
}
