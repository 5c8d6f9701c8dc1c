"""Errors of routes: locked, private, of others or another day; invalid changes."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_depot, make_driver, make_order, make_route, some_orders

from haulier.contexts.routes.stops.store import insert_stops

FULL = 1000
EVERY = {
    "add_orders_to_route": {"order_ids": [1]},
    "remove_orders_from_route": {"order_ids": [1]},
    "reorder_stops": {"stop_ids": [1]},
    "assign_route_driver": {"driver_id": 1},
    "cancel_route": {},
    "move_stops": {"stop_ids": [2**40]},
    "merge_routes": {"route_ids": [2]},
    "split_route": {"stop_ids": [1]},
    "lock_stops": {"stop_ids": [1]},
    "unlock_stops": {"stop_ids": [1]},
    "lock_route": {},
    "unlock_route": {},
    "publish_route": {},
    "unpublish_route": {},
}
"""Every change that a planner can make of a route, with what it needs beside the route."""
MANY = {"move_stops", "merge_routes"}
"""Changes of several routes, which name a version for each."""
NEVER_LOCKED = {"lock_route", "unlock_route", "publish_route", "unpublish_route"}
ANYBODYS = {"remove_orders_from_route", "cancel_route"}
"""Operations that staff can also call for a contractor's route."""


async def scene(app: App) -> dict[str, Any]:
    """Create routes in every state that blocks a planner."""
    depot_id = await make_depot(app)
    dan, eve = await make_driver(app, user="driver"), await make_driver(app, user="driver2")
    ids: dict[str, Any] = {}
    for name in ("locked", "plain", "other", "full", "over"):
        orders = await some_orders(app, 2) if name not in ("full", "over") else []
        ids[name] = await make_route(app, depot_id=depot_id, order_ids=orders)
    ids["pair"] = await make_route(app, depot_id=depot_id, order_ids=[await make_order(app, type="P2P")])
    ids["private"] = await make_route(
        app, depot_id=depot_id, order_ids=await some_orders(app, 1), driver_id=dan, published=False
    )
    ids["later"] = await make_route(app, depot_id=depot_id, day="2026-06-12")
    ids["hers"] = await make_route(app, who="contractor")
    for name, driver, kind in (("going", dan, "D"), ("fetching", eve, "P"), ("fetched", eve, "P")):
        orders = [await make_order(app, type=kind)]
        ids[name] = await make_route(app, depot_id=depot_id, order_ids=orders, driver_id=driver)
        await app.answer("admin", "start_route", {"route_id": ids[name]})
    ids["pair_going"] = await make_route(app, order_ids=[await make_order(app, type="P2P")], driver_id=dan)
    await app.answer("admin", "start_route", {"route_id": ids["pair_going"]})
    await app.answer("admin", "lock_route", {"route_id": ids["locked"]})
    await app.answer("admin", "cancel_route", {"route_id": ids["over"]})
    await app.answer("admin", "post_route_to_board", {"route_id": ids["other"]})
    async with app.database.write(app.clients["demo"]) as work:
        kind = {"route_id": ids["full"], "kind": "delivery"}
        await insert_stops(work, [{**kind, "order_id": 10_000 + n, "position": n} for n in range(1, FULL + 1)])
    for name in ("plain", "other", "pair", "going", "fetching", "fetched", "pair_going"):
        shown = (await app.answer("admin", "get_route_detail", {"route_id": ids[name]})).route
        ids[f"{name}_stops"] = [stop.id for stop in shown.stops]
    body = {"route_id": ids["fetched"], "stop_id": ids["fetched_stops"][0]}
    await app.answer("admin", "pick_up_at_stop", body)
    body = {"route_id": ids["plain"], "stop_ids": ids["plain_stops"][:1]}
    ids["version"] = (await app.answer("admin", "lock_stops", body)).route.version
    ids["order"] = await make_order(app)
    return ids


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    found: dict[tuple[str, str], Any] = {}
    for name, words in EVERY.items():
        found[name, "ROUTE_CANNOT"] = ("admin", {"route_id": ids["over"], **words, **_beside(name, ids["plain"])})
        found[name, "ROUTE_CHANGED"] = ("admin", _stale(name, ids["plain"], {**words, **_beside(name, ids["other"])}))
        if name not in NEVER_LOCKED:
            locked = {"route_id": ids["locked"], **words, **_beside(name, ids["plain"])}
            found[name, "ROUTE_LOCKED"] = ("admin", locked)
        if name not in ANYBODYS:
            hers = {"route_id": ids["hers"], **words, **_beside(name, ids["plain"])}
            found[name, "ROUTE_NOT_YOURS_TO_PLAN"] = ("admin", hers)
    return {**found, **_stops(ids), **_goods(ids)}


def _beside(name: str, other: int) -> dict[str, Any]:
    return {"route_ids": [other]} if name == "merge_routes" else {}


def _stale(name: str, route_id: int, words: dict[str, Any]) -> dict[str, Any]:
    known = {"expected_versions": [{"route_id": route_id, "version": 99}]} if name in MANY else {"expected_version": 99}
    return {"route_id": route_id, **words, **known}


def _stops(ids: dict[str, Any]) -> Attempts:
    plain, locked = {"route_id": ids["plain"]}, (ids["plain_stops"] or [1])[:1]
    nowhere, pair = {"stop_ids": [2**40]}, (ids["pair_stops"] or [1, 2])
    other = {"route_id": ids["other"]}
    return {
        **{
            (name, "STOP_NOT_ON_ROUTE"): ("admin", {**plain, **nowhere})
            for name in ("move_stops", "split_route", "lock_stops", "unlock_stops")
        },
        ("reorder_stops", "STOP_STAYS"): ("admin", {**plain, "stop_ids": (ids["plain_stops"] or [1])[::-1]}),
        ("move_stops", "STOP_STAYS"): ("admin", {**other, "stop_ids": locked}),
        ("split_route", "STOP_STAYS"): ("admin", {**plain, "stop_ids": locked}),
        ("merge_routes", "STOP_STAYS"): ("admin", {**other, "route_ids": [ids["plain"]]}),
        ("split_route", "NOTHING_LEFT"): ("admin", {"route_id": ids["pair"], "stop_ids": pair[:1]}),
        ("move_stops", "PICKUP_COMES_FIRST"): ("admin", {"route_id": ids["pair"], "stop_ids": pair[:1]}),
        ("add_orders_to_route", "ROUTE_FULL"): ("admin", {"route_id": ids["full"], "order_ids": [ids["order"]]}),
        ("move_stops", "ROUTE_FULL"): ("admin", {"route_id": ids["full"], "stop_ids": ids["other_stops"] or [1]}),
        ("merge_routes", "NOT_FOUND"): ("admin", {"route_id": ids["plain"], "route_ids": [2**40]}),
        ("merge_routes", "ROUTE_FULL"): ("admin", {"route_id": ids["full"], "route_ids": [ids["other"]]}),
    }


def _goods(ids: dict[str, Any]) -> Attempts:
    other, going = ids["other_stops"] or [1], ids["going_stops"] or [1]
    delivery = (ids["pair_going_stops"] or [1])[-1]
    return {
        ("move_stops", "ROUTES_DO_NOT_MATCH"): ("admin", {"route_id": ids["later"], "stop_ids": other}),
        ("merge_routes", "ROUTES_DO_NOT_MATCH"): ("admin", {"route_id": ids["later"], "route_ids": [ids["other"]]}),
        ("move_stops", "GOODS_ABOARD"): ("admin", {"route_id": ids["other"], "stop_ids": going}),
        ("move_stops", "GOODS_AT_DEPOT"): ("admin", {"route_id": ids["going"], "stop_ids": other}),
        ("move_stops", "ROUTE_ON_THE_ROAD"): (
            "admin",
            {"route_id": ids["other"], "stop_ids": ids["fetching_stops"] or [1]},
        ),
        ("finish_route", "ROUTE_STILL_CARRIES"): ("admin", {"route_id": ids["fetched"]}),
        ("deliver_stop", "NOT_PICKED_UP_YET"): ("admin", {"route_id": ids["pair_going"], "stop_id": delivery}),
        ("start_route", "ROUTE_NOT_PUBLISHED"): ("admin", {"route_id": ids["private"]}),
        ("unpublish_route", "ROUTE_ON_BOARD"): ("admin", {"route_id": ids["other"]}),
    }
