// The chat of the selected stop's order, beside the board. Its code is loaded when a chat is first opened.
import { selected } from "./dispatch-state.js";
import { fill } from "./page-parts.js";

const link = document.getElementById("chosen-chat");
const dialog = document.getElementById("stop-chat");
let chat = null;

async function show(stop) {
  chat ??= await import("./order-chat.js");
  document.getElementById("stop-chat-title").textContent = fill(chat.words.of_order, { order_id: stop.orderId });
  document.getElementById("stop-chat-about").textContent = document.getElementById("chosen").textContent;
  dialog.showModal();
  await chat.openChat({ base: `/orders/${stop.orderId}/chat`, csrf: document.getElementById("board").dataset.csrf, order: stop.orderId });
  if (dialog.open && matchMedia("(pointer: fine)").matches) document.getElementById("chat-text").focus();
}

// With a modifier key the link opens the chat page in a new tab.
link?.addEventListener("click", (event) => {
  const { stop } = selected();
  if (!stop || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  show(stop).catch(() => location.assign(link.href));
});
dialog?.addEventListener("close", () => {
  chat.closeChat();
  if (link.hidden) document.getElementById("lanes").focus();
});
