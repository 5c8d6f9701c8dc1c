"""Errors of active routes: handovers, reassignments and added orders."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_depot, make_driver, make_order, make_route

from haulier.contexts.routes.stops.store import insert_stops

FULL = 1000
REASON = {"reason": "vehicle_breakdown"}


async def scene(app: App) -> dict[str, Any]:
    """Start Dan's route with stops in each state, and create other routes."""
    depot_id = await make_depot(app)
    ids: dict[str, Any] = {"dan": await make_driver(app, user="driver"), "eve": await make_driver(app, user="driver2")}
    ids["papers"] = await make_driver(app)
    ids["waiting"] = await make_route(app, depot_id=depot_id, order_ids=[await make_order(app)], driver_id=ids["dan"])
    ids["tomorrow"] = await make_route(
        app, depot_id=depot_id, order_ids=[await make_order(app)], driver_id=ids["dan"], day="2026-06-11"
    )
    for name in ("going", "empty", "full", "aborted", "later"):
        orders = [await make_order(app) for _ in range(3)]
        day = {"day": "2026-06-11"} if name == "later" else {}
        ids[name] = await make_route(app, depot_id=depot_id, order_ids=orders, driver_id=ids["dan"], **day)
        await app.answer("driver", "start_route", {"route_id": ids[name], "ahead_of_day": True})
        ids[f"{name}_stops"] = await _stop_ids(app, ids[name])
        ids[f"{name}_orders"] = orders
    for stop_id in ids["empty_stops"]:
        await app.answer("driver", "deliver_stop", {"route_id": ids["empty"], "stop_id": stop_id})
    await app.answer("admin", "abort_route", {"route_id": ids["aborted"], **REASON})
    await app.answer("admin", "cancel_order", {"order_id": ids["going_orders"][0]})
    handed = {"route_id": ids["going"], "driver_id": ids["eve"], "stop_ids": [ids["going_stops"][1]]}
    await app.answer("admin", "hand_over_stops", handed)
    added = {"route_id": ids["going"], "order_ids": [await make_order(app)]}
    await app.answer("admin", "add_orders_to_route", added)
    ids["going_stops"].append((await _stop_ids(app, ids["going"]))[-1])
    ids |= await _collections(app, ids)
    async with app.database.write(app.clients["demo"]) as work:
        kind = {"route_id": ids["full"], "kind": "delivery"}
        await insert_stops(work, [{**kind, "order_id": 20_000 + n, "position": n + 3} for n in range(FULL)])
    await app.answer("admin", "set_driver_policy", {"required": ["licence"], "blocks_start": True})
    return ids


async def _stop_ids(app: App, route_id: int) -> list[int]:
    return [stop.id for stop in (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.stops]


async def _collections(app: App, ids: dict[str, Any]) -> dict[str, Any]:
    """Create a route with a cancelled and a handed-over pickup."""
    orders = [await make_order(app, type="P") for _ in range(2)]
    route = await make_route(app, order_ids=orders, driver_id=ids["dan"])
    stops = await _stop_ids(app, route)
    await app.answer("driver", "start_route", {"route_id": route})
    await app.answer("admin", "cancel_order", {"order_id": orders[0]})
    await app.answer("admin", "hand_over_stops", {"route_id": route, "driver_id": ids["eve"], "stop_ids": stops[1:]})
    return {"fetching": route, "fetching_stops": stops}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    going, to_eve = {"route_id": ids["going"]}, {"driver_id": ids["eve"]}
    return {
        ("start_route", "ROUTE_OF_ANOTHER_DAY"): ("driver", {"route_id": ids["tomorrow"]}),
        ("load_at_depot", "ROUTE_CANNOT"): ("driver", {"route_id": ids["waiting"]}),
        ("abort_route", "ROUTE_CANNOT"): ("admin", {"route_id": ids["waiting"], **REASON}),
        ("abort_route", "ROUTE_CHANGED"): ("admin", {**going, **REASON, "expected_version": 99}),
        ("hand_over_stops", "ROUTE_CANNOT"): ("admin", {"route_id": ids["waiting"], **to_eve}),
        ("hand_over_stops", "ROUTE_CHANGED"): ("admin", {**going, **to_eve, "expected_version": 99}),
        ("hand_over_stops", "STOP_NOT_ON_ROUTE"): ("admin", {**going, **to_eve, "stop_ids": [2**40]}),
        ("hand_over_stops", "STOP_STAYS"): (
            "admin",
            {"route_id": ids["empty"], **to_eve, "stop_ids": (ids["empty_stops"] or [1])[:1]},
        ),
        ("hand_over_stops", "NOTHING_TO_HAND_OVER"): ("admin", {"route_id": ids["empty"], **to_eve}),
        ("hand_over_stops", "ROUTES_DO_NOT_MATCH"): ("admin", {**going, "to_route_id": ids["later"]}),
        ("hand_over_stops", "ROUTE_ON_THE_ROAD"): ("admin", {**going, "to_route_id": ids["aborted"]}),
        ("hand_over_stops", "ROUTE_FULL"): ("admin", {**going, "to_route_id": ids["full"]}),
        ("hand_over_stops", "DRIVER_DOCUMENTS_NOT_IN_ORDER"): ("admin", {**going, "driver_id": ids["papers"]}),
        **_at_stops(ids),
    }


def _at_stops(ids: dict[str, Any]) -> Attempts:
    cancelled, handed_over, _, to_load = ids["going_stops"] or [1, 2, 3, 4]
    at = {"route_id": ids["going"]}
    fetched, fetched_by_eve = ids["fetching_stops"] or [1, 2]
    collect = {"route_id": ids["fetching"]}
    failed = {"reason": "recipient_absent", "outcome": "retry"}
    found: dict[tuple[str, str], Any] = {}
    for name, words in (
        ("arrive_at_stop", {}),
        ("deliver_stop", {}),
        ("fail_stop", failed),
        ("rider_deliver", {"recipient": "Ada"}),
        ("rider_fail", failed),
    ):
        found[name, "NOT_LOADED_YET"] = ("driver", {**at, "stop_id": to_load, **words})
        found[name, "STOP_HANDED_OVER"] = ("driver", {**at, "stop_id": handed_over, **words})
    for name in ("reopen_stop", "rider_open_locker", "rider_make_locker_code"):
        found[name, "STOP_HANDED_OVER"] = ("driver", {**at, "stop_id": handed_over})
    for name in ("deliver_stop", "rider_deliver"):
        found[name, "STOP_CANCELLED"] = ("driver", {**at, "stop_id": cancelled, "recipient": "Ada"})
    for name in ("pick_up_at_stop", "rider_pick_up"):
        found[name, "STOP_CANCELLED"] = ("driver", {**collect, "stop_id": fetched})
        found[name, "STOP_HANDED_OVER"] = ("driver", {**collect, "stop_id": fetched_by_eve})
    return found
