// A stop: recipient, directions, and actions at the delivery location.
import { isOver, piecesOf, waitsForPickup } from "./go-day.js";
import { chatButton } from "./order-chat-link.js";
import { atLocker, fellBack } from "./go-locker.js";
import { makeSignature } from "./go-signature.js";
import { amountOf, clock, el, fill, labelled, minorOf, money, oneAtATime, readPicture } from "./page-parts.js";

const OUTCOMES = ["handed_over", "missing", "damaged", "refused"];
const HANDED_TO = ["", "recipient", "household", "neighbour", "safe_place", "reception", "mailbox", "other"];
const COMMON_REASONS = ["recipient_absent", "address_incorrect", "access_denied", "refused", "damaged"];

export function showStop(app, each, stop) {
  const { route } = each;
  const { handover } = stop;
  return [
    el("p", {}, el("a", { href: "#day" }, app.words.back)),
    el("h2", {}, handover?.contact?.address ?? stop.address ?? stop.order_ref ?? app.words.stop),
    fellBack(app, stop),
    ...facts(app, stop),
    isOver(stop)
      ? el("p", { class: "notice" }, app.words[`status_${stop.status}`] ?? stop.status, stop.unsent ? ` · ${app.words.kept}` : "")
      : null,
    stop.status === "failed" && route.status === "started" ? reopening(app, route, stop) : null,
    ...(isOver(stop) ? [] : atDoor(app, each, route, stop)),
  ];
}

function reopening(app, route, stop) {
  const reopen = () => app.record(app.here(route, stop, "reopen"));
  return el("button", { type: "button", class: "wide", onclick: reopen }, app.words.reopen);
}

function facts(app, stop) {
  const { handover } = stop;
  const contact = handover?.contact;
  const place = contact && [contact.unit, contact.city, contact.postal_code].filter(Boolean).join(", ");
  const window = stop.window_start && stop.window_end ? `${clock(stop.window_start)}–${clock(stop.window_end)}` : null;
  const lines = [
    [app.words.who, contact?.name],
    [app.words.place, place],
    [app.words.access, contact?.notes],
    [app.words.window, window],
    [app.words.instruction, handover?.instruction],
    [app.words.note, handover?.note],
    [app.words.weight, handover?.weight_g ? `${(handover.weight_g / 1000).toLocaleString(document.documentElement.lang)} kg` : null],
    [app.words.cod_due, handover?.cod_minor ? money(handover.cod_minor, handover.currency) : null],
    [app.words.skills, handover?.skills.join(", ")],
    [app.words.number, stop.tracking_number],
  ].filter(([, said]) => said);
  const target = contact?.lat != null ? `${contact.lat},${contact.lng}` : stop.lat != null ? `${stop.lat},${stop.lng}` : null;
  return [
    el("dl", { class: "facts" }, ...lines.flatMap(([name, said]) => [el("dt", {}, name), el("dd", {}, said)])),
    el(
      "p",
      { class: "reach" },
      contact?.phone ? el("a", { class: "button plain", href: `tel:${contact.phone}` }, app.words.call) : null,
      contact?.phone ? el("a", { class: "button plain", href: `sms:${contact.phone}` }, app.words.message) : null,
      target ? el("a", { class: "button plain", href: navigation(target) }, app.words.navigate) : null,
      chatButton(stop.order_id),
    ),
  ];
}

// Opens the phone's map app: `geo:` (RFC 5870) where supported, Apple Maps on Apple devices.
function navigation(target) {
  return /iPhone|iPad/.test(navigator.userAgent) ? `maps://?daddr=${target}` : `geo:${target}?q=${target}`;
}

function atDoor(app, each, route, stop) {
  if (route.status !== "started") return [el("p", { class: "notice warn" }, app.words.start_first)];
  if (waitsForPickup(route, stop)) return [el("p", { class: "notice warn" }, app.words.pick_up_first)];
  const arrive =
    stop.status === "planned"
      ? el("button", { type: "button", class: "plain wide", onclick: () => app.record(app.here(route, stop, "arrive")) }, app.words.arrive)
      : null;
  const form = handOver(app, each, route, stop);
  const scan = app.scanForm(route, stop);
  const parts = stop.kind === "delivery" && stop.handover?.locker ? [...atLocker(app, route, stop, form), arrive, scan] : [arrive, scan, form];
  return [...parts, failure(app, route, stop)];
}

function handOver(app, each, route, stop) {
  const { handover } = stop;
  const proof = stop.kind === "delivery" ? (handover?.proof ?? {}) : {};
  const input = (name, attributes = {}) => el("input", { name, autocomplete: "off", ...attributes });
  const recipient = input("recipient", { maxlength: 191 });
  const choices = HANDED_TO.map((to) => el("option", { value: to }, app.words[`handed_to_${to || "none"}`]));
  const handed = el("select", { name: "handed_to" }, ...choices);
  const leftAt = input("left_at", { maxlength: 120 });
  const pin = input("pin", { inputmode: "numeric", maxlength: 8, pattern: "[0-9]*" });
  const age = el("input", { type: "checkbox", id: "age" });
  const note = el("textarea", { name: "note", rows: 2, maxlength: 1000 });
  const photos = pictures(app, "photos", app.words.photo);
  const signature = makeSignature(app.words);
  const pieces = stop.kind === "delivery" ? pieceChoices(app, piecesOf(each, stop, true)) : null;
  const cod = stop.kind === "delivery" && handover?.cod_minor ? moneyFields(app, handover) : null;
  const faults = el("ul", { class: "notice bad", role: "alert", hidden: true });
  const needs = (asked, words) => (asked ? `${words} *` : words);

  const finish = oneAtATime(async () => {
    const signed = signature.read();
    const wrong = [
      (proof.recipient || handed.value === "neighbour") && !recipient.value.trim() && app.words.recipient_needed,
      (proof.photo || handed.value === "safe_place") && !photos.taken.length && app.words.photo_needed,
      proof.signature && !signed && app.words.signature_needed,
      proof.pin && !pin.value.trim() && app.words.pin_needed,
      proof.minimum_age != null && !age.checked && fill(app.words.age_needed, { age: proof.minimum_age }),
      proof.max_distance_m != null && !app.position().position && app.words.position_needed,
      ...(cod?.faults() ?? []),
      ...(pieces?.faults() ?? []),
    ].filter(Boolean);
    faults.hidden = !wrong.length;
    faults.replaceChildren(...wrong.map((each) => el("li", {}, each)));
    if (wrong.length) return faults.scrollIntoView({ block: "center" });
    const pressed = app.here(route, stop, stop.kind === "pickup" ? "pick_up" : "deliver");
    const uploads = [...photos.taken, ...(signed ? [signed] : []), ...(pieces?.photos() ?? [])];
    const names = await app.keepPictures(stop, uploads);
    const said = {
      ...pressed,
      ...(recipient.value.trim() ? { recipient: recipient.value.trim() } : {}),
      ...(handed.value ? { handed_to: handed.value } : {}),
      ...(leftAt.value.trim() ? { left_at: leftAt.value.trim() } : {}),
      ...(note.value.trim() ? { note: note.value.trim() } : {}),
      ...(photos.taken.length ? { photos: names.slice(0, photos.taken.length) } : {}),
      ...(signed ? { signature: names[photos.taken.length] } : {}),
      ...(proof.pin ? { pin: pin.value.trim() } : {}),
      ...(proof.minimum_age != null ? { age_checked: true } : {}),
      ...(cod?.read() ?? {}),
      ...(pieces?.read(names.slice(photos.taken.length + (signed ? 1 : 0))) ?? {}),
    };
    await app.record(said, names.length);
    location.hash = "#day";
  });

  const leftAtPart = labelled("left_at", app.words.left_at, leftAt);
  const showPlace = () => {
    leftAtPart.hidden = handed.value !== "safe_place";
    if (leftAtPart.hidden) leftAt.value = "";
  };
  handed.addEventListener("change", showPlace);
  showPlace();

  return el(
    "form",
    { class: "door sheet", onsubmit: (event) => (event.preventDefault(), finish()), novalidate: true },
    el("h3", {}, stop.kind === "pickup" ? app.words.pick_up : app.words.deliver),
    pieces?.part,
    cod?.part,
    photos.part(needs(proof.photo, app.words.photo)),
    signature.part,
    stop.kind === "delivery" ? labelled("handed_to", app.words.handed_to, handed) : null,
    stop.kind === "delivery" ? leftAtPart : null,
    labelled("recipient", needs(proof.recipient, app.words.recipient), recipient),
    proof.pin ? labelled("pin", needs(true, app.words.pin), pin) : null,
    proof.minimum_age != null
      ? el("p", { class: "check" }, age, " ", el("label", { for: "age" }, fill(app.words.age_checked, { age: proof.minimum_age })))
      : null,
    labelled("note", app.words.note, note),
    faults,
    el("button", { class: "wide big" }, stop.kind === "pickup" ? app.words.picked_up : app.words.delivered),
  );
}

function pictures(app, id, label) {
  const taken = [];
  const shown = el("p", { class: "pictures" });
  const input = el("input", { type: "file", accept: "image/*", capture: "environment", onchange: add });

  async function add() {
    for (const file of input.files) {
      try {
        const picture = await readPicture(file);
        taken.push(picture);
        shown.append(el("img", { src: picture, alt: label, width: 96 }));
      } catch {
        shown.append(el("span", { class: "badge bad" }, app.words.no_picture));
      }
    }
    input.value = "";
  }

  return { taken, part: (words) => el("div", {}, labelled(id, words, input), shown) };
}

function pieceChoices(app, pieces) {
  if (!pieces.length) return null;
  const rows = pieces.map((piece, at) => {
    const choice = el("select", { name: `piece-${at}` }, ...OUTCOMES.map((each) => el("option", { value: each }, app.words[`piece_${each}`])));
    const photo = pictures(app, `piece-photo-${at}`, app.words.photo);
    const proof = photo.part(`${app.words.photo} *`);
    proof.hidden = true;
    choice.addEventListener("change", () => (proof.hidden = choice.value !== "damaged"));
    const name = [piece.description, piece.barcode].filter(Boolean).join(" · ");
    return { piece, choice, photo, part: el("div", {}, labelled(`piece-${at}`, `${piece.scanned ? "✓ " : ""}${name}`, choice), proof) };
  });
  const left = () => rows.filter(({ choice }) => choice.value !== "handed_over");
  const damaged = () => left().filter(({ choice }) => choice.value === "damaged");

  function read(names) {
    const waiting = [...names];
    if (!left().length) return {};
    return {
      pieces: left().map(({ piece, choice, photo }) => ({
        barcode: piece.barcode,
        outcome: choice.value,
        ...(choice.value === "damaged" ? { photos: waiting.splice(0, photo.taken.length) } : {}),
      })),
    };
  }

  return {
    part: el("details", { open: pieces.some((piece) => piece.scanned) }, el("summary", {}, fill(app.words.pieces_count, { count: pieces.length })), ...rows.map(({ part }) => part)),
    read,
    photos: () => damaged().flatMap(({ photo }) => photo.taken),
    faults: () => [
      damaged().some(({ photo }) => !photo.taken.length) && app.words.photo_needed,
      left().length === rows.length && app.words.nothing_handed_over,
    ],
  };
}

function moneyFields(app, { cod_minor: due, currency }) {
  const amount = (name, value) => el("input", { name, inputmode: "decimal", autocomplete: "off", value });
  const cash = amount("cash", amountOf(due, currency));
  const card = amount("card", "");
  const reason = el("input", { name: "cod_reason", maxlength: 255, autocomplete: "off" });
  const parts = () => [["cash", minorOf(cash.value, currency)], ["card", minorOf(card.value, currency)]];
  const taken = () => parts().reduce((sum, [, minor]) => sum + (minor ?? 0), 0);
  return {
    part: el(
      "fieldset",
      {},
      el("legend", {}, fill(app.words.take, { amount: money(due, currency) })),
      labelled("cash", app.words.cash, cash),
      labelled("card", app.words.card, card),
      labelled("cod_reason", app.words.cod_reason, reason),
    ),
    read: () => ({
      cod: parts().filter(([, minor]) => minor).map(([method, amount_minor]) => ({ method, amount_minor })),
      ...(reason.value.trim() ? { cod_reason: reason.value.trim() } : {}),
    }),
    faults: () => [
      parts().some(([, minor]) => Number.isNaN(minor)) && app.words.amount_wrong,
      taken() > due && app.words.amount_too_much,
      taken() < due && !reason.value.trim() && app.words.cod_reason_needed,
    ],
  };
}

function failure(app, route, stop) {
  const known = app.store.kept.reasons.filter((reason) => reason.active);
  const reasons = known.length ? known : COMMON_REASONS.map((code) => ({ code, text: app.words[`reason_${code}`] }));
  const note = el("textarea", { name: "failure_note", rows: 2, maxlength: 1000 });
  const photos = pictures(app, "failure_photos", app.words.photo);
  const faults = el("p", { class: "notice bad", role: "alert", hidden: true });

  const give = oneAtATime(async (reason) => {
    const wrong = (reason.asks_photo && !photos.taken.length && app.words.photo_needed) || (reason.asks_note && !note.value.trim() && app.words.note_needed);
    faults.hidden = !wrong;
    faults.textContent = wrong || "";
    if (wrong) return faults.scrollIntoView({ block: "center" });
    const said = { ...app.here(route, stop, "fail"), reason: reason.code };
    const names = await app.keepPictures(stop, photos.taken);
    if (note.value.trim()) said.note = note.value.trim();
    if (names.length) said.photos = names;
    await app.record(said, names.length);
    location.hash = "#day";
  });

  return el(
    "details",
    { class: "door sheet", id: "failing" },
    el("summary", {}, app.words.fail),
    labelled("failure_note", app.words.note, note),
    photos.part(app.words.photo),
    faults,
    el("div", { class: "reasons" }, ...reasons.map((reason) => el("button", { type: "button", class: "plain wide", onclick: () => give(reason) }, reason.text))),
  );
}
