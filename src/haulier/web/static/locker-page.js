// What both pages of lockers share: words, calls, all pages of a list, and moments.
import { makeCaller, Unanswered } from "./page-calls.js";
import { fill } from "./page-parts.js";

const words = JSON.parse(document.getElementById("words").textContent);
export const say = (id, values = {}) => fill(words[id] ?? id, values);
export const page = document.getElementById("lockers").dataset;
const call = makeCaller("desk/lockers", page.csrf);

export class Refused extends Error {}

// What an operation answers. Throws `Refused` with a message that may be shown, also where nothing answered.
export async function ask(operation, values = {}) {
  let told;
  try {
    told = await call(operation, values);
  } catch (error) {
    if (error instanceof Unanswered) throw new Refused(say("unanswered"));
    throw error;
  }
  if (!told.ok) throw new Refused([told.body.message, ...(told.body.errors ?? []).map((each) => each.message)].filter(Boolean).join(" "));
  return told.body;
}

const PER_PAGE = 200, PAGES_MAX = 25;

// All records of a list, page after page.
export async function askAll(operation, values, name) {
  const found = [];
  for (let number = 1; number <= PAGES_MAX; number += 1) {
    const body = await ask(operation, { ...values, page: number, per_page: PER_PAGE });
    found.push(...body[name]);
    if (body[name].length < PER_PAGE) break;
  }
  return found;
}

export const moment = (text) =>
  new Date(text).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short", timeZone: page.zone });
