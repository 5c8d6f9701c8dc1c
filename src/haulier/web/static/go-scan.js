// Scanning at a stop or while loading: typed, by keyboard scanner, or by camera.
import { hasCamera, makeCamera } from "./barcode-camera.js";
import { readCode } from "./go-day.js";
import { el, labelled } from "./page-parts.js";

export function makeScanForm(app, route, stop) {
  const id = `code-${stop ? stop.id : `route-${route.id}`}`;
  const input = el("input", { name: "code", maxlength: 100, autocapitalize: "off", spellcheck: false, enterkeyhint: "done", autocomplete: "off" });
  const told = app.scanned?.id === id ? app.scanned : null;
  const said = el("p", { class: told ? `said badge ${told.mood}` : "said", role: "status" }, told?.text);
  const sight = el("video", { class: "sight", playsinline: true, muted: true, hidden: true, "aria-label": app.words.camera });

  async function keep(code) {
    if (!code.trim()) return;
    const found = readCode(app.day(), route, code, stop?.id);
    input.value = "";
    app.scanned = { id, text: `${code.trim()} · ${app.words[`scan_${found}`]}`, mood: found === "matched" ? "good" : "warn" };
    await app.record({ kind: "scan", route_id: route.id, code: code.trim(), ...(stop ? { stop_id: stop.id } : {}) }, 0, { quiet: true });
    if (found !== "matched") navigator.vibrate?.([200, 100, 200]);
    document.getElementById(id)?.focus();
  }

  const seeing = el("button", { type: "button", class: "plain", hidden: true }, app.words.camera);
  if (hasCamera()) offerCamera();

  async function offerCamera() {
    const camera = await makeCamera("go", sight, {
      onCode(code) {
        navigator.vibrate?.(80);
        keep(code);
      },
      onSeeing: (on) => (seeing.textContent = on ? app.words.camera_off : app.words.camera),
      onTrouble: () => (said.textContent = app.words.camera_refused),
    });
    seeing.addEventListener("click", () => camera.toggle());
    seeing.hidden = false;
  }

  return el(
    "form",
    {
      class: "scanning",
      onsubmit: (event) => {
        event.preventDefault();
        keep(input.value);
      },
    },
    labelled(id, app.words.scan, input),
    el(
      "div",
      { class: "acts" },
      el("button", { class: "plain" }, app.words.scan_enter),
      seeing,
    ),
    sight,
    said,
  );
}
