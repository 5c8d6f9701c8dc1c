// Orders that a plan leaves out, with one line per reason.
import { say, state } from "./dispatch-state.js";

const by = (id) => document.getElementById(id);
const MOST = 40; // orders that a line names
const LOCATED = 5; // orders whose location a line links to

export function showLeft(unassigned) {
  const reasons = new Map();
  for (const order of unassigned) reasons.set(order.message, [...(reasons.get(order.message) ?? []), order.order_id]);
  const lines = [...reasons].sort(([, some], [, others]) => others.length - some.length).map(([message, ids]) => {
    const [line, named] = [document.createElement("li"), document.createElement("span")];
    const list = new Intl.ListFormat(state.language, { type: "unit" }).format(ids.slice(0, MOST).map(String));
    named.textContent = say("left_orders", { count: ids.length, orders: ids.length > MOST ? `${list} …` : list });
    line.append(message, named);
    if (unassigned.find((order) => order.message === message).facts?.place === "unknown") line.append(...ids.slice(0, LOCATED).map(locate));
    return line;
  });
  by("left-out").hidden = unassigned.length === 0;
  by("left-out-count").textContent = say("left_why", { count: unassigned.length });
  by("left-out-why").replaceChildren(...lines);
}

// The fix for the reason: a pin for the address.
function locate(id) {
  const link = document.createElement("a");
  link.href = `/desk/act/set_order_location?order_id=${id}`;
  link.textContent = say("left_locate", { order: id });
  return link;
}
