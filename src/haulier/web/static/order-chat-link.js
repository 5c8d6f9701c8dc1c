// Ways from an order to its chat, where the business chats.
import { el } from "./page-parts.js";

// The board: the link beside the selected stop leads to its order's chat.
export function chatLink(stop) {
  const link = document.getElementById("chosen-chat");
  if (!link) return;
  link.hidden = !stop;
  if (stop) link.href = `/orders/${stop.orderId}/chat`;
}

// The driver's app: a button at a stop. Null where the business does not chat.
export function chatButton(orderId) {
  const title = document.querySelector('meta[name="order-chat"]')?.content;
  return title ? el("a", { class: "button plain", href: `/orders/${orderId}/chat` }, title) : null;
}
