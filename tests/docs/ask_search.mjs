// Asks the search of the built site: node ask_search.mjs FOLDER, with a JSON list of questions as standard input.
// Runs the theme's own worker and prints the addresses of the pages that it finds, best first, for each question.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

const folder = process.argv[2];
const scripts = join(folder, "assets", "javascripts", "workers");
const inbox = new EventTarget();
const waiting = [];
globalThis.self = globalThis;
globalThis.addEventListener = inbox.addEventListener.bind(inbox);
globalThis.dispatchEvent = inbox.dispatchEvent.bind(inbox);
globalThis.postMessage = (message) => waiting.shift()(message);

runInThisContext(readFileSync(join(scripts, readdirSync(scripts).find((name) => /^search\..*\.js$/.test(name))), "utf8"));

const ask = (data) =>
  new Promise((answer) => {
    waiting.push(answer);
    dispatchEvent(new MessageEvent("message", { data }));
  });

const index = JSON.parse(readFileSync(join(folder, "search", "search_index.json"), "utf8"));
await ask({ type: 0, data: { ...index, options: { suggest: false } } });
const found = [];
for (const question of JSON.parse(readFileSync(0, "utf8"))) {
  const { data } = await ask({ type: 2, data: question });
  found.push(data.items.slice(0, 8).map((sections) => sections.map((section) => section.location)));
}
console.log(JSON.stringify(found));
