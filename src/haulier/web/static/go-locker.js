// A stop at a locker: the driver opens the compartment from the phone, or by a code at the locker. A door is never
// requested later: without an immediate answer the page reports it.
import { isPutIn } from "./go-day.js";
import { Unanswered } from "./page-calls.js";
import { clock, el, fill, oneAtATime } from "./page-parts.js";

const ANSWER_MS = 10_000;
const LOOK_MS = 1500;
const SILENT_MS = 35_000; // a door opens within thirty seconds, or not at all
const LEARNT_MS = 5 * 60_000; // interval at which a locker requests new codes
const UNDER_WAY = new Set(["queued", "sent", "acknowledged"]);
const MOODS = { stuck: "bad", silent: "warn", refused: "bad", no_network: "warn", unanswered: "warn", in: "good" };
const doors = new Map(); // state of the door of each stop, while the page is open

// Stops whose compartment did not open and whose parcel has a new destination.
export function fellBack(app, stop) {
  const said = doors.get(stop.id)?.elsewhere;
  return said ? el("p", { class: "notice warn", role: "status" }, said) : null;
}

export function atLocker(app, route, stop, inPerson) {
  if (isIn(stop)) return [theBox(app, route, stop)];
  const waits = app.codes.putInAt(stop);
  return [theBox(app, route, stop), byCode(app, route, stop), ...(waits ? [] : [givingUp(app, route, stop), handedOver(app, inPerson)])];
}

const isIn = (stop) => isPutIn(stop) || doors.get(stop.id)?.step === "in";
const boxOf = ({ cabinet, box }) => (box == null ? null : `${cabinet}-${box}`);

function theBox(app, route, stop) {
  const { words } = app;
  const { locker } = stop.handover;
  const door = doors.get(stop.id) ?? {};
  doors.set(stop.id, door);
  if (isPutIn(stop) && door.step !== "in") Object.assign(door, { step: "in", said: fill(words.locker_told, { box: boxOf(locker) ?? "" }) });
  const part = el("section", { class: "door sheet", "aria-labelledby": "locker-title" });
  door.draw = () => {
    const focused = part.contains(document.activeElement) && document.activeElement.id;
    part.replaceChildren(...shown());
    // If the button is gone, the focus moves to the message.
    if (focused) (document.getElementById(focused) ?? document.getElementById("door-said")).focus();
  };

  function shown() {
    const place = boxOf(door.at ?? locker);
    return [
      el("h3", { id: "locker-title" }, words.locker),
      facts(app, locker),
      el("p", { class: "sum box-number" }, place ? boxWords(app, door.at ?? locker) : words.locker_any_box),
      el("p", { id: "door-said", tabindex: "-1", class: door.step ? `notice ${MOODS[door.step] ?? ""}` : "unseen", role: "status" }, door.said ?? ""),
      isIn(stop) ? done(app, route, stop) : openButton(),
    ].filter(Boolean);
  }

  function openButton() {
    if (app.codes.putInAt(stop)) return null;
    const asked = door.step === "asking" || door.step === "opening";
    return el("button", { type: "button", id: "open-box", class: "wide big", "aria-disabled": asked && "true", onclick: () => asked || open(app, route, stop) }, words.locker_open);
  }

  door.draw();
  if (door.step === "opening") watch(app, route, stop, door);
  return part;
}

const boxWords = (app, { cabinet, box }) => fill(app.words.locker_box, { cabinet, box });

function facts(app, locker) {
  const { words } = app;
  const times = locker.open_times?.map(({ opens_at, closes_at }) => `${clock(opens_at)}–${clock(closes_at)}`).join(", ");
  const lines = [
    [words.locker_site, locker.site_name],
    [words.place, locker.site_address],
    [words.locker_hours, times == null ? words.locker_always : times || words.locker_closed],
    [words.access, locker.access_notes],
  ].filter(([, said]) => said);
  return el("dl", { class: "facts" }, ...lines.flatMap(([name, said]) => [el("dt", {}, name), el("dd", {}, said)]));
}

function done(app, route, stop) {
  const finish = oneAtATime(async () => {
    await app.record(app.here(route, stop, "deliver"));
    location.hash = "#day";
  });
  return el("button", { type: "button", id: "locker-done", class: "wide big", onclick: finish }, app.words.locker_done);
}

function say(door, step, said, more = {}) {
  Object.assign(door, { step, said, ...more });
  door.draw();
}

// Requests the door immediately. `giveUp`: the compartment does not open, and the parcel goes elsewhere.
async function open(app, route, stop, giveUp = false) {
  const { words } = app;
  const door = doors.get(stop.id);
  if (!navigator.onLine) return say(door, "no_network", words.locker_no_network);
  say(door, "asking", words.locker_asking);
  let answer;
  try {
    answer = await app.ask("rider_open_locker", { route_id: route.id, stop_id: stop.id, ...app.position(), give_up: giveUp }, ANSWER_MS);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    return say(door, "unanswered", words.locker_unanswered);
  }
  if (!answer.ok) return say(door, "refused", answer.body.message);
  const { delivery, command } = answer.body;
  if (command) return opening(app, route, stop, door, delivery);
  if (delivery.status === "deposited") return isOpen(app, stop, door, delivery);
  if (delivery.status === "planned" || delivery.status === "fallen_back") door.elsewhere = elsewhere(app, delivery);
  say(door, undefined, undefined, { at: undefined });
  await app.refresh();
}

function opening(app, route, stop, door, { cabinet, box }) {
  const at = { cabinet, box };
  say(door, "opening", fill(app.words.locker_opening, { box: boxOf(at) }), { at, until: Date.now() + SILENT_MS, elsewhere: undefined });
  watch(app, route, stop, door);
}

function isOpen(app, stop, door, { cabinet, box }) {
  say(door, "in", fill(app.words.locker_in, { box: boxOf({ cabinet, box }) ?? "" }), { at: { cabinet, box } });
  return app.refresh();
}

// Polls the state of the door while the driver views the stop.
async function watch(app, route, stop, door) {
  if (door.watched) return;
  door.watched = true;
  while (door.step === "opening" && location.hash === `#stop-${stop.id}`) {
    await new Promise((over) => setTimeout(over, LOOK_MS));
    await look(app, route, stop, door).catch((error) => {
      if (!(error instanceof Unanswered)) throw error;
    });
    if (door.step === "opening" && Date.now() > door.until) say(door, "silent", app.words.locker_silent);
  }
  door.watched = false;
}

async function look(app, route, stop, door) {
  const { ok, body } = await app.ask("get_rider_locker_stop", { route_id: route.id, stop_id: stop.id }, ANSWER_MS);
  if (!ok || door.step !== "opening") return;
  const { delivery, command } = body;
  if (delivery.status === "deposited") return isOpen(app, stop, door, door.at);
  if (command?.status === "failed") return isStuck(app, stop, door, delivery);
  if (!UNDER_WAY.has(command?.status)) say(door, "silent", app.words.locker_silent);
}

function isStuck(app, stop, door, delivery) {
  const box = boxOf(door.at);
  const next = boxOf(delivery);
  const words =
    next && next !== box
      ? fill(app.words.locker_stuck_next, { box, next })
      : `${fill(app.words.locker_stuck, { box })} ${app.words[`locker_if_${delivery.if_full}`]}`;
  say(door, "stuck", words, { at: { cabinet: delivery.cabinet, box: delivery.box } });
}

function elsewhere(app, delivery) {
  const { words } = app;
  if (delivery.status === "planned") return fill(words.locker_moved, { site: delivery.site_name });
  return `${words[`locker_why_${delivery.fell_back_because}`] ?? ""} ${delivery.if_full === "return" ? words.locker_back : words.locker_home}`.trim();
}

function byCode(app, route, stop) {
  const { words, codes } = app;
  const { locker } = stop.handover;
  const kept = codes.codeOf(stop);
  const putIn = codes.putInAt(stop);
  function say(at) {
    codes.sayPutIn(stop, at);
    Object.assign(doors.get(stop.id), { step: undefined, said: undefined });
    app.show();
    document.getElementById(at ? "not-in" : "put-in")?.focus();
  }
  const another = oneAtATime(async () => (await codes.make(route, stop, app.tell)) && app.refresh());
  const renew = el("button", { type: "button", id: "new-code", class: "plain wide", onclick: another }, words.locker_code_new);
  const usable = kept && !kept.replaced;
  const young = usable && Date.now() - Date.parse(kept.made_at) < LEARNT_MS;
  const parts = putIn
    ? [
        el("p", { class: "notice info", role: "status" }, fill(words.locker_waits, { time: clock(putIn) })),
        el("button", { type: "button", id: "not-in", class: "plain wide", onclick: () => say(undefined) }, words.locker_not_in),
      ]
    : [
        usable ? el("p", { class: "sum box-code" }, `${kept.code.slice(0, 4)} ${kept.code.slice(4)}`) : null,
        usable ? el("p", {}, fill(words.locker_code_how, { cabinet: locker.cabinet ?? "", box: boxOf(locker) ?? "", until: dayClock(kept.expires_at) })) : null,
        young ? el("p", { class: "hint" }, words.locker_code_soon) : null,
        usable ? null : el("p", { class: "notice warn" }, kept ? words.locker_code_replaced : words.locker_code_none),
        el(
          "div",
          { class: "acts" },
          usable ? el("button", { type: "button", id: "put-in", class: "wide big", onclick: () => say(new Date().toISOString()) }, words.locker_done) : null,
          renew,
        ),
      ];
  return el("details", { class: "door sheet", id: "locker-code", open: Boolean(putIn) }, el("summary", {}, words.locker_code), ...parts);
}

const dayClock = (moment) =>
  `${new Date(moment).toLocaleDateString(document.documentElement.lang, { weekday: "short", timeZone: document.querySelector("[data-zone]").dataset.zone })} ${clock(moment)}`;

function givingUp(app, route, stop) {
  const { words } = app;
  const give = oneAtATime(() => open(app, route, stop, true));
  return el(
    "details",
    { class: "door sheet", id: "giving-up" },
    el("summary", {}, words.locker_give_up),
    el("p", {}, words[`locker_if_${stop.handover.locker.if_full}`]),
    el("button", { type: "button", id: "give-up", class: "danger wide", onclick: give }, words.locker_give_up_now),
  );
}

const handedOver = (app, form) => el("details", { class: "door sheet", id: "in-person" }, el("summary", {}, app.words.locker_in_person), form);
