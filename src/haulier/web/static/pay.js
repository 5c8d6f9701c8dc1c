// The page of a payment link: amount due, the provider's card fields, and the result. The link is kept while the tab is open, for
// returns from a bank or in another language; it is in no address that is sent.
import { el, fill, money, oneAtATime } from "./page-parts.js";

const words = JSON.parse(document.getElementById("words").textContent);
const say = (id, values = {}) => fill(words[id] ?? id, values);
const $ = (id) => document.getElementById(id);
const KEPT = "payment-link", LOOK_MS = 2_000, LOOKS = 60;
const OF_SHOP = { reserved: "due", paid: "paid", ready: "paid", collected: "taken", expired: "over", refunded: "refunded" };
const KINDS = {
  hlpay: {
    begin: "start_linked_payment",
    show: "get_payment_link",
    read: (body) => ({ ...body, amount: body.payment_minor, what: say(`what_${body.purpose}`, { id: body.subject_id, business: body.business }) }),
  },
  hlshop: {
    begin: "start_linked_shop_payment",
    show: "get_linked_shop_purchase",
    read: ({ purchase }) => ({
      status: OF_SHOP[purchase.status],
      amount: purchase.shelf_price_minor,
      currency: purchase.shelf_currency,
      what: purchase.product_name,
      where: `${purchase.site_name}${purchase.box ? `, ${purchase.cabinet}-${purchase.box}` : ""}`,
      code: purchase.status === "ready" && purchase.channel !== "cabinet",
      opens: purchase.channel === "cabinet",
    }),
  },
};
let link = location.hash.slice(1) || (sessionStorage.getItem(KEPT) ?? ""), kind = null, bill = null, provider = null, fields = null;

async function ask(operation) {
  try {
    const answer = await fetch(`/pay/ask/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ link }),
    });
    return { ok: answer.ok, body: await answer.json() };
  } catch {
    return { ok: false, body: { message: words.offline } };
  }
}

function tell(text, tone = "") {
  $("said").className = `notice ${tone}`;
  $("said").textContent = text;
  $("said").hidden = !text;
}

async function look() {
  const told = await ask(kind.show);
  if (!told.ok) {
    tell(told.body.message, "bad");
    return false;
  }
  bill = kind.read(told.body);
  paint();
  return true;
}

function paint() {
  $("bill").hidden = false;
  $("what").textContent = bill.what;
  $("amount").textContent = bill.amount ? money(bill.amount, bill.currency) : "–";
  for (const id of ["where", "where-name"]) $(id).hidden = !bill.where;
  $("where").textContent = bill.where ?? "";
  const due = bill.status === "due";
  $("begin").hidden = !due || fields !== null;
  $("pay").hidden = !due || fields === null;
  $("taking").hidden = !bill.code;
  if (!due) tell(say(bill.status === "paid" && bill.opens ? "opens" : bill.status), bill.status === "over" ? "warn" : "good");
}

function load(address) {
  return new Promise((loaded, failed) => {
    document.head.append(el("script", { src: address, onload: loaded, onerror: failed }));
  });
}

$("begin").addEventListener("click", oneAtATime(async () => {
  tell(words.wait);
  const told = await ask(kind.begin);
  if (!told.ok || !told.body.client_secret) {
    tell(told.ok ? words.later : told.body.message, "bad");
    return told.ok ? null : look();
  }
  try {
    if (!window.Stripe) await load(told.body.payer_script);
    provider = window.Stripe(told.body.publishable_key);
    fields = provider.elements({ clientSecret: told.body.client_secret });
    fields.create("payment").mount("#card");
  } catch {
    tell(words.later, "bad");
    return null;
  }
  tell("");
  $("go").textContent = say("go", { amount: money(bill.amount, bill.currency) });
  $("go").disabled = false;
  paint();
  return $("go").focus();
}));

$("pay").addEventListener("submit", oneAtATime(async (event) => {
  event.preventDefault();
  $("fault").textContent = "";
  $("go").disabled = true;
  const done = await provider.confirmPayment({ elements: fields, redirect: "if_required", confirmParams: { return_url: `${location.origin}/pay` } });
  if (done.error) {
    $("fault").textContent = done.error.message;
    $("go").disabled = false;
    return;
  }
  await follow();
}));

// Paid: the provider notifies the server, which also polls the provider once.
async function follow() {
  tell(words.wait);
  $("pay").hidden = true;
  await ask(kind.begin);
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if ((await look()) && bill.status !== "due" && (bill.status !== "paid" || bill.code !== false || bill.opens)) break;
    $("pay").hidden = true;
    await new Promise((later) => setTimeout(later, LOOK_MS));
  }
  $("said").focus();
}

$("show-code").addEventListener("click", oneAtATime(async () => {
  const told = await ask("renew_linked_shop_code");
  if (!told.ok) {
    tell(told.body.message, "bad");
    return;
  }
  $("code").textContent = told.body.code;
  $("code-is").hidden = false;
}));

async function start() {
  kind = KINDS[link.split("_")[0]];
  $("ask").hidden = Boolean(kind);
  if (!kind) return;
  sessionStorage.setItem(KEPT, link);
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  // Parameters that the provider adds on return from a bank.
  const back = new URLSearchParams(location.search).has("payment_intent");
  if (await look()) {
    if (back && bill.status === "due") await follow();
  } else {
    $("ask").hidden = false;
  }
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  link = $("link").value.trim().split("#").at(-1);
  tell("");
  if (!KINDS[link.split("_")[0]]) tell(words.no_link, "bad");
  start();
});
start();
