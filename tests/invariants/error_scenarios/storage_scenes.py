"""Errors of storage: expired, paid or in use; missing packages, sent ship-outs."""

from typing import Any

from tests.contexts.billing.ledger.makers import some_credit
from tests.contexts.billing.services.makers import make_service
from tests.contexts.consolidation.makers import announced, received
from tests.contexts.storage.examples import BOX, HOME, PHOTO, PRICING
from tests.contexts.storage.makers import make_order, make_shelf, make_tariff, stored, wish
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create orders in each status, and packages in stock and gone.

    One customer has no credit left; another sees no prices.
    """
    await make_tariff(app)
    old = (await app.answer("customer", "quote_storage_order", wish(app))).quote_id
    app.clock.forward(hours=25)
    await some_credit(app, 3000)
    paid, poor, kept = await make_order(app), await make_order(app), await make_order(app)
    await app.answer("customer", "pay_storage_order", {"storage_order_id": paid.id}, confirmed=True)
    shelf = await make_shelf(app)
    here, gone = await stored(app, kept.id, shelf, 2)
    await app.answer("admin", "return_stored_package", {"package_id": gone})
    for _ in range(10):
        await app.answer("admin", "add_package_photo", {"package_id": here, **PHOTO})
    blocked = await make_shelf(app, "YUL")
    await app.answer("admin", "update_location", {"location_id": blocked, "blocked": True})
    hidden = {"customer_id": app.ids["customer2"], "hidden": ["storage_services"]}
    await app.answer("admin", "set_price_visibility", hidden)
    unseen = await make_order(app, "customer2")
    return {
        **await sending(app, kept.id, shelf, here, gone),
        "old": old,
        "paid": paid.id,
        "poor": poor.id,
        "kept": kept.id,
        "unseen": unseen.id,
        "here": here,
        "gone": gone,
        "shelf": shelf,
        "blocked": blocked,
    }


async def sending(app: App, order_id: int, shelf: int, here: int, gone: int) -> dict[str, Any]:
    """Create ship-out services, expired and used quotes, and ship-outs in each state."""
    await make_service(app, "send", "shipout", form=[], pricing=PRICING)
    abroad = [{"code": "us", "name": "US", "countries": ["US"]}]
    await make_service(app, "abroad", "shipout", form=[], pricing={**PRICING, "zones": abroad})
    await make_service(app, "brief", "shipout", form=[], pricing=PRICING, quote_hours=1)
    heavy, heavier = await stored(app, order_id, shelf, 2, weight_g=50_000_000)
    first, second, third = await stored(app, order_id, shelf, 3)

    async def quoted(code: str, package_id: int) -> int:
        asked = {**send(package_id, code=code), "consignee": {"country": "CA", "postal_code": HOME["postal_code"]}}
        return (await app.answer("customer", "estimate_shipout", asked)).quote_id

    async def ordered(package_id: int, who: str = "customer", **more: Any) -> int:
        return (await app.answer(who, "create_shipout", {**send(package_id), **more})).shipout.id

    ended, other, taken = await quoted("brief", here), await quoted("send", first), await quoted("send", second)
    bought = await ordered(second, quote_id=taken)
    free, left = await ordered(first), await ordered(third)
    await app.answer("customer", "cancel_shipout", {"shipout_id": bought}, confirmed=True)
    await app.answer("admin", "confirm_shipout", {"shipout_id": left})
    await app.answer("admin", "ship_shipout", {"shipout_id": left})
    app.clock.forward(hours=2)
    theirs = (await make_order(app, "customer2")).id
    (unseen,) = await stored(app, theirs, shelf)
    hidden = await ordered(unseen, "customer2")
    await announced(app, "UNMEASURED")
    unmeasured = (await received(app, "UNMEASURED")).id
    return {
        "heavy": heavy,
        "heavier": heavier,
        "first": first,
        "sendable": here,
        "ended": ended,
        "other": other,
        "taken": taken,
        "poor_out": free,
        "called_off_out": bought,
        "left_out": left,
        "unseen_out": hidden,
        "coming_in": (await announced(app, "COMING-IN")).id,
        "unmeasured": unmeasured,
        "sent": gone,
    }


def send(*package_ids: int, code: str = "send") -> dict[str, Any]:
    return {"service_code": code, "parcels": [{"package_ids": list(package_ids)}], "consignee": HOME}


def sending_attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error of ship-outs."""
    here = ids["sendable"]
    left = {"shipout_id": ids["left_out"]}
    met: Attempts = {
        ("create_shipout", "SERVICE_QUOTE_EXPIRED"): (
            "customer",
            {**send(here, code="brief"), "quote_id": ids["ended"]},
        ),
        ("create_shipout", "SERVICE_QUOTE_TAKEN"): ("customer", {**send(here), "quote_id": ids["taken"]}),
        ("create_shipout", "SHIPOUT_QUOTE_MISMATCH"): ("customer", {**send(here), "quote_id": ids["other"]}),
        ("pay_shipout", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {"shipout_id": ids["unseen_out"]}),
        ("pay_shipout", "CREDIT_INSUFFICIENT"): ("customer", {"shipout_id": ids["poor_out"]}),
        ("pay_shipout", "NOTHING_OWED"): ("customer", {"shipout_id": ids["called_off_out"]}),
        ("cancel_shipout", "SHIPOUT_STEP_REFUSED"): ("customer", left),
        ("confirm_shipout", "SHIPOUT_STEP_REFUSED"): ("admin", left),
        ("ship_shipout", "SHIPOUT_STEP_REFUSED"): ("admin", left),
    }
    wanted = {
        "PACKAGE_NOT_FREE": send(ids["sent"]),
        "INBOUND_STEP_REFUSED": {**send(here), "parcels": [{"inbound_parcel_ids": [ids["coming_in"]]}]},
        "INBOUND_PARCEL_NOT_MEASURED": {**send(here), "parcels": [{"inbound_parcel_ids": [ids["unmeasured"]]}]},
        "SERVICE_OUT_OF_AREA": send(here, code="abroad"),
        "SERVICE_PRICE_OUT_OF_RANGE": send(ids["heavy"], ids["heavier"]),
    }
    return met | {
        (operation, code): ("customer", values)
        for operation in ("estimate_shipout", "create_shipout")
        for code, values in wanted.items()
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    paid, kept = {"storage_order_id": ids["paid"]}, {"storage_order_id": ids["kept"]}
    there = {"packages": [{**BOX, "location_id": ids["shelf"]}]}
    blocked = {"packages": [{**BOX, "location_id": ids["blocked"]}]}
    return sending_attempts(ids) | {
        ("create_storage_order", "STORAGE_QUOTE_EXPIRED"): ("customer", {"quote_id": ids["old"]}),
        ("pay_storage_order", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {"storage_order_id": ids["unseen"]}),
        ("pay_storage_order", "NOTHING_OWED"): ("customer", paid),
        ("pay_storage_order", "CREDIT_INSUFFICIENT"): ("customer", {"storage_order_id": ids["poor"]}),
        ("cancel_storage_order", "STORAGE_STEP_REFUSED"): ("customer", kept),
        ("confirm_storage_order", "STORAGE_STEP_REFUSED"): ("admin", kept),
        ("receive_stored_packages", "STORAGE_STEP_REFUSED"): ("admin", {**paid, **there}),
        ("receive_stored_packages", "LOCATION_NOT_USABLE"): ("admin", {**kept, **blocked}),
        ("close_storage_order", "STORAGE_STEP_REFUSED"): ("admin", paid),
        ("close_storage_order", "STORAGE_NOT_EMPTY"): ("admin", kept),
        ("add_package_photo", "TOO_MANY_PHOTOS"): ("admin", {"package_id": ids["here"], **PHOTO}),
        ("return_stored_package", "PACKAGE_NOT_FREE"): ("admin", {"package_id": ids["gone"]}),
    }
