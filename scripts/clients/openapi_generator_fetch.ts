// What somebody writes with openapi-generator's client for fetch: sign in, order, follow the parcel. Prints its status.
import { ClientApi, Configuration, TrackingApi, UserApi } from "./generated";

const [basePath = "", email = "", password = "", orderRef = ""] = process.argv.slice(2);

async function main(): Promise<void> {
  const session = await new UserApi(new Configuration({ basePath })).login({ login: { email, password } });
  const configuration = new Configuration({ basePath, accessToken: session.accessToken });
  const consignee = { name: "Ada Lovelace", address: "100 Queen St W", city: "Toronto", country: "CA" };
  const { order } = await new ClientApi(configuration).createOrder({ createOrder: { orderRef, consignee } });
  const tracking = await new TrackingApi(configuration).trackPackage({ number: order.trackingNumber });
  console.log(tracking.status);
}

void main();
