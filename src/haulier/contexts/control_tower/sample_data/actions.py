"""Writes of sample data."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from haulier.contexts.control_tower.sample_data.rules import (
    AHEAD,
    DONE,
    FAILED_STOP,
    ON_ROUTE,
    SAMPLE_DATA_NEEDS_EMPTY,
    SERVICE,
    STEP,
    SampleCity,
    SampleOrder,
    choose_city,
    plan_orders,
)
from haulier.contexts.control_tower.test_mode.actions import delete_test_data, require_test_business
from haulier.contexts.identity.public import (
    begin_sample_data,
    require_account_grantable,
    require_client,
)
from haulier.contexts.routes.public import PlannedLeg, update_route, update_stop_plans
from haulier.kernel.call import Call, call_within
from haulier.kernel.operations.codec import parse_request_values
from haulier.kernel.operations.enums import Account
from haulier.kernel.values.geography import great_circle_m

RECORDS = {
    "get_orders": "orders",
    "get_routes": "routes",
    "list_depots": "depots",
    "get_drivers": "drivers",
    "list_vehicles": "vehicles",
    "find_customers": "customers",
}
"""Lists that are empty in a business without records, and the fields with their rows."""


async def load_samples(call: Call) -> bool:
    """Create the sample data. Return False if it was there before.

    The client is locked, so that parallel calls create it once. Raises `TEST_MODE_ONLY`, `SCOPES_EXCEEDED` or
    `SAMPLE_DATA_NEEDS_EMPTY`.
    """
    require_test_business(call)
    require_account_grantable(call, Account.CUSTOMER)
    await require_client(call.work, call.client_id, lock=True)
    business = await call.app.identity.business(call.work, call.client_id)
    if business.has_sample_data:
        return False
    for listing, rows in RECORDS.items():
        if getattr(await _run(call, listing, call.now), rows):
            raise SAMPLE_DATA_NEEDS_EMPTY()
    business = await begin_sample_data(call)
    inner = call_within(call, replace(call.principal, business=business))
    await _create_day(inner, choose_city(business.country, business.time_zone))
    call.side_effects.extend(inner.side_effects)
    return True


async def remove_samples(call: Call) -> int:
    """Delete the sample data and all changes to it. Return the number of rows.

    Returns 0 without sample data. Raises `TEST_MODE_ONLY`.
    """
    require_test_business(call)
    await require_client(call.work, call.client_id, lock=True)
    business = await call.app.identity.business(call.work, call.client_id)
    return await delete_test_data(call) if business.has_sample_data else 0


def customer_email(call: Call, number: int) -> str:
    """Return an address without an owner, unique on the server."""
    return f"customer{number}.{call.client_id}@example.com"


async def _run(call: Call, operation_name: str, at: datetime, /, **values: Any) -> Any:
    """Run an operation of the caller at a time, in the same transaction."""
    operation = call.app.registry[operation_name]
    inner = call_within(call, call.principal, now=at)
    answer = await operation.handler(inner, parse_request_values(operation.request, values))
    call.side_effects.extend(inner.side_effects)
    return answer


async def _create_day(call: Call, city: SampleCity) -> None:
    """Create the customers, the fleet and the orders of the day, and drive the route."""
    earlier, names = call.now - AHEAD, city.samples
    customers = [
        (await _run(call, "create_user", earlier, name=shop, account="customer", email=customer_email(call, n))).user.id
        for n, shop in enumerate(names.shops, 1)
    ]
    located = {"address": f"{names.address.format(street=names.streets[0], number=1)}, {city.name}"}
    located |= dict(zip(("lat", "lng"), city.place, strict=True))
    depot = (await _run(call, "create_depot", earlier, name=names.depot, **located)).depot
    drivers = [(await _run(call, "create_driver", earlier, name=name)).driver.id for name in names.drivers]
    await _run(call, "create_vehicle", earlier, name="Van 1", depot_id=depot.id)
    orders = plan_orders(city, call.now, call.time_zone, tuple(customers))
    ids = [(await _run(call, "create_order", earlier, **order.request)).order.id for order in orders]
    await _drive_route(call, city, depot.id, drivers[0], orders[:ON_ROUTE], ids[:ON_ROUTE])


async def _drive_route(
    call: Call, city: SampleCity, depot: int, driver: int, orders: Sequence[SampleOrder], ids: Sequence[int]
) -> None:
    """Create the route, start it, and report the stops until the present."""
    starts = orders[0].arrives_at - STEP
    day = orders[0].request["scheduled_date"]
    created = {"day": day, "depot_id": depot, "driver_id": driver, "planned_start_at": starts}
    route = (await _run(call, "create_route", starts - STEP, **created)).route.id
    added = await _run(call, "add_orders_to_route", starts - STEP, route_id=route, order_ids=ids)
    await _plan_times(call, city, route, [stop.id for stop in added.route.stops], orders)
    await _run(call, "start_route", starts, route_id=route, ahead_of_day=True)
    for number, stop in enumerate(added.route.stops[: DONE + 1]):
        at = {"route_id": route, "stop_id": stop.id}
        await _run(call, "arrive_at_stop", orders[number].arrives_at, **at)
        if number == DONE:
            return
        leaves = orders[number].arrives_at + SERVICE
        if number == FAILED_STOP:
            await _run(call, "fail_stop", leaves, **at, reason="recipient_absent", outcome="retry")
        else:
            await _run(call, "deliver_stop", leaves, **at, recipient=orders[number].request["consignee"]["name"])


async def _plan_times(
    call: Call, city: SampleCity, route: int, stops: Sequence[int], orders: Sequence[SampleOrder]
) -> None:
    places = [city.place, *(order.place for order in orders)]
    metres = [round(great_circle_m(*pair)) for pair in pairwise(places)]
    legs: list[PlannedLeg] = [
        (stop, order.arrives_at, order.arrives_at + SERVICE, leg)
        for stop, order, leg in zip(stops, orders, metres, strict=True)
    ]
    await update_stop_plans(call, legs)
    ends = orders[-1].arrives_at + STEP
    await update_route(call, route, planned_end_at=ends, planned_distance_m=sum(metres))
