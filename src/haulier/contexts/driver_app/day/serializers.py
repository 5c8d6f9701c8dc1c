"""Routes as the driver's app shows them. Many routes take as many statements as one."""

from collections import defaultdict
from collections.abc import Sequence

from haulier.contexts.driver_app.day import store
from haulier.contexts.driver_app.day.contract import RiderRoute
from haulier.contexts.driver_app.scans.contract import ScannedOrder
from haulier.contexts.driver_app.scans.queries import list_matched_scans
from haulier.contexts.routes.public import RouteRow, serialize_routes
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def serialize_rider_routes(call: Call, driver_id: int, rows: Sequence[RouteRow]) -> list[RiderRoute]:
    """Routes with their stops, what the driver answered to each, and what was scanned on it."""
    route_ids = [row.id for row in rows]
    answers = {
        answer.route_id: answer
        for answer in await store.list_route_answers(call.work, route_ids)
        if answer.driver_id == driver_id
    }
    scanned: defaultdict[int, list[ScannedOrder]] = defaultdict(list)
    for scan in await list_matched_scans(call, route_ids):
        scanned[scan.route_id].append(record(ScannedOrder, scan))
    return [
        RiderRoute(
            route=route,
            answer=answers[route.id].answer if route.id in answers else None,
            answered_at=call.local_time(answers[route.id].at) if route.id in answers else None,
            scanned=scanned[route.id],
        )
        for route in await serialize_routes(call, rows)
    ]
