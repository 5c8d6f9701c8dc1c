// A page of one chat, open as long as the page is.
import { openChat } from "./order-chat.js";

const { base, csrf, order } = document.getElementById("chat").dataset;
await openChat({ base, csrf, order: order ? Number(order) : null });
