// Live updates of the day: drivers, stops, plans and orders. Only changed parts are fetched.
import { changed, load, loadWaiting, markOf, state } from "./dispatch-state.js";

let busy = false;
let listed = null; // the version of the waiting orders at the last update

async function take(board) {
  state.drivers = board.drivers;
  changed();
  const known = new Map(state.lanes.map((lane) => [lane.id, lane.mark]));
  const there = new Set(board.routes.map((route) => route.id));
  const news = board.routes.filter((route) => known.get(route.id) !== markOf(route)).map((route) => route.id);
  const gone = [...known.keys()].filter((id) => !there.has(id));
  const others = board.waiting && (listed ? listed !== board.waiting.mark : state.waitingTotal !== board.waiting.total);
  if ((news.length || gone.length || others) && !busy && !state.supposed) {
    busy = true;
    try {
      await Promise.all([(news.length || gone.length) && load([...news, ...gone]), loadWaiting()]);
      listed = board.waiting?.mark;
    } finally { busy = false; }
  }
  listed ??= board.waiting?.mark;
}

export function follow() {
  const stream = new EventSource(`/dispatch/stream?day=${state.day}`);
  stream.onmessage = (event) => take(JSON.parse(event.data)).catch(() => {});
}
