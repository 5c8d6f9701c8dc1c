// Entry point of the dispatch board: fetches the day once, draws map and timeline, and follows changes.
import "./dispatch-build.js";
import "./dispatch-chat.js";
import { zooms } from "./dispatch-drag.js";
import { begin, draw } from "./dispatch-gantt.js";
import "./dispatch-keys.js";
import { follow } from "./dispatch-live.js";
import { fitMap, layGround } from "./dispatch-map.js";
import "./dispatch-panel.js";
import "./dispatch-route.js";
import "./dispatch-waiting.js";
import { toast } from "./dispatch-change.js";
import { askWaiting, changed, load, loadWaiting, say, state, lanes } from "./dispatch-state.js";

const board = document.getElementById("board");
const hush = document.getElementById("hush");

document.getElementById("day").addEventListener("change", (event) => { if (event.target.validity.valid) event.target.form.submit(); });
zooms();
layGround().catch(() => {});
try {
  // Fetch both at once and show the list before the board; later it would shift elements under the pointer.
  const waiting = askWaiting().then((pool) => ({ pool }), (fault) => ({ fault }));
  await load();
  const { pool, fault } = await waiting;
  if (pool) await loadWaiting(pool);
  begin();
  draw();
  board.dataset.ready = "yes";
  hush.textContent = say("no_routes");
  if (lanes().length === 0) state.route = null;
  changed();
  follow();
  if (fault) toast(fault.message);
  fitMap();
} catch (fault) {
  hush.textContent = fault.message;
  toast(fault.message);
}
