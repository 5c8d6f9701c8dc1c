// The day: its routes, next stop on top, completed stops folded.
import { isOver, openStops, piecesOf } from "./go-day.js";
import { clock, el, fill, money } from "./page-parts.js";

export function showDay(app, day) {
  const routes = day.routes.filter(({ route }) => route.status !== "cancelled");
  if (!routes.length) return [el("div", { class: "empty" }, el("h2", {}, app.words.no_routes), el("p", {}, app.words.no_routes_hint))];
  return [...refusals(app), ...routes.map((each) => showRoute(app, each))];
}

// Entries that the server refused. The driver can enter them again at the stop.
function refusals(app) {
  return app.store.kept.told
    .filter((told) => told.status === "refused")
    .map(({ event, message }) =>
      el(
        "div",
        { class: "notice bad", role: "alert" },
        el("p", {}, fill(app.words.refused, { what: app.words[`did_${event.kind}`], why: message })),
        event.stop_id ? el("p", {}, el("a", { href: `#stop-${event.stop_id}` }, app.words.see_stop)) : null,
        el("button", { type: "button", class: "plain", onclick: () => app.dismiss(event.id) }, app.words.understood),
      ),
    );
}

function showRoute(app, each) {
  const { route } = each;
  const open = openStops(route);
  const over = route.stops.filter(isOver);
  const done = fill(app.words.progress, { done: over.length, all: route.stops.length });
  return el(
    "section",
    { class: "route", "aria-label": route.name ?? fill(app.words.route, { id: route.id }) },
    el("h2", {}, route.name ?? fill(app.words.route, { id: route.id }), " ", el("span", { class: "badge" }, done)),
    el("p", { class: "soft" }, [route.depot_name, route.planned_start_at && clock(route.planned_start_at)].filter(Boolean).join(" · ")),
    ...routeActs(app, each, open),
    open.length ? el("ol", { class: "stops" }, ...open.map((stop, at) => card(app, route, stop, at === 0))) : null,
    over.length
      ? el("details", {}, el("summary", {}, fill(app.words.over, { count: over.length })), el("ol", { class: "stops" }, ...over.map((stop) => card(app, route, stop, false))))
      : null,
  );
}

function routeActs(app, each, open) {
  const { route } = each;
  const act = (word, kind, style) =>
    el("button", { type: "button", class: style, onclick: () => app.record({ kind, route_id: route.id }) }, app.words[word]);
  if (route.status === "assigned") {
    const unanswered = each.answer !== "accepted";
    return [
      loading(app, each),
      el("div", { class: "acts" }, act("start", "start"), unanswered ? act("accept", "accept", "plain") : null, act("decline", "decline", "danger")),
    ];
  }
  if (route.status !== "started" || open.length) return [];
  const end = async () => {
    await app.record({ kind: "return_to_depot", route_id: route.id });
    await app.record({ kind: "finish", route_id: route.id });
  };
  return [el("p", {}, app.words.all_done), el("div", { class: "acts" }, el("button", { type: "button", onclick: end }, app.words.finish))];
}

// Packages are scanned at loading, before the route starts.
function loading(app, each) {
  const pieces = each.route.stops.filter((stop) => stop.kind === "delivery").flatMap((stop) => piecesOf(each, stop, false));
  if (!pieces.length) return null;
  const loaded = pieces.filter((piece) => piece.scanned).length;
  return el(
    "div",
    { class: "sheet" },
    el("p", {}, fill(app.words.loaded, { done: loaded, all: pieces.length })),
    app.scanForm(each.route, null),
  );
}

// A stop of a list, with its link.
export function card(app, route, stop, next) {
  const { handover } = stop;
  const due = handover?.cod_minor ? money(handover.cod_minor, handover.currency) : null;
  const window = stop.window_end ? fill(app.words.until, { time: clock(stop.window_end) }) : null;
  const late = !isOver(stop) && stop.window_end && new Date(stop.window_end) < new Date();
  const said = [
    stop.kind === "delivery" && handover?.locker ? app.words.locker : app.words[stop.kind],
    handover?.pieces.length ? fill(app.words.pieces_count, { count: handover.pieces.length }) : null,
    due,
  ];
  return el(
    "li",
    { class: `stop ${next ? "next" : ""}` },
    el(
      "a",
      { href: `#stop-${stop.id}` },
      el("span", { class: "number", "aria-hidden": "true" }, String(stop.position)),
      el(
        "span",
        { class: "where" },
        el("strong", {}, handover?.contact?.address ?? stop.address ?? stop.order_ref ?? stop.tracking_number),
        el("span", {}, handover?.contact?.name ?? ""),
        el("span", { class: "soft" }, said.filter(Boolean).join(" · ")),
      ),
      el(
        "span",
        { class: "marks" },
        isOver(stop) ? el("span", { class: `badge ${stop.status === "failed" ? "bad" : "good"}` }, app.words[`status_${stop.status}`] ?? stop.status) : null,
        !isOver(stop) && window ? el("span", { class: `badge ${late ? "warn" : ""}` }, window) : null,
        !isOver(stop) && app.codes.putInAt(stop) ? el("span", { class: "badge info" }, app.words.locker_waits_short) : null,
        stop.unsent ? el("span", { class: "badge info" }, app.words.kept) : null,
      ),
    ),
  );
}
