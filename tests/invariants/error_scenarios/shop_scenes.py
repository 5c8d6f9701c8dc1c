"""Errors of the locker shop: sold out, no guest account, wrong state, bad links."""

from typing import Any

from tests.contexts.billing.ledger.makers import make_call, some_credit
from tests.contexts.lockers.examples import SITE
from tests.contexts.lockers.shop.makers import make_shop
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.lockers.shop.actions import make_link


async def scene(app: App) -> dict[str, Any]:
    """Create a shop with a full locker, and reserved and abandoned purchases.

    Another locker has a decommissioned device.
    """
    shop = await make_shop(app, pieces=3, boxes=3)
    kept, over = await shop.reserve(), await shop.reserve_as_guest()
    await app.answer("admin", "cancel_shop_purchase", {"shop_purchase_id": over.purchase.id})
    await some_credit(app, 1000)
    paid = await shop.buy()
    async with make_call(app) as call:
        paid_link = await make_link(call, paid.id)
    lapsed = await shop.reserve()
    await app.answer("customer", "cancel_shop_purchase", {"shop_purchase_id": lapsed.id})
    other = (
        await app.answer("admin", "create_shop_product", {"code": "MUG", "name": "Mug", "shelf_price_minor": 1})
    ).product
    full = (await app.answer("admin", "create_restock_task", {**shop.wanted, "quantity": 1})).task
    done = (await app.answer("admin", "list_restock_tasks", {"status": "done"})).tasks[0]
    first = {"credential": shop.cabinet.credential, "sequence": 5, "shop_product_id": shop.product_id}
    await app.answer(None, "reserve_shop_item_at_cabinet", first)
    screen = {"site_id": shop.cabinet.site_id, "name": "Left"}
    return {
        **await _silent(app, other.id),
        **await _make_rival(app),
        "site": shop.cabinet.site_id,
        "tea": shop.product_id,
        "mug": other.id,
        "kept": kept.id,
        "lapsed": lapsed.id,
        "link": over.link,
        "paid_link": paid_link,
        "full": full.id,
        "done": done.id,
        "item": next(each.id for each in await shop.items() if each.status == "reserved"),
        "free": next(each.id for each in await shop.items() if each.status == "available"),
        "credential": shop.cabinet.credential,
        "screen_key": (await app.answer("admin", "create_locker_screen", screen)).screen_key,
    }


async def _silent(app: App, product_id: int) -> dict[str, Any]:
    """Create restock tasks at sites without a device, one with an item inside."""
    ghost = (await app.answer("admin", "create_locker_site", SITE)).site
    dumb = {"site_id": ghost.id, "code": "A", "layout": [{"size": "s", "count": 2}]}
    await app.answer("admin", "add_locker_cabinet", dumb)
    gone = await make_shop(app, code="TEA-3", boxes=3)
    await app.answer("admin", "decommission_device", {"device_id": gone.cabinet.device_id})
    tasks = [
        (await app.answer("admin", "create_restock_task", {**wanted, "quantity": 2})).task.id
        for wanted in ({"site_id": ghost.id, "shop_product_id": product_id}, gone.wanted)
    ]
    (inside,) = await gone.items(site_id=gone.cabinet.site_id)
    return {"ghost": tasks[0], "gone": tasks[1], "inside": inside.id}


async def _make_rival(app: App) -> dict[str, Any]:
    """Create a locker of a business that does not sell to guests."""
    made = await app.answer("rival", "create_device", {"name": "Left", "serial": "R-1"})
    shown = {"code": made.code, "serial": "R-1"}
    credential = (await app.answer(None, "register_device", shown)).credential
    site = (await app.answer("rival", "create_locker_site", SITE)).site
    boxes = {"site_id": site.id, "code": "A", "device_id": made.device.id, "layout": [{"size": "s", "count": 1}]}
    await app.answer("rival", "add_locker_cabinet", boxes)
    screen = await app.answer("rival", "create_locker_screen", {"site_id": site.id, "name": "Left"})
    return {"rival": credential, "rival_site": site.id, "rival_screen": screen.screen_key}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    wanted = {"site_id": ids["site"], "shop_product_id": ids["mug"]}
    kept, lapsed = {"shop_purchase_id": ids["kept"]}, {"shop_purchase_id": ids["lapsed"]}
    nothing, over = {"link": "hlshop_nothing"}, {"link": ids["link"]}
    frame = {"credential": ids["credential"], "sequence": 77, "shop_product_id": ids["mug"]}
    guest = {**wanted, "clientCode": "demo", "email": "guest@example.com"}
    again = {"code": "MUG", "name": "Mug", "shelf_price_minor": 1}
    return {
        ("create_shop_product", "SHOP_PRODUCT_CODE_TAKEN"): ("admin", again),
        ("reserve_shop_item", "SHOP_SOLD_OUT"): ("customer", wanted),
        ("reserve_shop_item_as_guest", "SHOP_SOLD_OUT"): (None, guest),
        ("reserve_shop_item_as_guest", "SHOP_GUESTS_OFF"): (None, {**guest, "clientCode": "rival"}),
        ("reserve_shop_item_at_cabinet", "SHOP_SOLD_OUT"): (None, frame),
        ("reserve_shop_item_at_cabinet", "CLIENT_KEY_REUSED"): (None, {**frame, "sequence": 5}),
        ("reserve_shop_item_at_cabinet", "SHOP_GUESTS_OFF"): (None, {**frame, "credential": ids["rival"]}),
        ("reserve_shop_item_at_cabinet", "NOT_FOUND"): (None, {**frame, "shop_product_id": 2**40}),
        ("reserve_shop_item_at_cabinet", "DEVICE_UNKNOWN"): (None, {**frame, "credential": "hldevice_nothing"}),
        ("buy_reserved_shop_item", "CREDIT_INSUFFICIENT"): ("customer", kept),
        ("buy_reserved_shop_item", "SHOP_STEP_REFUSED"): ("customer", lapsed),
        ("cancel_shop_purchase", "SHOP_STEP_REFUSED"): ("customer", lapsed),
        ("renew_shop_code", "SHOP_STEP_REFUSED"): ("customer", kept),
        ("refund_shop_purchase", "SHOP_STEP_REFUSED"): ("admin", {**kept, "reason": "Dented"}),
        ("get_linked_shop_purchase", "SHOP_LINK_INVALID"): (None, nothing),
        ("cancel_linked_shop_purchase", "SHOP_LINK_INVALID"): (None, nothing),
        ("renew_linked_shop_code", "SHOP_LINK_INVALID"): (None, nothing),
        ("renew_linked_shop_code", "SHOP_STEP_REFUSED"): (None, over),
        ("start_linked_shop_payment", "SHOP_LINK_INVALID"): (None, nothing),
        ("start_linked_shop_payment", "PAYMENT_NOT_DUE"): (None, over),
        **_stock(ids),
        **_at_a_screen(ids),
    }


def _at_a_screen(ids: dict[str, Any]) -> Attempts:
    wanted = {"screen_key": ids["screen_key"], "shop_product_id": ids["mug"]}
    unknown = {"screen_key": "hlscreen_nothing"}
    return {
        ("list_screen_goods", "LOCKER_SCREEN_UNKNOWN"): (None, unknown),
        ("buy_at_locker_screen", "LOCKER_SCREEN_UNKNOWN"): (None, {**wanted, **unknown}),
        ("buy_at_locker_screen", "NOT_FOUND"): (None, {**wanted, "shop_product_id": 2**40}),
        ("buy_at_locker_screen", "SHOP_SOLD_OUT"): (None, wanted),
        ("buy_at_locker_screen", "SHOP_GUESTS_OFF"): (None, {**wanted, "screen_key": ids["rival_screen"]}),
        ("cancel_linked_shop_purchase", "SHOP_STEP_REFUSED"): (None, {"link": ids["paid_link"]}),
    }


def _stock(ids: dict[str, Any]) -> Attempts:
    return {
        ("restock_shop_box", "RESTOCK_TASK_CLOSED"): ("admin", {"restock_task_id": ids["done"]}),
        ("restock_shop_box", "NO_FREE_BOX"): ("admin", {"restock_task_id": ids["full"]}),
        ("restock_shop_box", "LOCKER_WITHOUT_DEVICE"): ("admin", {"restock_task_id": ids["ghost"]}),
        ("restock_shop_box", "DEVICE_NOT_USABLE"): ("admin", {"restock_task_id": ids["gone"]}),
        ("cancel_restock_task", "RESTOCK_TASK_CLOSED"): ("admin", {"restock_task_id": ids["done"]}),
        ("withdraw_shop_item", "SHOP_ITEM_IN_USE"): ("admin", {"shop_item_id": ids["item"]}),
        ("withdraw_shop_item", "DEVICE_NOT_USABLE"): ("admin", {"shop_item_id": ids["inside"]}),
        ("put_shop_item_on_sale", "SHOP_ITEM_IN_USE"): ("admin", {"shop_item_id": ids["free"]}),
    }
