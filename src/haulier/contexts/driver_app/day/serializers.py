"""Routes as the driver's app shows them. Many routes take as many statements as one."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from haulier.contexts.driver_app.day import store as answers
from haulier.contexts.driver_app.day.contract import RiderRoute
from haulier.contexts.driver_app.scans import store as scans
from haulier.contexts.driver_app.scans.contract import ScannedOrder
from haulier.contexts.routes.routes.serializers import serialize_routes
from haulier.kernel.call import Call


async def serialize_rider_routes(call: Call, driver_id: int, rows: Sequence[Any]) -> list[RiderRoute]:
    """Routes with their stops, what the driver said to each, and what was scanned on it."""
    ids = [row.id for row in rows]
    said = {row.route_id: row for row in await answers.list_route_answers(call.work, ids) if row.driver_id == driver_id}
    scanned: defaultdict[int, list[ScannedOrder]] = defaultdict(list)
    for row in await scans.list_matched_scans(call.work, ids):
        scanned[row.route_id].append(ScannedOrder(order_id=row.order_id, stop_id=row.stop_id))
    found: list[RiderRoute] = []
    for route in await serialize_routes(call, rows):
        answer = said.get(route.id)
        found.append(
            RiderRoute(
                route=route,
                answer=answer.answer if answer else None,
                answered_at=answer.at.astimezone(call.time_zone) if answer else None,
                scanned=scanned[route.id],
            )
        )
    return found
