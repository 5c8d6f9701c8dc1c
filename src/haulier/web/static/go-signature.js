// A field for a signature by finger.
import { el } from "./page-parts.js";

export function makeSignature(words) {
  const canvas = el("canvas", { class: "signature", width: 640, height: 240, role: "img", "aria-label": words.signature });
  const pen = canvas.getContext("2d");
  let last = null;
  Object.assign(pen, { lineWidth: 4, lineCap: "round", strokeStyle: "#17211e" });

  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * canvas.width, ((event.clientY - box.top) / box.height) * canvas.height];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = at(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!last) return;
    const next = at(event);
    pen.beginPath();
    pen.moveTo(...last);
    pen.lineTo(...next);
    pen.stroke();
    last = next;
    canvas.classList.add("drawn");
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (last = null));

  function clear() {
    pen.clearRect(0, 0, canvas.width, canvas.height);
    canvas.classList.remove("drawn");
  }

  const part = el(
    "div",
    { class: "field" },
    el("p", { class: "legend" }, words.signature),
    canvas,
    el("button", { type: "button", class: "text", onclick: clear }, words.signature_again),
  );
  // The picture in base64; null without a signature.
  return { part, read: () => (canvas.classList.contains("drawn") ? canvas.toDataURL("image/png") : null) };
}
