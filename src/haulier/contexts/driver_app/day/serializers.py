"""Routes as the driver app shows them.

The number of statements does not depend on the number of routes.
"""

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import asdict, replace

from haulier.contexts.driver_app.day import store
from haulier.contexts.driver_app.day.contract import RiderRoute, RiderRouteDetail, RiderStop
from haulier.contexts.driver_app.day.rules import DayChanges, DaySnapshot, digest_of
from haulier.contexts.driver_app.handovers.queries import load_handovers
from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.driver_app.scans.contract import ScannedOrder
from haulier.contexts.driver_app.scans.queries import list_matched_scans
from haulier.contexts.routes.public import RouteRow, serialize_routes
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def serialize_rider_route(call: Call, driver_id: int, row: RouteRow) -> RiderRoute:
    """One route, as its driver's app shows it."""
    return (await serialize_rider_routes(call, driver_id, [row], await load_rider_policy(call)))[0]


async def serialize_rider_routes(
    call: Call, driver_id: int, rows: Sequence[RouteRow], policy: RiderPolicy
) -> list[RiderRoute]:
    """Return routes with their handovers, the driver's answers and the scans."""
    route_ids = [row.id for row in rows]
    answers = {
        answer.route_id: answer
        for answer in await store.list_route_answers(call.work, route_ids)
        if answer.driver_id == driver_id
    }
    scanned: defaultdict[int, list[ScannedOrder]] = defaultdict(list)
    for scan in await list_matched_scans(call, route_ids):
        scanned[scan.route_id].append(record(ScannedOrder, scan))
    handovers = await load_handovers(call, rows, policy)
    return [
        RiderRoute(
            route=record(
                RiderRouteDetail,
                route,
                stops=[record(RiderStop, stop, handover=handovers.get(stop.id)) for stop in route.stops],
            ),
            answer=answers[route.id].answer if route.id in answers else None,
            answered_at=call.local_time(answers[route.id].at) if route.id in answers else None,
            scanned=scanned[route.id],
        )
        for route in await serialize_routes(call, rows)
    ]


def build_snapshot(routes: Sequence[RiderRoute]) -> DaySnapshot:
    """The digests of what is shown."""
    return DaySnapshot(
        {each.route.id: digest_of(asdict(_without_stops(each))) for each in routes},
        {stop.id: digest_of(asdict(stop)) for each in routes for stop in each.route.stops},
    )


def only_changed(routes: Sequence[RiderRoute], changes: DayChanges) -> list[RiderRoute]:
    """Return the routes that changed or have changed stops, with these stops only."""
    narrowed = [
        _with_stops(each, [stop for stop in each.route.stops if stop.id in changes.stop_ids]) for each in routes
    ]
    return [each for each in narrowed if each.route.stops or each.route.id in changes.route_ids]


def _without_stops(each: RiderRoute) -> RiderRoute:
    return _with_stops(each, [])


def _with_stops(each: RiderRoute, stops: list[RiderStop]) -> RiderRoute:
    return replace(each, route=replace(each.route, stops=stops))
