"""Errors of the driver app: no driver, wrong state, missing proof, other orders."""

from base64 import b64encode
from typing import Any

from tests.contexts.documents.makers import make_png
from tests.contexts.driver_app.makers import DOOR_POSITION, PIXEL, make_policy, make_upload
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import START, App
from tests.support.transport import make_depot, make_driver, make_order, make_route

from haulier.contexts.orders.delivery_pins.rules import PIN_TRIES_MAX
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

AT = START.isoformat()
WRONG_PIN = "12345"
FAR = {"lat": 43.7, "lng": -79.38}
OTHER_PIXEL = b64encode(make_png(2, 1)).decode()
NOBODYS: dict[str, dict[str, Any]] = {
    "accept_offer": {"offer_id": 1},
    "decline_offer": {"offer_id": 1},
    "accept_route": {"route_id": 1},
    "decline_route": {"route_id": 1},
    "list_my_jobs": {},
    "list_my_offers": {},
    "get_my_cash": {},
    "get_my_earnings": {},
    "get_rider_day": {},
    "get_rider_route": {"route_id": 1},
    "rider_deliver": {"route_id": 1, "stop_id": 1},
    "rider_fail": {"route_id": 1, "stop_id": 1, "reason": "recipient_absent"},
    "get_rider_locker_stop": {"route_id": 1, "stop_id": 1},
    "rider_make_locker_code": {"route_id": 1, "stop_id": 1},
    "rider_open_locker": {"route_id": 1, "stop_id": 1},
    "rider_pick_up": {"route_id": 1, "stop_id": 1},
    "scan_on_route": {"route_id": 1, "code": "A1"},
    "set_duty": {"available": True},
    "push_positions": {"points": [{"occurred_at": AT, **DOOR_POSITION}]},
    "sync_rider_events": {"events": [{"id": "device-1-e", "kind": "start", "occurred_at": AT, "route_id": 1}]},
    "upload_proof": {"stop_id": 1, "upload_id": "photo-0001", "content": PIXEL, "media_type": "image/png"},
}
"""Operations for drivers only, with their values."""
STATES = {
    "held": "ORDER_NOT_PLANNABLE",
    "given": "ORDER_HELD_BY_CONTRACTOR",
    "routed": "ORDER_ON_ROUTE",
    "collected": "ORDER_FOR_PICKUP",
}
"""States of an order that no rider has, with the error of each."""


async def scene(app: App) -> dict[str, Any]:
    """Create active, planned and ended routes of Dan, and open and expired offers."""
    depot_id, dan = await make_depot(app), await make_driver(app, user="driver")
    ids: dict[str, Any] = {}
    for name, kind in (
        ("going", "D"),
        ("pair", "P2P"),
        ("fetching", "P"),
        ("done", "D"),
        ("waiting", "D"),
        ("later", "P"),
    ):
        orders = [await make_order(app, type=kind)]
        ids[name] = await make_route(app, depot_id=depot_id, order_ids=orders, driver_id=dan)
        shown = (await app.answer("admin", "get_route_detail", {"route_id": ids[name]})).route
        ids[f"{name}_stops"] = [stop.id for stop in shown.stops]
    for name in ("going", "pair", "fetching", "done"):
        await app.answer("driver", "start_route", {"route_id": ids[name]})
    await app.answer("driver", "deliver_stop", {"route_id": ids["done"], "stop_id": ids["done_stops"][0]})
    ids["over"] = await make_route(app, depot_id=depot_id, driver_id=dan)
    await app.answer("admin", "cancel_route", {"route_id": ids["over"]})
    ids["pinned"], ids["pinned_stops"] = await _stops_with_pins(app, depot_id, dan)
    await make_policy(app, recipient_required=True, max_distance_m=200)
    await app.answer("admin", "add_return_reason", {"code": "wet", "texts": {"en": "Wet"}, "asks_photo": True})
    await make_upload(app, ids["pair_stops"][1])
    await app.answer("driver", "set_duty", {"available": True, "position": DOOR_POSITION})
    ids["order"] = await make_order(app)
    await app.answer("admin", "offer_order_to_riders", {"order_id": ids["order"], "depot_id": depot_id})
    other = {"order_id": await make_order(app), "depot_id": depot_id}
    job = (await app.answer("admin", "offer_order_to_riders", other)).job
    await app.answer("admin", "withdraw_instant_job", {"job_id": job.id})
    ids["uncounted"] = await make_route(app, depot_id=depot_id, order_ids=[await make_order(app)], driver_id=dan)
    await make_policy(app, recipient_required=True, max_distance_m=200, loading_check="block")
    return {**ids, "job": job.id, "offer": job.offers[0].id, **await _not_to_be_planned(app, depot_id)}


async def _stops_with_pins(app: App, depot_id: int, driver_id: int) -> tuple[int, list[int]]:
    """Start a route whose orders require a PIN, and block the PIN of its last stop."""
    orders = [await make_order(app, pin_required=True) for _ in range(3)]
    route_id = await make_route(app, depot_id=depot_id, order_ids=orders, driver_id=driver_id)
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    for _ in range(PIN_TRIES_MAX):
        wrong = {"route_id": route_id, "stop_id": route.stops[-1].id, "pin": WRONG_PIN}
        assert (await app.call("driver", "rider_deliver", wrong)).status == 422
    return route_id, [stop.id for stop in route.stops]


async def _not_to_be_planned(app: App, depot_id: int) -> dict[str, Any]:
    """Create orders that cannot be planned, each with an earlier offer."""
    ids: dict[str, Any] = {}
    for name in STATES:
        ids[name], offered = [await make_order(app) for _ in range(2)]
        asked = {"order_id": offered, "depot_id": depot_id}
        ids[f"offer_{name}"] = (await app.answer("admin", "offer_order_to_riders", asked)).job.offers[0].id
        for order in (ids[name], offered):
            await _put(app, name, order, depot_id)
    return ids


async def _put(app: App, state: str, order: int, depot_id: int) -> None:
    if state == "held":
        await app.answer("admin", "hold_order", {"order_id": order})
    elif state == "collected":
        await app.answer("admin", "switch_order_to_pickup", {"order_id": order, "depot_id": depot_id})
    elif state == "given":
        given = {"order_ids": [order], "broker_id": app.ids["contractor"]}
        await app.answer("admin", "assign_orders_to_broker", given)
    else:
        await make_route(app, depot_id=depot_id, order_ids=[order])


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    return {
        **{(name, "NO_DRIVER_RECORD"): ("driver2", values) for name, values in NOBODYS.items()},
        ("accept_route", "ROUTE_CANNOT"): ("driver", {"route_id": ids["over"]}),
        ("decline_route", "ROUTE_CANNOT"): ("driver", {"route_id": ids["going"]}),
        ("accept_offer", "OFFER_GONE"): ("driver", {"offer_id": ids["offer"]}),
        ("decline_offer", "OFFER_GONE"): ("driver", {"offer_id": ids["offer"]}),
        ("offer_order_to_riders", "ORDER_ALREADY_OFFERED"): ("admin", {"order_id": ids["order"]}),
        ("withdraw_instant_job", "JOB_NOT_OPEN"): ("admin", {"job_id": ids["job"]}),
        **{("offer_order_to_riders", code): ("admin", {"order_id": ids[name]}) for name, code in STATES.items()},
        **{("accept_offer", code): ("driver", {"offer_id": ids[f"offer_{name}"]}) for name, code in STATES.items()},
        ("start_route", "PIECES_MISSING"): ("driver", {"route_id": ids["uncounted"]}),
        **_at_the_door(ids),
    }


def _at_the_door(ids: dict[str, Any]) -> Attempts:
    def at(name: str, place: int = 0, **words: Any) -> tuple[str, dict[str, Any]]:
        stops = ids[f"{name}_stops"] or [1, 2]
        return "driver", {"route_id": ids[name], "stop_id": stops[place], **words}

    proof = {"recipient": "Ada", "position": DOOR_POSITION}

    def wrong_pin(language: str) -> dict[str, Any]:
        """Return a request with a wrong PIN.

        It alternates between two stops, because one would exceed the limit of attempts.
        """
        return at("pinned", SUPPORTED_LANGUAGES.index(language) % 2, pin=WRONG_PIN)[1]

    absent, missing = {"reason": "recipient_absent"}, {"photos": ["photo-none"]}
    return {
        ("rider_deliver", "PROOF_INCOMPLETE"): at("going", position=DOOR_POSITION),
        ("rider_deliver", "PIN_WRONG"): ("driver", wrong_pin),
        ("rider_deliver", "PIN_BLOCKED"): at("pinned", -1, pin=WRONG_PIN),
        ("deliver_stop", "PROOF_INCOMPLETE"): at("going"),
        ("rider_deliver", "TOO_FAR_FROM_STOP"): at("going", recipient="Ada", position=FAR),
        ("rider_deliver", "UPLOAD_MISSING"): at("going", **proof, **missing),
        ("rider_deliver", "ROUTE_CANNOT"): at("waiting", **proof),
        ("rider_deliver", "STOP_CANNOT"): at("pair", **proof),
        ("rider_deliver", "NOT_PICKED_UP_YET"): at("pair", 1, **proof, photos=["photo-0001"]),
        ("rider_fail", "PROOF_INCOMPLETE"): at("going", reason="wet"),
        ("rider_fail", "UPLOAD_MISSING"): at("going", **absent, **missing),
        ("rider_fail", "ROUTE_CANNOT"): at("waiting", **absent),
        ("rider_pick_up", "UPLOAD_MISSING"): at("fetching", **missing),
        ("upload_proof", "UPLOAD_ID_TAKEN"): ("driver", {**NOBODYS["upload_proof"], "content": OTHER_PIXEL}),
        ("rider_pick_up", "ROUTE_CANNOT"): at("later"),
        ("rider_pick_up", "STOP_CANNOT"): at("going"),
        ("rider_fail", "STOP_CANNOT"): at("done", **absent),
        ("rider_make_locker_code", "ROUTE_CANNOT"): at("waiting"),
        ("rider_make_locker_code", "STOP_CANNOT"): at("fetching"),
        ("rider_open_locker", "ROUTE_CANNOT"): at("waiting"),
        ("rider_open_locker", "STOP_CANNOT"): at("fetching"),
    }
