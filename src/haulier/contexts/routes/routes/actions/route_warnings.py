"""What is odd about orders that were put on a route by hand, in the caller's language."""

from collections.abc import Sequence

from haulier.contexts.fleet.public import get_driver_row, get_vehicle_rows, get_working_profile_rows
from haulier.contexts.orders.public import get_order_facts, get_order_loads
from haulier.contexts.routes.routes.contract.routes import RouteWarning
from haulier.contexts.routes.routes.queries import to_stop_states
from haulier.contexts.routes.routes.rules.fit import CarriedOrder, RouteCarrier, RouteWarningCode, find_route_oddities
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.queries import list_stops_of_routes
from haulier.kernel.call import Call


async def load_route_warnings(call: Call, route: RouteRow, added: Sequence[int]) -> list[RouteWarning]:
    """The warnings beside orders that were added to a route. Six statements at most, none where nothing was added."""
    if not added:
        return []
    stops = to_stop_states(await list_stops_of_routes(call, [route.id]))
    oddities = find_route_oddities(
        route.day,
        await _load_carrier(call, route.driver_id),
        stops,
        await _load_carried_orders(call, {stop.order_id for stop in stops}),
        added,
    )
    return [
        RouteWarning(
            code=oddity.code.value.upper(),
            order_id=oddity.order_id,
            load_percent=oddity.percent,
            message=call.translate(f"route_warning_{oddity.code.value}", **_params(oddity.code, oddity.percent)),
        )
        for oddity in oddities
    ]


def _params(code: RouteWarningCode, percent: int | None) -> dict[str, int | None]:
    return {"percent": percent} if code is RouteWarningCode.OVERLOADED else {}


async def _load_carrier(call: Call, driver_id: int | None) -> RouteCarrier:
    driver = await get_driver_row(call, driver_id) if driver_id else None
    if driver is None:
        return RouteCarrier()
    profile = (await get_working_profile_rows(call, [driver.id])).get(driver.id)
    vehicle_id = profile.vehicle_id if profile else None
    vehicle = (await get_vehicle_rows(call, [vehicle_id])).get(vehicle_id) if vehicle_id else None
    skills = {*driver.skills, *(profile.skills if profile else ()), *(vehicle.skills if vehicle else ())}
    if vehicle is None:
        return RouteCarrier(skills=frozenset(skills))
    capacity = (vehicle.capacity_weight_g, vehicle.capacity_volume_cm3, vehicle.capacity_parcels)
    return RouteCarrier(capacity=capacity, skills=frozenset(skills))


async def _load_carried_orders(call: Call, order_ids: set[int]) -> dict[int, CarriedOrder]:
    facts, loads = await get_order_facts(call, order_ids), await get_order_loads(call, order_ids)
    return {
        order.id: CarriedOrder(
            order_id=order.id,
            load=(order.weight_g, loads[order.id].volume_cm3, loads[order.id].parcels),
            skills=frozenset(order.skills),
            scheduled_date=order.scheduled_date,
            window=(call.local_time(order.window_start), call.local_time(order.window_end)),
        )
        for order in facts.values()
    }
