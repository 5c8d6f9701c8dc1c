"""Parcels of a route are scanned into its vehicle."""

import asyncio
from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App


async def make_route(app: App, *pieces: int) -> tuple[int, list[Any]]:
    """A route with an order for each number of pieces; its id, and the orders."""
    place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    depot = (await app.answer("admin", "create_depot", place)).depot
    asked = {"day": "2026-06-10", "depot_id": depot.id, "name": "North"}
    route = (await app.answer("admin", "create_route", asked)).route.id
    orders: list[Any] = []
    for count in pieces:
        packages = [{"weight_g": 900, "quantity": count}]
        order = {"consignee": {**ADDRESS, "lat": 43.65, "lng": -79.38}, "packages": packages}
        made = (await app.answer("admin", "create_order", order)).order
        orders.append((await app.answer("admin", "get_order_detail", {"order_id": made.id})).order)
    ids = [order.id for order in orders]
    await app.answer("admin", "add_orders_to_route", {"route_id": route, "order_ids": ids})
    return route, orders


async def scan(app: App, route: int, *barcodes: str, **words: Any) -> Any:
    return await app.answer("employee", "scan_load", {"route_id": route, "barcodes": barcodes, **words})


async def test_a_load_lists_missing_parcels_until_all_are_scanned(app: App) -> None:
    route, (large, small) = await make_route(app, 2, 1)
    first, second = (piece.tracking_number for piece in large.packages)
    assert (await app.answer("admin", "get_load_check", {"route_id": route})).load.expected == 3
    # an order of one piece is also known by the order's own number
    answer = await scan(app, route, first, small.tracking_number, "HL-UNKNOWN")
    assert [one.state for one in answer.scans] == ["loaded", "loaded", "unexpected"]
    assert ([parcel.tracking_number for parcel in answer.load.missing], answer.load.complete) == ([second], False)
    answer = await scan(app, route, first, second)
    assert ([one.state for one in answer.scans], answer.load.complete) == (["loaded_before", "loaded"], True)


async def test_parcels_removed_from_the_route_are_surplus_until_unloaded(app: App) -> None:
    route, (stays, leaves) = await make_route(app, 1, 1)
    number = leaves.packages[0].tracking_number
    await scan(app, route, stays.packages[0].tracking_number, number)
    await app.answer("admin", "remove_orders_from_route", {"route_id": route, "order_ids": [leaves.id]})
    load = (await app.answer("admin", "get_load_check", {"route_id": route})).load
    assert (load.expected, load.loaded, load.too_much, load.complete) == (1, 1, [number], False)
    answer = await scan(app, route, number, take_off=True)
    assert (answer.scans[0].state, answer.load.complete) == ("taken_off", True)


async def test_of_concurrent_scans_of_a_parcel_one_loads_it(app: App) -> None:
    route, (order,) = await make_route(app, 1)
    number = order.packages[0].tracking_number
    answers = await asyncio.gather(*(scan(app, route, number) for _ in range(4)))
    assert sorted(answer.scans[0].state for answer in answers) == ["loaded", *["loaded_before"] * 3]


async def test_statement_count_does_not_grow_with_loaded_parcels(app: App) -> None:
    counted = []
    for pieces in (1, 12):
        route, (order,) = await make_route(app, pieces)
        before = app.statements
        await scan(app, route, *(piece.tracking_number for piece in order.packages))
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
