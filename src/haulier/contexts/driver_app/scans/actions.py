"""Scanning: what a code is on this route, noted as it was scanned."""

from haulier.contexts.driver_app.scans import store as scans
from haulier.contexts.driver_app.scans.contract import ScanCode, ScanCodeResult
from haulier.contexts.driver_app.scans.rules import ScanResult, classify_scan
from haulier.contexts.orders.public import find_orders_by_reference
from haulier.contexts.routes.routes.queries import get_visible_route
from haulier.contexts.routes.routes.rules.event_time import resolve_event_time
from haulier.contexts.routes.stops import store as stop_store
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND

BELONGING_RESULTS = frozenset({ScanResult.MATCHED, ScanResult.ALREADY_SCANNED})


async def record_scan(call: Call, driver_id: int, request: ScanCode) -> ScanCodeResult:
    """Say what a scanned code is. Nothing is refused over it: what does not belong here is an answer, and is kept too."""
    route = await get_visible_route(call, request.route_id, lock=True)
    stops = await stop_store.list_stops_of_routes(call.work, [route.id])
    here = next((stop for stop in stops if stop.id == request.stop_id), None)
    if request.stop_id is not None and here is None:
        raise NOT_FOUND()
    found = [order.id for order in await find_orders_by_reference(call, request.code)]
    result, order_id = classify_scan(
        found,
        on_route={stop.order_id for stop in stops},
        on_others=await stop_store.get_route_ids_by_order(call.work, found),
        at_stop=here.order_id if here else None,
        scanned={
            row.order_id
            for row in await scans.list_matched_scans(call.work, [route.id])
            if row.stop_id == request.stop_id
        },
    )
    at = resolve_event_time(request.occurred_at, call.now)
    before = (
        await scans.find_same_scan(call.work, route.id, driver_id, request.code, at) if request.occurred_at else None
    )
    if before is not None:
        result, order_id = ScanResult(before.result), before.order_id
    else:
        await scans.insert_scan(
            call.work,
            route_id=route.id,
            stop_id=request.stop_id,
            driver_id=driver_id,
            order_id=order_id,
            code=request.code,
            result=result,
            occurred_at=at,
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
