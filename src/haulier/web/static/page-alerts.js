// Notifications on this device about chat messages. The browser asks for permission first.
import { el, oneAtATime } from "./page-parts.js";

export const OF_PEOPLE = { list: "list_push_devices", register: "register_push_device", remove: "remove_push_device" };
export const OF_RECIPIENTS = {
  list: "list_delivery_push_devices",
  register: "register_delivery_push_device",
  remove: "remove_delivery_push_device",
};

// The existing worker of an app.
export const appWorker = { find: () => navigator.serviceWorker.ready, start: () => navigator.serviceWorker.ready, end: () => {} };

// A worker for push messages only. No page is below its address, so it caches nothing; the address names its owner, so that two
// users or two deliveries in one browser stay separate.
export function pushWorker(owner) {
  const scope = `/push/${owner}/`;
  return {
    find: () => navigator.serviceWorker.getRegistration(scope),
    start: async () => active(await navigator.serviceWorker.register("/push/worker.js", { scope })),
    end: (registration) => registration.unregister(),
  };
}

function active(registration) {
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  return new Promise((done, failed) => {
    const look = () => {
      if (worker.state === "activated") done(registration);
      if (worker.state === "redundant") failed(new Error(""));
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

// A button at `place`, if the device supports notifications. `tell` calls an operation: it returns null, or throws with a message.
export function offerAlerts(place, { tell, words, worker, operations }) {
  if (!("PushManager" in window && navigator.serviceWorker)) return;
  look().catch(() => {});

  async function look() {
    const answer = await tell(operations.list, {});
    if (!answer?.web_push_key) return;
    const found = await worker.find();
    const known = await found?.pushManager.getSubscription();
    const held = place.contains(document.activeElement);
    const change = () => (known ? withdraw(found, known) : begin(answer.web_push_key));
    const button = el("button", { type: "button", class: "plain wide", onclick: oneAtATime(attempt(change)) });
    button.textContent = words[known ? "alerts_off" : "alerts_on"];
    place.replaceChildren(button);
    place.closest("[hidden]")?.removeAttribute("hidden");
    if (held) button.focus();
    if (known) await register(known);
  }

  const attempt = (act) => async () => {
    place.querySelector("p")?.remove();
    try {
      await act();
      await look();
    } catch (error) {
      place.append(el("p", { class: "empty" }, reason(error)));
    }
  };

  function reason(error) {
    if (error instanceof DOMException) return words.alerts_denied;
    return error instanceof TypeError || !error.message ? words.alerts_failed : error.message;
  }

  async function begin(key) {
    if ((await Notification.requestPermission()) !== "granted") throw new DOMException("", "NotAllowedError");
    const registration = await worker.start();
    const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const told = await register(subscription).catch(async (error) => {
      await subscription.unsubscribe();
      throw error;
    });
    if (!told) await subscription.unsubscribe();
  }

  async function register(subscription) {
    const { endpoint, keys } = subscription.toJSON();
    return tell(operations.register, { kind: "web", address: endpoint, ...keys });
  }

  async function withdraw(registration, subscription) {
    const told = await register(subscription);
    if (!told) return;
    await tell(operations.remove, { device_id: told.device.id });
    await subscription.unsubscribe();
    await worker.end(registration);
  }
}
