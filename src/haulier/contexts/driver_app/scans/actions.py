"""Scans: what a code is on a route, recorded with the result."""

from haulier.contexts.driver_app.scans import store
from haulier.contexts.driver_app.scans.contract import ScanCode, ScanCodeResult
from haulier.contexts.driver_app.scans.rules import ScanResult, classify_scan
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.orders.public import find_orders_by_reference
from haulier.contexts.routes.public import get_route_ids_by_order, get_visible_route, list_stops_of_routes
from haulier.contexts.routes.routes.rules.event_time import resolve_event_time
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found

BELONGING_RESULTS = frozenset({ScanResult.MATCHED, ScanResult.ALREADY_SCANNED})


async def record_scan(call: Call, driver: DriverRow, request: ScanCode) -> ScanCodeResult:
    """Classify a scanned code and store the scan, whatever the result is. Raises `NOT_FOUND` for a route or stop."""
    route = await get_visible_route(call, request.route_id, lock=True)
    stops = await list_stops_of_routes(call, [route.id])
    stop = next((stop for stop in stops if stop.id == request.stop_id), None)
    if request.stop_id is not None and stop is None:
        raise record_not_found(stop_id=request.stop_id)
    order_ids = [order.id for order in await find_orders_by_reference(call, request.code)]
    result, order_id = classify_scan(
        order_ids,
        on_route={stop.order_id for stop in stops},
        on_others=await get_route_ids_by_order(call, order_ids),
        at_stop=stop.order_id if stop else None,
        scanned={
            row.order_id
            for row in await store.list_matched_scans(call.work, [route.id])
            if row.stop_id == request.stop_id
        },
    )
    occurred_at = resolve_event_time(request.occurred_at, call.now)
    earlier = (
        await store.find_same_scan(call.work, route.id, driver.id, request.code, occurred_at)
        if request.occurred_at
        else None
    )
    if earlier is not None:
        result, order_id = ScanResult(earlier.result), earlier.order_id
    else:
        await store.insert_scan(
            call.work,
            route_id=route.id,
            stop_id=request.stop_id,
            driver_id=driver.id,
            order_id=order_id,
            code=request.code,
            result=result,
            occurred_at=occurred_at,
            recorded_at=call.now,
        )
    next_stop = next((stop.id for stop in stops if stop.order_id == order_id and stop.status in OPEN), None)
    return ScanCodeResult(
        result=result in BELONGING_RESULTS,
        scan=result,
        order_id=order_id,
        stop_id=next_stop,
        message=call.translate(f"scan_{result.value}"),
    )
