// A driver's day on the phone: the last response of the server and later entries of the driver. No page, no network.
const CHANGES_STOP = { arrive: "arrived", pick_up: "completed", deliver: "completed", fail: "failed", reopen: "planned" };
const OVER = new Set(["completed", "failed", "brought_back", "handed_in", "cancelled"]);
const CHANGES_ROUTE = { start: "started", finish: "finished" };

// The day after a response that only has the changes since the previous one.
export function mergeDay(known, told) {
  if (told.complete || !known) return told;
  const routes = new Map(known.routes.map((each) => [each.route.id, each]));
  for (const each of told.routes) {
    const stops = new Map((routes.get(each.route.id)?.route.stops ?? []).map((stop) => [stop.id, stop]));
    for (const stop of each.route.stops) stops.set(stop.id, stop);
    routes.set(each.route.id, { ...each, route: { ...each.route, stops: [...stops.values()] } });
  }
  for (const id of told.gone_route_ids) routes.delete(id);
  const gone = new Set(told.gone_stop_ids);
  const kept = [...routes.values()].map((each) => ({
    ...each,
    route: {
      ...each.route,
      stops: each.route.stops.filter((stop) => !gone.has(stop.id)).sort((one, other) => one.position - other.position),
    },
  }));
  return { ...told, complete: true, routes: kept };
}

// The day as it is after all entries of the driver are sent.
export function withEvents(day, events) {
  const done = new Map();
  const started = new Map();
  const answers = new Map();
  const scanned = new Map();
  const reopened = new Set();
  for (const event of events) {
    if (event.kind === "reopen") reopened.add(event.stop_id);
    if (CHANGES_STOP[event.kind]) done.set(event.stop_id, event);
    else if (CHANGES_ROUTE[event.kind]) started.set(event.route_id, CHANGES_ROUTE[event.kind]);
    else if (event.kind === "accept" || event.kind === "decline") answers.set(event.route_id, event.kind);
    else if (event.kind === "scan") scanned.set(event.route_id, [...(scanned.get(event.route_id) ?? []), event]);
  }
  const routes = day.routes
    .filter(({ route }) => answers.get(route.id) !== "decline")
    .map((each) => ({
      ...each,
      answer: answers.has(each.route.id) ? "accepted" : each.answer,
      scans: scanned.get(each.route.id) ?? [],
      route: {
        ...each.route,
        status: started.get(each.route.id) ?? each.route.status,
        stops: each.route.stops.map((stop) => withEvent(stop, done.get(stop.id), reopened.has(stop.id))),
      },
    }));
  return { ...day, routes };
}

function withEvent(stop, event, reopened) {
  if (!event || (OVER.has(stop.status) && !(reopened && stop.status === "failed"))) return stop;
  return { ...stop, status: CHANGES_STOP[event.kind], unsent: true };
}

export const isOver = (stop) => OVER.has(stop.status);
export const openStops = (route) => route.stops.filter((stop) => !isOver(stop));

// Open deliveries into lockers on active routes: waiting for a compartment to open, or with the parcel inside.
export const isPutIn = ({ handover }) => handover.locker.status !== "planned";
export const atLockers = (day, putIn) =>
  day.routes
    .filter(({ route }) => route.status === "started")
    .flatMap(({ route }) => openStops(route).map((stop) => ({ route, stop })))
    .filter(({ stop }) => stop.handover?.locker && isPutIn(stop) === putIn);

// A delivery whose parcel is collected later on the same route.
export function waitsForPickup(route, stop) {
  return (
    stop.kind === "delivery" &&
    route.stops.some((other) => other.order_id === stop.order_id && other.kind === "pickup" && !isOver(other))
  );
}

// The packages of a stop, each with its scan state: at loading (no stop) or at delivery.
export function piecesOf({ scanned, scans }, stop, atDoor) {
  const here = (scan) => (atDoor ? scan.stop_id === stop.id : scan.stop_id == null);
  const known = new Set(scanned.filter(here).map((scan) => scan.package_id));
  const codes = new Set(scans.filter(here).map((scan) => scan.code.toUpperCase()));
  const pieces = stop.handover?.pieces ?? [];
  // The number of an order with one package names that package; otherwise it names none.
  const ofOrder = pieces.length === 1 && [stop.tracking_number, stop.order_ref].some((name) => name && codes.has(name.toUpperCase()));
  return pieces.map((piece) => ({
    ...piece,
    scanned: ofOrder || known.has(piece.id) || codes.has(piece.barcode.toUpperCase()),
  }));
}

// The meaning of a code as far as the phone knows, in the words of the server's response.
export function readCode(day, route, code, stopId) {
  const wanted = code.trim().toUpperCase();
  const names = (stop) => [stop.tracking_number, stop.order_ref, ...(stop.handover?.pieces ?? []).map((piece) => piece.barcode)];
  const has = (stop) => names(stop).some((name) => name?.toUpperCase() === wanted);
  const here = route.stops.filter(has);
  if (here.length && (!stopId || here.some((stop) => stop.id === stopId))) return "matched";
  if (here.length) return "other_stop";
  return day.routes.some((each) => each.route.stops.some(has)) ? "other_route" : "unknown";
}
