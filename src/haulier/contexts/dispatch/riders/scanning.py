"""Scanning: what a code is on this route, noted as it was scanned."""

from haulier.contexts.dispatch.riders.contract.doorstep import ScanCode, ScannedCode
from haulier.contexts.dispatch.riders.rules.scans import ScanResult, judge
from haulier.contexts.dispatch.riders.store import scans
from haulier.contexts.dispatch.routes.finding import visible_route
from haulier.contexts.dispatch.routes.rules.occurrence import occurred
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import OPEN
from haulier.contexts.orders.public import called
from haulier.kernel.call import Call
from haulier.kernel.errors import NOT_FOUND

BELONGS = frozenset({ScanResult.MATCHED, ScanResult.ALREADY_SCANNED})


async def scan(call: Call, driver_id: int, request: ScanCode) -> ScannedCode:
    """Say what a scanned code is. Nothing is refused over it: what does not belong here is an answer, and is kept too."""
    route = await visible_route(call, request.route_id, lock=True)
    stops = await stop_store.of_routes(call.work, [route.id])
    here = next((stop for stop in stops if stop.id == request.stop_id), None)
    if request.stop_id is not None and here is None:
        raise NOT_FOUND()
    found = [order.id for order in await called(call, request.code)]
    result, order_id = judge(
        found,
        on_route={stop.order_id for stop in stops},
        on_others=await stop_store.routes_of(call.work, found),
        at_stop=here.order_id if here else None,
        scanned={row.order_id for row in await scans.matched(call.work, [route.id]) if row.stop_id == request.stop_id},
    )
    at = occurred(request.occurred_at, call.now)
    before = await scans.same(call.work, route.id, driver_id, request.code, at) if request.occurred_at else None
    if before is not None:
        result, order_id = ScanResult(before.result), before.order_id
    else:
        await scans.add(
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
    return ScannedCode(
        result=result in BELONGS,
        scan=result,
        order_id=order_id,
        stop_id=next_stop,
        message=call.say(f"scan_{result.value}"),
    )
