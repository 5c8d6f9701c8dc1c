// Purchases at a screen: items for sale at the site, a QR code for the buyer's phone, and the door that opens after payment.
import { el, money, oneAtATime } from "./page-parts.js";

const $ = (id) => document.getElementById(id);
const LOOK_MS = 1_500;
const OVER = new Set(["collected", "expired", "refunded"]);

// `page` has what the screen provides: calls, texts, steps.
export function kioskShop(page) {
  const { ask, say, words, show, start, step } = page;
  let bought = null, client = "";

  async function open() {
    const told = await ask("list_screen_goods", {});
    if (!told) return;
    $("goods-said").textContent = told.ok ? "" : told.body.message;
    const goods = told.ok ? told.body.goods : [];
    client = told.ok ? told.body.client_code : "";
    $("no-goods").hidden = goods.length > 0;
    $("goods").replaceChildren(...goods.map(tile));
    show("goods");
  }

  function tile(each) {
    const picture = each.picture ? el("img", { alt: "", hidden: true }) : null;
    if (picture) load(picture, each.shop_product_id);
    return el("li", {}, el("button", { type: "button", class: "plain", onclick: () => buy(each) }, picture,
      el("strong", {}, each.name),
      each.description && el("span", {}, each.description),
      el("span", { class: "kiosk-price" }, money(each.shelf_price_minor, each.shelf_currency)),
      el("span", {}, say("left", { count: each.available }))));
  }

  async function load(picture, product) {
    const told = await ask("get_shop_picture", { clientCode: client, shop_product_id: product }, {});
    if (!told?.ok) return;
    picture.src = `data:${told.body.media_type};base64,${told.body.content}`;
    picture.hidden = false;
  }

  const buy = oneAtATime(async (each) => {
    const told = await ask("buy_at_locker_screen", { shop_product_id: each.shop_product_id });
    if (!told) return;
    if (!told.ok) {
      await open();
      $("goods-said").textContent = told.body.message;
      return;
    }
    bought = told.body;
    $("pay-qr").src = `data:image/svg+xml,${encodeURIComponent(bought.pay_qr)}`;
    $("pay-price").textContent = money(bought.purchase.shelf_price_minor, bought.purchase.shelf_currency);
    $("step-pay").dataset.url = bought.pay_url;
    paint();
    show("pay");
  });

  function paint() {
    const { status, cabinet, box, product_name: product, reserved_until: until } = bought.purchase;
    const place = `${cabinet}-${box}`, waits = status === "reserved", opened = status === "ready" || status === "collected";
    const time = new Date(until).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
    $("pay-title").textContent = status === "collected" ? say("door_open", { box: place }) : waits ? say("pay_title", { product }) : product;
    $("pay-said").textContent = say(`pay_${status}`, { box: place, product, time });
    $("pay-qr").hidden = $("give-up").hidden = !waits;
    $("pay-box").hidden = !opened;
    $("pay-box").textContent = place;
    $("pay-box").className = `kiosk-box ${status === "collected" ? "open" : ""}`;
    $("pay-on").hidden = !OVER.has(status);
  }

  async function follow() {
    if (step() !== "pay" || !bought || OVER.has(bought.purchase.status)) return;
    const { link } = bought;
    const told = await ask("get_linked_shop_purchase", { link }, {});
    if (!told?.ok || bought?.link !== link || told.body.purchase.status === bought.purchase.status) return;
    bought.purchase = told.body.purchase;
    paint();
    if (OVER.has(bought.purchase.status)) $("pay-on").focus();
  }

  // A buyer who leaves may be paying by phone: the reservation ends by itself.
  $("give-up").addEventListener("click", oneAtATime(async () => {
    if (bought) await ask("cancel_linked_shop_purchase", { link: bought.link }, {});
    start();
  }));
  $("pay-on").addEventListener("click", start);
  setInterval(follow, LOOK_MS);
  return {
    open,
    leave: () => { bought = null; $("goods").replaceChildren(); },
    doorMoves: () => step() === "pay" && ["paid", "ready"].includes(bought?.purchase.status),
  };
}
