/** Uses of the TypeScript client, printed as JSON. */
import {
  ApiError,
  ConnectionFailed,
  Haulier,
  createDepot,
  createOrder,
  download,
  getOrderDetail,
  getOrders,
  iterate,
  listDepots,
  printLocalLabel,
  verifyWebhook,
  WebhookRefused,
  whoAmI,
} from "@haulier/client";
import { whoAmI as inGroup } from "@haulier/client/user";

const [base = "", key = "", job = "", more = ""] = process.argv.slice(2);
const haulier = new Haulier({ baseUrl: base, key });
const consignee = { name: "Ada", address: "100 Queen St W", city: "Toronto", country: "CA", lat: 43.65, lng: -79.38 };
const refusal = async (call: Promise<unknown>) => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError)
      return { status: error.status, code: error.code, field: error.field, id: error.requestId, text: error.message };
    if (error instanceof ConnectionFailed || error instanceof WebhookRefused) return { name: error.name };
    throw error;
  }
};

const jobs: Record<string, () => Promise<unknown>> = {
  async repeated() {
    const { depot } = await createDepot(haulier, { body: { name: more, address: "1 Dock Rd", lat: 43.7, lng: -79.3 } });
    const { depots } = await listDepots(haulier, { per_page: 200 });
    return depots.filter((each) => each.name === depot.name).length;
  },
  ownKey: async () =>
    (await createOrder(haulier, { body: { order_ref: "OWN-TS", consignee } }, { idempotencyKey: "cart-77" })).existing,
  group: async () => (await inGroup(haulier)).result,
  async refused() {
    const wrong = { order_ref: "BAD", consignee, type: "X" as "D" };
    const french = haulier.with({ language: "fr" });
    return [
      await refusal(createOrder(haulier, { body: wrong })),
      await refusal(getOrderDetail(french, { order_id: 999999 })),
      await refusal(whoAmI(haulier.with({ key: "hltoken_wrong" }))),
      await refusal(whoAmI(new Haulier({ baseUrl: "http://127.0.0.1:9", maxRetries: 1 }))),
    ];
  },
  longWait: () => refusal(whoAmI(haulier)),
  async dryRun() {
    await createOrder(haulier.with({ dryRun: true }), { body: { order_ref: "DRY-TS", consignee } });
    return (await getOrders(haulier, { order_ref: "DRY-TS" })).total;
  },
  async pages() {
    for (let n = 0; n < 12; n++) await createOrder(haulier, { body: { order_ref: `PAGE-${n}`, consignee } });
    const met: (string | null)[] = [];
    for await (const order of iterate(haulier, getOrders, { per_page: 5 })) {
      met.push(order.order_ref);
      if (met.length === 3) await createOrder(haulier, { body: { order_ref: "LATER", consignee } });
    }
    return met;
  },
  async depots() {
    for (let n = 0; n < 3; n++)
      await createDepot(haulier, { body: { name: `Paged ${n}`, address: "1 Dock Rd", lat: 43.7, lng: -79.3 } });
    const names: string[] = [];
    for await (const depot of iterate(haulier, listDepots, { per_page: 2 })) names.push(depot.name);
    return names.length === (await listDepots(haulier)).total;
  },
  async label() {
    const { order } = await createOrder(haulier, { body: { order_ref: "LABEL", consignee } });
    const file = await download(haulier, printLocalLabel, "application/pdf", { order_id: order.id });
    return new TextDecoder().decode(file.slice(0, 4));
  },
  async webhook() {
    const { body, headers, secret, now } = JSON.parse(more) as {
      body: string;
      headers: Record<string, string>;
      secret: string;
      now: number;
    };
    const later = { now: now + 400_000 };
    return [
      await refusal(verifyWebhook(body, headers, secret, { now })),
      await refusal(verifyWebhook(`${body} `, headers, secret, { now })),
      await refusal(verifyWebhook(body, headers, secret, later)),
      await refusal(verifyWebhook(body, {}, secret, { now })),
    ];
  },
};

console.log(JSON.stringify(await jobs[job]?.()));
