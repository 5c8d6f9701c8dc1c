// Whether this phone is woken when somebody writes about an order. The browser asks the driver first.
import { el } from "./page-parts.js";

export function showAlerts(app) {
  const offered = document.querySelector('meta[name="order-chat"]') && "PushManager" in window && navigator.serviceWorker;
  if (!offered) return [];
  const place = el("div", { "aria-live": "polite" });
  look();
  return [place];

  async function look() {
    const answer = await app.tell("list_push_devices", {});
    if (!answer?.web_push_key) return;
    const worker = await navigator.serviceWorker.ready;
    const known = await worker.pushManager.getSubscription();
    if (known) await register(known);
    const change = () => (known ? withdraw(known) : begin(worker, answer.web_push_key));
    place.replaceChildren(el("button", { type: "button", class: "plain wide", onclick: change }, app.words[known ? "alerts_off" : "alerts_on"]));
  }

  async function begin(worker, key) {
    try {
      await register(await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
      await look();
    } catch {
      place.append(el("p", { class: "empty" }, app.words.alerts_denied));
    }
  }

  function register(subscription) {
    const { endpoint, keys } = subscription.toJSON();
    return app.tell("register_push_device", { kind: "web", address: endpoint, ...keys });
  }

  async function withdraw(subscription) {
    const told = await register(subscription);
    if (!told) return;
    await app.tell("remove_push_device", { device_id: told.device.id });
    await subscription.unsubscribe();
    await look();
  }
}
