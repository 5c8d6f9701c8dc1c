// The official clients at work: `node client.mjs <package> <url> <token>` prints what it saw as one line of JSON.
const [kind, url, token] = process.argv.slice(2);

async function connected() {
  const requestInit = { headers: token ? { Authorization: `Bearer ${token}` } : {} };
  if (kind === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

async function attempt(name, args) {
  try {
    return await client.callTool({ name, arguments: args });
  } catch (error) {
    return { thrown: { code: error.code, status: error.status ?? error.data?.status ?? null, message: error.message } };
  }
}

const client = await connected();
const { tools } = await client.listTools();
const parcel = { to: { street: "x" }, weight_g: 1 };
const told = {
  server: client.getServerVersion(),
  version: client.getNegotiatedProtocolVersion?.() ?? client.transport?.protocolVersion ?? null,
  tools,
  greeted: await attempt("greet", { name: "Bo" }),
  page: await attempt("list_parcels", { per_page: 1 }),
  wrong: await attempt("list_parcels", { per_page: "many" }),
  refused: await attempt("send_parcel", parcel),
  sent: await attempt("send_parcel", { ...parcel, confirm: true }),
  unknown: await attempt("nope", {}),
};
await client.close();
console.log(JSON.stringify(told));
