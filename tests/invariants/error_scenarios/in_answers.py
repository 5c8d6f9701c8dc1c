"""Errors of single orders and events, each with the call whose answer contains it."""

from typing import Any
from zoneinfo import ZoneInfo

from tests.contexts.driver_app.makers import device_event
from tests.contexts.marketplace.partners.makers import make_partnership, offer_orders
from tests.support.app import App
from tests.support.transport import fail_aboard, make_depot, make_driver, make_order, make_route, set_order

from haulier.contexts.driver_app.offline_queue.rules import EVENT_WAIT
from haulier.contexts.orders.public import OrderStatus

LATER = "2026-07-01"
Told = tuple[str, str, dict[str, Any]]
"""Caller, operation and values of a request."""


async def make_scene(app: App) -> dict[str, Any]:
    """Create an order for each reason to skip it, and invalid device events."""
    names = ("held", "carrier", "over", "theirs", "free", "routed", "offered", "tried", "cod", "late", "out")
    ids: dict[str, Any] = {name: await make_order(app) for name in names}
    await set_order(app, ids["held"], third_party_held=True)
    await set_order(app, ids["carrier"], fulfilment="carrier")
    await set_order(app, ids["cod"], cod_minor=2500)
    ids["collected"] = await make_order(app, pickup_depot_id=await make_depot(app))
    await set_order(app, ids["over"], status=OrderStatus.CANCELLED.value)
    await set_order(app, ids["tried"], attempts=9)
    theirs = {"order_ids": [ids["theirs"]], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", theirs)
    asked = {"order_ids": [ids["late"]], "broker_id": app.ids["contractor"], "respond_by": "2026-06-10T14:00:01Z"}
    await app.answer("admin", "assign_orders_to_broker", asked)
    full = {"contractor_id": app.ids["contractor2"], "orders_per_day": 0}
    await app.answer("admin", "set_contractor_capacity", full)
    driver = await make_driver(app, user="driver")
    ids["route"] = await make_route(app, order_ids=[ids["routed"]], driver_id=driver)
    stop = (await app.answer("admin", "get_route_detail", {"route_id": ids["route"]})).route.stops[0].id
    early = device_event("early", "deliver", "13:00", ids["route"], stop_id=stop)
    await app.answer("driver", "sync_rider_events", {"events": [early]})
    app.clock.forward(seconds=EVENT_WAIT.total_seconds())
    await fail_aboard(app, ids["out"])
    ids["today"] = app.clock.now.astimezone(ZoneInfo("America/Toronto")).date().isoformat()
    later = {"order_ids": [ids["free"]], "scheduled_date": LATER}
    await app.answer("admin", "reschedule_orders", later)
    ids["partnership"] = await make_partnership(app)
    await offer_orders(app, ids["partnership"], [ids["offered"]])
    for who in ("customer", "customer2"):
        await make_order(app, who, order_ref="1001")
    ids["events"] = [
        early,
        device_event("late", "deliver", "13:00", ids["route"], stop_id=stop, after="device-1-never"),
    ]
    return ids


def told(app: Any, ids: dict[str, Any]) -> dict[str, Told]:
    """Return, by code, the call whose answer contains the error."""
    assign = {"broker_id": app.ids["contractor"]}
    offers = {"partnership_id": ids["partnership"]}
    of_orders: dict[str, tuple[str, dict[str, Any], Any]] = {
        "ORDER_UNKNOWN": ("assign_orders_to_broker", assign, 2**40),
        "ORDER_ON_ROUTE": ("assign_orders_to_broker", assign, ids["routed"]),
        "ORDER_HELD_BY_THIRD_PARTY": ("assign_orders_to_broker", assign, ids["held"]),
        "ORDER_NOT_SELF_DELIVERY": ("assign_orders_to_broker", assign, ids["carrier"]),
        "ORDER_NOT_ASSIGNABLE": ("assign_orders_to_broker", assign, ids["over"]),
        "ORDER_ALREADY_THEIRS": ("assign_orders_to_broker", assign, ids["theirs"]),
        "ORDER_OVER_CAPACITY": ("assign_orders_to_broker", {"broker_id": app.ids["contractor2"]}, ids["free"]),
        "ORDER_NOT_ASSIGNED": ("revoke_broker_order_assignments", {}, ids["free"]),
        "ORDER_NOT_ON_ROUTE": ("remove_orders_from_route", {"route_id": ids["route"]}, ids["free"]),
        "ORDER_HELD_BY_CONTRACTOR": ("add_orders_to_route", {"route_id": ids["route"]}, ids["theirs"]),
        "ALREADY_SCHEDULED": ("reschedule_orders", {"scheduled_date": LATER}, ids["free"]),
        "STILL_OUT_TODAY": ("reschedule_orders", {"scheduled_date": ids["today"]}, ids["out"]),
        "ATTEMPTS_USED_UP": ("reschedule_orders", {}, ids["tried"]),
        "ORDER_FOR_PICKUP": ("assign_orders_to_broker", assign, ids["collected"]),
        "ORDER_FOR_CARRIER": ("offer_orders_to_partner", offers, ids["carrier"]),
        "ORDER_COD_CURRENCY": ("offer_orders_to_partner", offers, ids["cod"]),
        "ORDER_OFFERED_ALREADY": ("offer_orders_to_partner", offers, ids["offered"]),
    }
    found = {code: ("admin", name, {**words, "order_ids": [id]}) for code, (name, words, id) in of_orders.items()}
    found["ASSIGNMENT_TOO_LATE"] = ("contractor", "accept_broker_order_assignments", {"order_ids": [ids["late"]]})
    events = {"events": ids["events"]}
    of_events = dict.fromkeys(("EVENT_NEVER_FITTED", "EVENT_BEFORE_IT_IS_MISSING"), events)
    window = {"window_start": "2026-06-11T09:00:00Z", "window_end": "2026-06-11T11:00:00Z"}
    found["ORDER_REF_AMBIGUOUS"] = ("admin", "update_time_window_by_refs", {"order_refs": ["1001"], **window})
    return {**found, **{code: ("driver", "sync_rider_events", asked) for code, asked in of_events.items()}}
