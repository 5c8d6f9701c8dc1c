// What somebody writes with the types of openapi-typescript: sign in, order, follow the parcel. Prints its status.
import createClient from "openapi-fetch";
import type { paths } from "./generated/api";

const [baseUrl = "", email = "", password = "", order_ref = ""] = process.argv.slice(2);

async function main(): Promise<void> {
  const client = createClient<paths>({ baseUrl });
  const session = await client.POST("/v1/user/login", { body: { email, password } });
  if (!session.data) throw new Error(session.error.message);
  const headers = { authorization: `Bearer ${session.data.access_token}` };
  const consignee = { name: "Ada Lovelace", address: "100 Queen St W", city: "Toronto", country: "CA" };
  const created = await client.POST("/v1/client/orderCreate", { body: { order_ref, consignee }, headers });
  if (!created.data) throw new Error(created.error.message);
  const number = created.data.order.tracking_number;
  const tracking = await client.GET("/v1/tracking/{number}", { params: { path: { number } } });
  if (!tracking.data) throw new Error(tracking.error.message);
  console.log(tracking.data.status);
}

void main();
