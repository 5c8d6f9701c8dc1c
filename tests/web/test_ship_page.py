"""Shipping → Ship: the queue, buying in a batch, printing, end of day and scans."""

import re
from datetime import timedelta
from typing import Any

from tests.contexts.shipping.makers import make_parcelo_account, make_platform_account
from tests.contexts.shipping.order_shipments.makers import make_order_to_ship, ship, void
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text, send_form

from haulier.contexts.shipping.ports import CarrierMessage, CarrierRefused

SHIP = "/desk/ship"


async def bought(app: App, orders: list[int], **terms: str) -> str:
    """The address of a batch that buys labels."""
    started = await send_form(app, SHIP, "admin", pick=[str(each) for each in orders], **terms)
    assert started.status_code == 303, page_text(started)
    await app.work_off()
    return started.headers["location"]


async def valid(app: App, address: str, who: str = "admin") -> str:
    page = await get_page(app, address, who)
    assert page.status_code == 200
    assert Checked(page.text).faults == []
    return page.text


async def test_orders_wait_in_the_queue_with_one_click_filters(app: App) -> None:
    await make_platform_account(app)
    today = app.clock().date()
    await make_order_to_ship(app, order_ref="NOW-1", scheduled_date=today.isoformat())
    await make_order_to_ship(app, order_ref="LATER-1", scheduled_date=(today + timedelta(days=5)).isoformat())
    page = await valid(app, SHIP)
    assert page.index("NOW-1") < page.index("LATER-1")
    due = await valid(app, f"{SHIP}?due_by={today}")
    assert ("NOW-1" in due, "LATER-1" in due) == (True, False)
    narrowed = await valid(app, f"{SHIP}?country=CA&due_by={today}")
    assert '<input type="hidden" name="country" value="CA">' in narrowed
    assert "No matches" in await valid(app, f"{SHIP}?search=nobody")
    assert (await get_page(app, f"{SHIP}?due_by=x", "admin")).status_code == 422


async def test_a_selection_can_be_reviewed_bought_and_printed_in_order(app: App) -> None:
    await make_platform_account(app)
    orders = [await make_order_to_ship(app, order_ref=ref) for ref in ("B-2", "A-1")]
    picked = [str(each) for each in orders]
    review = await send_form(app, f"{SHIP}/review", "admin", pick=picked, deliver_by="2031-01-07")
    assert "Buy 2 labels?" in page_text(review)
    everything = await send_form(app, f"{SHIP}/review", "admin", all="1")
    assert "Buy 2 labels?" in page_text(everything)
    assert (await send_form(app, f"{SHIP}/review", "admin")).headers["location"] == SHIP
    address = await bought(app, orders)
    page = await valid(app, address)
    assert 'http-equiv="refresh"' not in page
    assert page.index("A-1") < page.index("B-2") or "B-2" in page
    printed = await send_form(app, address, "admin", sort="reference", once="p")
    assert printed.status_code == 303, page_text(printed)
    await app.work_off()
    assert "Download 2 labels" in await valid(app, printed.headers["location"])
    numbers = (await app.answer("admin", "list_documents", {"kind": "labels"})).documents
    assert [each.total for each in numbers] == [2]
    assert await valid(app, SHIP)


async def test_unbought_orders_stay_selected_with_their_reason(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.before_buying.append(CarrierRefused([CarrierMessage("No such street", "E1")]))
    today = app.clock().date()
    failed, _ = orders = [await make_order_to_ship(app) for _ in range(2)]
    page = await valid(app, await bought(app, orders))
    assert "No such street" in page
    assert re.findall(r'name="pick" value="(\d+)" form="picked" checked', page) == [str(failed)]
    assert "Not bought: 1" in await valid(app, SHIP)
    late = await valid(app, await bought(app, [failed], deliver_by=today.isoformat()))
    assert f"No service is promised by {today}." in late


async def test_an_order_shows_its_rates_and_the_deciding_rule(app: App) -> None:
    account = await make_platform_account(app, name="City vans")
    outcome = {"account_id": account, "service": "ground"}
    await app.answer("admin", "create_shipping_rule", {"name": "All", "outcome": outcome})
    order_id = await make_order_to_ship(app)
    address = f"{SHIP}/orders/{order_id}"
    page = await valid(app, address)
    assert all(text in page for text in ("City vans", "Own delivery", "Rule 1", "By rule"))
    rate = re.findall(r'name="rate_id" value="([^"]+)"', page)[-1]
    sent = await send_form(app, address, "admin", rate_id=rate, once="a")
    assert sent.status_code == 303, page_text(sent)
    shipped = await valid(app, address)
    assert "Label bought" in shipped
    assert "Void label" in shipped
    assert (await send_form(app, address, "admin", once="b")).status_code == 409
    assert (await get_page(app, f"{SHIP}/orders/999999", "admin")).status_code == 404


async def test_the_day_can_be_closed_after_a_preview(app: App) -> None:
    await make_platform_account(app)
    assert "No labels to hand over" in await valid(app, f"{SHIP}/end-of-day")
    await ship(app, await make_order_to_ship(app))
    assert "Close day: 1 label" in await valid(app, f"{SHIP}/end-of-day")
    closed = await send_form(app, f"{SHIP}/end-of-day", "admin", once="a")
    assert "1 label handed over." in page_text(closed)
    assert Checked(closed.text).faults == []


async def test_a_scan_shows_if_a_label_can_leave(app: App) -> None:
    await make_platform_account(app)
    shipment = (await ship(app, await make_order_to_ship(app, order_ref="S-1"))).shipment
    for code in (shipment.tracking_number, "S-1"):
        page = await valid(app, f"{SHIP}/scan?code={code}")
        assert "Label is valid" in page
        assert "1 checked" in page
    await void(app, shipment.id)
    assert "Label is void. Do not ship." in await valid(app, f"{SHIP}/scan?code=S-1")
    assert "No label for X-1" in await valid(app, f"{SHIP}/scan?code=X-1")


async def test_forged_forms_buy_and_close_nothing(app: App) -> None:
    await make_platform_account(app)
    order_id = await make_order_to_ship(app)
    forged: dict[str, Any] = {"csrf": "wrong", "pick": [str(order_id)]}
    job = (await app.answer("admin", "ship_orders", {"order_ids": [order_id]}, confirmed=True)).ship_job_id
    paths = (SHIP, f"{SHIP}/end-of-day", f"{SHIP}/orders/{order_id}", f"{SHIP}/batches/{job}")
    for path in paths:
        assert (await send_form(app, path, "admin", **forged)).status_code == 403
    assert (await app.answer("admin", "list_ship_jobs")).total == 1


async def test_customers_and_others_have_no_ship_pages(app: App) -> None:
    for address in (SHIP, f"{SHIP}/end-of-day", f"{SHIP}/batches/1", f"{SHIP}/orders/1"):
        assert (await get_page(app, address, "customer")).status_code == 404
    assert (await get_page(app, f"{SHIP}/batches/1", "rival")).status_code == 404
