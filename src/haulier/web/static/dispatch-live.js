// The day as it goes on: drivers move, stops are done, colleagues plan. Only routes that changed are fetched anew.
import { changed, load, loadWaiting, markOf, state } from "./dispatch-state.js";

let busy = false;

async function take(board) {
  state.drivers = board.drivers;
  changed();
  const known = new Map(state.lanes.map((lane) => [lane.id, lane.mark]));
  const there = new Set(board.routes.map((route) => route.id));
  const news = board.routes.filter((route) => known.get(route.id) !== markOf(route)).map((route) => route.id);
  const gone = [...known.keys()].filter((id) => !there.has(id));
  if ((news.length || gone.length) && !busy && !state.supposed) {
    busy = true;
    try { await Promise.all([load([...news, ...gone]), loadWaiting()]); } finally { busy = false; }
  }
}

export function follow() {
  const stream = new EventSource(`/dispatch/stream?day=${state.day}`);
  stream.onmessage = (event) => take(JSON.parse(event.data)).catch(() => {});
}
