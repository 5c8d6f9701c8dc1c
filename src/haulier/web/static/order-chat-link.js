// Links from an order to its chat, if the business uses chats.
import { el } from "./page-parts.js";

// The board: the link beside the selected stop opens its order's chat.
export function chatLink(stop) {
  const link = document.getElementById("chosen-chat");
  if (!link) return;
  link.hidden = !stop;
  if (stop) link.href = `/orders/${stop.orderId}/chat`;
}

// The driver app: a button at a stop. Null if the business does not use chats.
export function chatButton(orderId) {
  const title = document.querySelector('meta[name="order-chat"]')?.content;
  return title ? el("a", { class: "button plain", href: `/orders/${orderId}/chat` }, title) : null;
}
