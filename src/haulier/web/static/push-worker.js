// Shows push messages: who wrote about an order; a tap opens the chat. It serves no page and caches
// nothing. Workers of apps include it.
addEventListener("push", (event) => {
  const { title, body, page, order_id } = event.data.json();
  const shown = { body, tag: `order-chat-${order_id}`, renotify: true, icon: "/static/mark.svg", data: { page } };
  event.waitUntil(registration.showNotification(title, shown));
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.page));
});

async function openPage(page) {
  const open = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = open.find(({ url }) => new URL(url).pathname === page);
  return there ? there.focus() : clients.openWindow(page);
}
