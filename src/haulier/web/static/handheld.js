// The handheld page. A scan is written to the device's own database first; the server's response comes later.
import { makeSender } from "./handheld-send.js";
import { hasCamera, makeCamera } from "./barcode-camera.js";
import { openQueue } from "./device-queue.js";
import { makeCaller } from "./page-calls.js";
import { keepForOffline } from "./page-offline.js";
import { uniqueKey } from "./unique-key.js";

const SHOWN = 30;
const WAREHOUSES = "haulier-warehouses";
const find = (id) => document.getElementById(id);
const words = JSON.parse(find("words").textContent);
const { csrf, user } = find("handheld").dataset;
const form = find("scan");
const warehouse = find("warehouse");

function remembered(name, make) {
  const known = localStorage.getItem(name);
  if (known) return known;
  const made = make();
  localStorage.setItem(name, made);
  return made;
}

const device = remembered("haulier-device", () => `web-${uniqueKey()}`);
const queue = await openQueue("handheld", user);
const ask = makeCaller("handheld", csrf);
const sender = makeSender({ queue, ask, device, onSettled, onLine });

async function showWaiting() {
  const count = await queue.count();
  find("waiting").textContent = count ? words.waiting.replace("{count}", count) : words.nothing_waits;
}

function onLine(status) {
  const line = find("line");
  const said = status === 0 ? "online" : status === 401 || status === 403 ? "sign_in" : "offline";
  line.textContent = words[said];
  line.className = `badge ${said === "online" ? "good" : "warn"}`;
}

function show(scan) {
  const row = document.createElement("li");
  row.id = `scan-${scan.scan_id}`;
  const code = document.createElement("strong");
  code.textContent = scan.code;
  const told = document.createElement("span");
  told.textContent = `${words[`kind_${scan.kind}`]} · ${words.kept}`;
  row.append(code, told);
  find("scans").prepend(row);
  while (find("scans").children.length > SHOWN) find("scans").lastChild.remove();
}

function onSettled({ scan }, told) {
  const row = find(`scan-${scan.scan_id}`);
  if (row) {
    row.className = told.outcome === "done" ? "done" : told.outcome === "refused" ? "refused" : "wrong";
    const what = [words[`kind_${scan.kind}`], told.sku ?? told.package_number, told.quantity].filter((each) => each != null);
    row.children[1].textContent = `${what.join(" · ")} · ${told.message}`;
    if (told.outcome === "wrong_warehouse" && told.package_number && !scan.start_transfer) offerTransfer(row, scan);
  }
  if (told.outcome !== "done") navigator.vibrate?.([200, 100, 200]);
  showWaiting();
}

function offerTransfer(row, scan) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words.start_transfer;
  button.addEventListener("click", () => {
    button.remove();
    keep({ ...scan, scan_id: uniqueKey(), occurred_at: new Date().toISOString(), start_transfer: true });
  });
  row.append(button);
}

async function keep(scan, photo) {
  await queue.add({ scan }, photo);
  show(scan);
  await showWaiting();
  sender.flush();
}

function chosenKind() {
  return form.elements.kind.value;
}

function showFields() {
  for (const field of form.querySelectorAll("[data-for]")) {
    field.hidden = !field.dataset.for.split(" ").includes(chosenKind());
  }
}

function shownInputs() {
  return [...form.querySelectorAll("input:not([type=radio]):not([type=file])")].filter(
    (input) => !input.closest("[hidden]"),
  );
}

// After each entry the focus moves to the next required field that cannot be scanned, then to the code, which sends.
function goOn(input) {
  const code = find("code");
  if (input === code) return form.requestSubmit();
  const missing = shownInputs().find((each) => each.dataset.needed?.split(" ").includes(chosenKind()) && !each.value);
  (missing ?? code).focus();
}

async function readPhoto() {
  const [file] = find("photo").files;
  if (!file || chosenKind() !== "exception") return undefined;
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { content: btoa(text), media_type: file.type, name: file.name };
}

function readForm() {
  const kind = chosenKind();
  const scan = {
    scan_id: uniqueKey(),
    kind,
    code: find("code").value,
    warehouse_id: Number(warehouse.value),
    occurred_at: new Date().toISOString(),
  };
  for (const { name, value } of shownInputs()) {
    const said = value.trim();
    if (name === "code" || !said) continue;
    scan[name] = name === "quantity" || name === "route_id" ? Number(said) : said;
  }
  if (kind === "count" && scan.quantity === 0) {
    delete scan.quantity;
    scan.nothing = true;
  }
  return scan;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const code = find("code");
  if (!code.value.trim() || !warehouse.value) return code.focus();
  const scan = readForm();
  const photo = await readPhoto();
  for (const id of ["code", "quantity", "lot", "note", "photo"]) find(id).value = "";
  code.focus();
  await keep(scan, photo);
});

// A scanner ends each code with Enter.
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !shownInputs().includes(event.target)) return;
  event.preventDefault();
  goOn(event.target);
});

form.addEventListener("change", (event) => {
  if (event.target.name !== "kind") return;
  showFields();
  (shownInputs().find((input) => !input.value) ?? find("code")).focus();
});

function fillWarehouses(known) {
  const chosen = localStorage.getItem("haulier-warehouse");
  warehouse.replaceChildren(...known.map(({ id, code, name }) => new Option(`${code} · ${name}`, id)));
  if (known.some(({ id }) => String(id) === chosen)) warehouse.value = chosen;
}

warehouse.addEventListener("change", () => localStorage.setItem("haulier-warehouse", warehouse.value));

async function loadWarehouses() {
  fillWarehouses(JSON.parse(localStorage.getItem(WAREHOUSES) ?? "[]"));
  try {
    const { ok, body } = await ask("get_warehouses", { per_page: 200 });
    if (!ok) return;
    localStorage.setItem(WAREHOUSES, JSON.stringify(body.warehouses));
    fillWarehouses(body.warehouses);
    onLine(0);
  } catch (error) {
    onLine(error.status || -1);
  }
}

// The camera's code goes to the field last in focus, as pressing the camera button takes the focus.
let last = find("code");
form.addEventListener("focusin", ({ target }) => {
  if (shownInputs().includes(target)) last = target;
});

async function offerCamera() {
  const button = find("camera");
  const camera = await makeCamera("handheld", find("sight"), {
    onCode(code) {
      const input = shownInputs().includes(last) ? last : find("code");
      input.value = code;
      navigator.vibrate?.(80);
      goOn(input);
    },
    onSeeing(seeing) {
      button.textContent = seeing ? words.camera_off : words.camera;
      if (seeing) find("no-camera").hidden = true;
    },
    onTrouble() {
      find("no-camera").textContent = words.camera_refused;
      find("no-camera").hidden = false;
    },
  });
  button.hidden = false;
  button.addEventListener("click", () => camera.toggle());
}

if (hasCamera()) {
  offerCamera();
} else {
  find("no-camera").hidden = false;
}

addEventListener("online", () => sender.flush());
document.addEventListener("visibilitychange", () => document.hidden || sender.flush());
navigator.storage?.persist?.();
keepForOffline("handheld");
showFields();
for (const { scan } of await queue.list(SHOWN)) show(scan);
await showWaiting();
await loadWarehouses();
sender.flush();
