"""Errors of luggage bookings: distance, time, price, state, room and claims."""

from typing import Any

from tests.contexts.billing.ledger.makers import some_credit
from tests.contexts.lockers.examples import SITE
from tests.contexts.lockers.luggage.examples import HOTEL, SERVICE
from tests.contexts.lockers.luggage.makers import Relay, make_relay
from tests.contexts.lockers.makers import make_cabinet
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

ONE = [{"size": "s"}]


async def scene(app: App) -> dict[str, Any]:
    """Create pending, active and ended bookings, also without credit or prices."""
    relay = await make_relay(app, money=4000, boxes=3)
    moving = await _tariffs(app, relay)
    within, over = await relay.paid(bags=ONE), await relay.booked()
    await relay.handed_in(within.id)
    await app.answer("customer", "cancel_luggage_booking", {"luggage_id": over.id}, confirmed=True)
    claim = {"luggage_id": within.id, "kind": "damaged", "tag": within.bags[0].tag, "note": "Broken"}
    ids = [(await app.answer("customer", "file_luggage_claim", claim)).claim.id]
    await app.answer("customer", "withdraw_luggage_claim", {"luggage_claim_id": ids[0]})
    ids.append((await app.answer("customer", "file_luggage_claim", claim)).claim.id)
    far = await _in_the_van(app, relay, await _places(app))
    hidden = {"customer_id": app.ids["customer2"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    unseen = await relay.booked("customer2", bags=ONE)
    poor = await relay.booked(bags=[{"size": "s"}] * 8)
    return {
        **far,
        **moving,
        "wish": relay.wish(bags=ONE),
        "within": within.id,
        "bag": within.bags[0].tag,
        "over": over.id,
        "over_bag": over.bags[0].tag,
        "unseen": unseen.id,
        "poor": poor.id,
        "withdrawn": ids[0],
        "open": ids[1],
        "employee": app.ids["employee"],
    }


async def _tariffs(app: App, relay: Relay) -> dict[str, Any]:
    """Create services limited to another country, or with excessive prices per km.

    Each has a booking that a change of address would make invalid.
    """
    abroad = {"zones": [{"code": "fr", "name": "France", "countries": ["FR"], "amount_minor": 1}]}
    await app.answer("admin", "create_service", {**SERVICE, "code": "abroad", "pricing": abroad})
    await app.answer("admin", "create_service", {**SERVICE, "code": "dear", "pricing": {"per_km_minor": 10**8}})
    paris = {**HOTEL, "country": "FR"}
    leaving = await relay.booked(service_code="abroad", bags=ONE, destination=paris)
    staying = await relay.booked(service_code="dear", bags=ONE, origin=HOTEL)
    return {"leaving": leaving.id, "staying": staying.id, "far_away": {**HOTEL, "lat": -33.9, "lng": 151.2}}


async def _places(app: App) -> dict[str, Any]:
    """Create sites that are full, have no device, or whose device is gone."""
    full = await make_cabinet(app, [{"size": "s", "count": 1}])
    dumb = (await app.answer("admin", "create_locker_site", SITE)).site
    layout = {"site_id": dumb.id, "code": "A", "layout": [{"size": "s", "count": 1}]}
    await app.answer("admin", "add_locker_cabinet", layout)
    gone = await make_cabinet(app, [{"size": "s", "count": 1}])
    await app.answer("admin", "decommission_device", {"device_id": gone.device_id})
    await app.answer("admin", "reserve_locker_box", {"site_id": full.site_id, "recipient": {"name": "Ada"}})
    return {"full": full.site_id, "dumb": dumb.id, "gone": gone.site_id}


async def _in_the_van(app: App, relay: Relay, places: dict[str, Any]) -> dict[str, Any]:
    """Put bags in transit to each of these places, and return them by name."""
    found: dict[str, Any] = {}
    await some_credit(app, 6000, who="customer2")
    for name, site_id in places.items():
        booking = await relay.booked("admin", customer_id=app.ids["customer2"], bags=ONE, origin=HOTEL)
        asked = {"luggage_id": booking.id, "destination": {"kind": "locker", "site_id": site_id}}
        await app.answer("admin", "update_luggage_booking", asked)
        await app.answer("admin", "pay_luggage_booking", {"luggage_id": booking.id}, confirmed=True)
        await relay.carry(booking, "receive", identity_checked="Passport shown")
        await relay.carry(booking, "load")
        found[name] = {"luggage_id": booking.id, "step": "unload", "tags": [booking.bags[0].tag]}
    return found


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    wish: dict[str, Any] = ids.get("wish") or {}
    within, over = {"luggage_id": ids["within"]}, {"luggage_id": ids["over"]}
    asked = {name: wish[name] for name in ("service_code", "bags", "origin", "destination") if name in wish}
    refused, until = "LUGGAGE_STEP_REFUSED", "2090-06-10T14:00:00Z"
    settle = {"outcome": "accept", "amount_minor": 10_000, "reason": "No photo"}
    return {
        **{
            (operation, code): ("customer", {**body, "service_code": service, "destination": ids["far_away"]})
            for operation, body in (("quote_luggage", asked), ("book_luggage", wish))
            for code, service in (("SERVICE_OUT_OF_AREA", "abroad"), ("SERVICE_PRICE_OUT_OF_RANGE", "dear"))
        },
        **{
            ("update_luggage_booking", code): ("customer", {"luggage_id": ids[name], "destination": ids["far_away"]})
            for code, name in (("SERVICE_OUT_OF_AREA", "leaving"), ("SERVICE_PRICE_OUT_OF_RANGE", "staying"))
        },
        ("book_luggage", "NOT_A_CUSTOMER"): ("admin", {**wish, "customer_id": ids["employee"]}),
        ("book_luggage", "LUGGAGE_TAG_TAKEN"): ("customer", {**wish, "bags": [{"tag": ids["bag"]}]}),
        ("update_luggage_booking", refused): ("customer", {**over, "note": "-"}),
        ("pay_luggage_booking", refused): ("customer", over),
        ("pay_luggage_booking", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {"luggage_id": ids["unseen"]}),
        ("pay_luggage_booking", "CREDIT_INSUFFICIENT"): ("customer", {"luggage_id": ids["poor"]}),
        ("cancel_luggage_booking", refused): ("customer", within),
        ("hand_over_luggage", refused): ("admin", {**within, "step": "unload", "tags": [ids["bag"]]}),
        ("hand_over_luggage", "NO_FREE_BOX"): ("admin", ids["full"]),
        ("hand_over_luggage", "LOCKER_WITHOUT_DEVICE"): ("admin", ids["dumb"]),
        ("hand_over_luggage", "DEVICE_NOT_USABLE"): ("admin", ids["gone"]),
        ("renew_luggage_codes", refused): ("customer", over),
        ("assign_luggage_driver", refused): ("admin", {**over, "driver_id": None}),
        ("report_luggage_bag", refused): (
            "admin",
            {**over, "tag": ids["over_bag"], "fault": "lost", "note": "Nobody knows"},
        ),
        ("extend_luggage_pickup", refused): ("admin", {**within, "until": until}),
        ("file_luggage_claim", "LUGGAGE_CLAIM_REFUSED"): ("customer", {**within, "kind": "late", "note": "Late"}),
        ("withdraw_luggage_claim", refused): ("customer", {"luggage_claim_id": ids["withdrawn"]}),
        ("settle_luggage_claim", refused): ("admin", {**settle, "luggage_claim_id": ids["withdrawn"]}),
        ("settle_luggage_claim", "LUGGAGE_AMOUNT_TOO_HIGH"): ("admin", {**settle, "luggage_claim_id": ids["open"]}),
    }
