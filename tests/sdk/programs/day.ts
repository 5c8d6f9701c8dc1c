/** A web shop's day in test mode: orders, labels, verified webhooks, pages and failures. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  ApiError,
  Haulier,
  advanceTestRecord,
  createOrder,
  download,
  getOrders,
  iterate,
  printLocalLabel,
  updateWebhookSettings,
  verifyWebhook,
} from "@haulier/client";

const [base = "", shakyBase = "", key = ""] = process.argv.slice(2);
const steady = new Haulier({ baseUrl: base, key });
const shaky = new Haulier({ baseUrl: shakyBase, key });
const consignee = { name: "Ann Lee", address: "1 Bay St", city: "Toronto", country: "CA" };
const told = new Set<string>();
let secret = "";

const receiver = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  try {
    const { event, data } = await verifyWebhook(Buffer.concat(parts), request.headers, secret);
    told.add(`${event} ${(data.order as { order_ref: string }).order_ref}`);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const hooks = await updateWebhookSettings(steady, { body: { endpoints: [{ url, events: ["order.created"] }] } });
secret = hooks.endpoints[0]?.secret ?? "";

const { order } = await createOrder(shaky, { body: { order_ref: "DAY-0", consignee } });
const label = await download(shaky, printLocalLabel, "application/pdf", { order_id: order.id });
const moved = (await advanceTestRecord(steady, { body: { order_id: order.id, to: "delivered" } })).status;
for (let n = 1; n < 8; n++) await createOrder(shaky, { body: { order_ref: `DAY-${n}`, consignee } });
const met: (string | null)[] = [];
for await (const each of iterate(shaky, getOrders, { per_page: 3 })) {
  met.push(each.order_ref);
  if (met.length === 4) await createOrder(steady, { body: { order_ref: "LATE", consignee } });
}
const wrong = createOrder(steady, { body: { order_ref: "DAY-9", consignee: { ...consignee, country: "Canada" } } });
const refused = await wrong.then(() => "", (error: unknown) => (error instanceof ApiError ? error.field : "no ApiError"));
while (told.size < 9) await new Promise((resolve) => setTimeout(resolve, 50));
console.log(JSON.stringify({ label: new TextDecoder().decode(label.slice(0, 4)), moved, met: met.sort(), refused, told: [...told].sort() }));
process.exit();
