// Pages that need a network: orders on demand, the route board, and the driver's earnings.
import { showAlerts } from "./go-alerts.js";
import { clock, el, fill, money } from "./page-parts.js";

const LOOK_AGAIN_MS = 10_000;

export function showOffers(app, day) {
  const offers = el("div", { "aria-live": "polite" });
  const duty = el("button", { type: "button", class: "wide", onclick: toggle });
  let available = day.available;
  const name = () => (duty.textContent = available ? app.words.duty_end : app.words.duty_begin);

  async function toggle() {
    const answer = await app.tell("set_duty", { available: !available, ...app.position() });
    if (answer) ({ available } = answer);
    name();
    look();
  }

  async function look() {
    const answer = available ? await app.tell("list_my_offers", {}) : { offers: [] };
    if (!answer) return;
    offers.replaceChildren(...(answer.offers.length ? answer.offers.map(offer) : [el("p", { class: "empty" }, app.words.no_offers)]));
  }

  function offer(each) {
    const pay = each.pay_minor == null ? null : money(each.pay_minor, each.currency);
    const answer = async (operation) => {
      if (await app.tell(operation, { offer_id: each.id })) await app.refresh();
      look();
    };
    return el(
      "article",
      { class: "sheet" },
      el("h3", {}, `${each.from_name ?? each.from_address}${each.to_address ? ` → ${each.to_address}` : ""}`),
      el("p", {}, [fill(app.words.pieces_count, { count: each.pieces }), pay, fill(app.words.until, { time: clock(each.expires_at) })].filter(Boolean).join(" · ")),
      el(
        "div",
        { class: "acts" },
        el("button", { type: "button", onclick: () => answer("accept_offer") }, app.words.accept),
        el("button", { type: "button", class: "plain", onclick: () => answer("decline_offer") }, app.words.decline),
      ),
    );
  }

  name();
  look();
  const timer = setInterval(() => (offers.isConnected ? document.hidden || look() : clearInterval(timer)), LOOK_AGAIN_MS);
  return [el("h2", {}, app.words.offers), duty, offers, ...showAlerts(app)];
}

export function showBoard(app) {
  const board = el("div", { "aria-live": "polite" });

  async function look() {
    const answer = await app.tell("list_route_board", { per_page: 50 });
    if (!answer) return;
    board.replaceChildren(...(answer.board_routes.length ? answer.board_routes.map(posting) : [el("p", { class: "empty" }, app.words.board_empty)]));
  }

  function posting(each) {
    const mine = each.mine;
    const operation = mine ? "withdraw_from_route" : each.status === "open" ? "claim_route" : "stand_by_for_route";
    const act = async () => {
      if (await app.tell(operation, { route_id: each.route_id })) await app.refresh();
      look();
    };
    const said = [each.day, each.planned_start_at && clock(each.planned_start_at), fill(app.words.stops_count, { count: each.stops_total }), each.note];
    return el(
      "article",
      { class: "sheet" },
      el("h3", {}, each.name ?? fill(app.words.route, { id: each.route_id })),
      el("p", {}, said.filter(Boolean).join(" · ")),
      el("button", { type: "button", class: mine ? "danger" : "", onclick: act }, app.words[operation]),
    );
  }

  look();
  return [el("h2", {}, app.words.board), board];
}

export function showMoney(app) {
  const cash = el("div");
  const earned = el("div");

  async function look() {
    const carried = await app.tell("get_my_cash", {});
    if (carried) {
      const { balance_minor: balance, currency } = carried.cash;
      cash.replaceChildren(el("p", { class: "sum" }, money(balance, currency)));
    }
    const week = await app.tell("get_my_earnings", {});
    if (!week) return;
    const rows = week.lines.map((line) => el("tr", {}, el("td", {}, line.day), el("td", {}, app.words[`pay_${line.kind}`] ?? line.kind), el("td", {}, money(line.amount_minor, line.currency))));
    earned.replaceChildren(
      el("p", { class: "sum" }, money(week.total_minor, week.currency)),
      rows.length ? el("table", { class: "earned" }, el("tbody", {}, ...rows)) : el("p", { class: "soft" }, app.words.nothing_earned),
    );
  }

  look();
  return [el("h2", {}, app.words.cash_carried), cash, el("h2", {}, app.words.earned), earned];
}
