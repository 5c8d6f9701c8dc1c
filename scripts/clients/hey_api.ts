// What somebody writes with the client of hey-api: sign in, order, follow the parcel. Prints its status.
import { createOrder, login, trackPackage } from "./generated";
import { client } from "./generated/client.gen";

const [baseUrl = "", email = "", password = "", order_ref = ""] = process.argv.slice(2);

async function main(): Promise<void> {
  client.setConfig({ baseUrl });
  const session = await login({ body: { email, password } });
  if (!session.data) throw new Error(session.error.message);
  client.setConfig({ auth: session.data.access_token });
  const consignee = { name: "Ada Lovelace", address: "100 Queen St W", city: "Toronto", country: "CA" };
  const created = await createOrder({ body: { order_ref, consignee } });
  if (!created.data) throw new Error(created.error.message);
  const tracking = await trackPackage({ path: { number: created.data.order.tracking_number } });
  if (!tracking.data) throw new Error(tracking.error.message);
  console.log(tracking.data.status);
}

void main();
