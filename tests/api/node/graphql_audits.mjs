// The official audits of GraphQL over HTTP: `node graphql_audits.mjs <url> <token>` prints each result as one line of JSON.
import { serverAudits } from "graphql-http";

const [url, token] = process.argv.slice(2);
const authorization = token ? { authorization: `Bearer ${token}` } : {};
const fetchFn = (address, init = {}) => fetch(address, { ...init, headers: { ...authorization, ...init.headers } });
const results = [];
for (const audit of serverAudits({ url, fetchFn })) {
  const { id, name, status, reason } = await audit.fn();
  results.push({ id, name, status, reason });
}
console.log(JSON.stringify(results));
