"""Live map of a verified recipient."""

from haulier.contexts.driver_app.live_maps.contract import DeliveryPosition, LiveDriver
from haulier.contexts.driver_app.live_maps.rules import DIGITS, LiveMapState, live_map_state
from haulier.contexts.driver_app.positions.queries import PositionRow, get_latest_positions
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.contexts.recipients.public import (
    ACCESS_LIMITS,
    DELIVERY_ACCESS_INVALID,
    find_pending_visit,
    open_access,
    shows_live_map,
)
from haulier.contexts.routes.public import (
    RoadShapes,
    RouteRow,
    route_travel_mode,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import Account


@reads(
    "get_delivery_position",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/tracking/deliveries/position"), GraphQL("deliveryPosition")),
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
)
async def get_delivery_position(call: Call, request: DeliveryAccess) -> DeliveryPosition:
    """Get the position of your driver.

    The driver is shown to verified recipients while the delivery is out, from three stops before, if the
    business enabled it (`live_map` of `set_brand`). The line follows the road to your address.
    """
    own, order = await open_access(call, request)
    if not await shows_live_map(own):
        return DeliveryPosition(state=LiveMapState.OFF)
    visit = await find_pending_visit(own, order)
    if visit is None:
        return DeliveryPosition(state=LiveMapState.OFF)
    route, before = visit.route, visit.stops_before
    rows = await get_latest_positions(own, [route.driver_id] if route.driver_id else [])
    position = next(iter(rows.values()), None)
    state = live_map_state(before, position and position.occurred_at, own.now)
    consignee = order.consignee or {}
    known = consignee.get("lat") is not None and consignee.get("lng") is not None
    destination = [consignee["lat"], consignee["lng"]] if known else None
    answer = DeliveryPosition(
        state=state,
        stops_before=before,
        expected_at=own.local_time(visit.stop.planned_arrival_at),
        destination=destination,
    )
    if state is LiveMapState.LIVE and position:
        answer.driver = _driver(own, position)
        if before == 0 and destination:
            answer.line, answer.distance_m = await _line(own, route, answer.driver, destination)
    return answer


def _driver(call: Call, position: PositionRow) -> LiveDriver:
    return LiveDriver(
        lat=round(position.lat, DIGITS),
        lng=round(position.lng, DIGITS),
        observed_at=call.local_time(position.occurred_at),
    )


async def _line(
    call: Call, route: RouteRow, driver: LiveDriver, destination: list[float]
) -> tuple[list[list[float]], int | None]:
    """Return the line along the road from the driver, and its length."""
    places = [(driver.lat, driver.lng), (destination[0], destination[1])]
    (line,) = await call.adapter(RoadShapes).lines(places, route_travel_mode(route))
    if line is None:
        return [], None
    return [[round(lat, 5), round(lng, 5)] for lng, lat in line.points], line.distance_m
