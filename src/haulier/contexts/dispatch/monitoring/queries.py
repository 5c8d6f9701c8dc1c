"""Routes of a day and started routes as the rules see them, read in as many statements for many routes as for one."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from haulier.contexts.dispatch.monitoring import store
from haulier.contexts.dispatch.monitoring.rules.progress import LastPosition, MonitoredRoute, MonitoredStop
from haulier.contexts.dispatch.monitoring.store import StartedRouteRow
from haulier.contexts.driver_app.day.rules.route_answers import RouteAnswerValue
from haulier.contexts.driver_app.public import PositionRow, get_latest_positions, list_route_answers
from haulier.contexts.fleet.public import get_depot_rows
from haulier.contexts.orders.public import OrderFacts, PieceOutcome, get_order_facts
from haulier.contexts.routes.public import RouteRow, StopRow, list_stops_of_routes
from haulier.contexts.routes.routes.rules.geofence import locate_stop
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops.rules import StopCancelReason, StopDispute, StopKind, StopStatus
from haulier.kernel.call import Call


async def load_monitored_routes(call: Call, rows: Sequence[RouteRow]) -> list[MonitoredRoute]:
    """Routes with their stops, their drivers' newest positions, and when they were last declined."""
    ids = [row.id for row in rows]
    stops, _ = await load_monitored_stops(call, ids)
    depots = await get_depot_rows(call, {row.depot_id for row in rows})
    positions = await get_latest_positions(call, {row.driver_id for row in rows if row.driver_id})
    declined_at = {
        answer.route_id: answer.at
        for answer in await list_route_answers(call, ids)
        if answer.answer == RouteAnswerValue.DECLINED
    }
    return [
        MonitoredRoute(
            id=row.id,
            status=RouteStatus(row.status),
            driver_id=row.driver_id,
            driver_active=row.driver_active is not False,
            depot=(depots[row.depot_id].lat, depots[row.depot_id].lng) if row.depot_id in depots else None,
            planned_start_at=row.planned_start_at,
            declined_at=declined_at.get(row.id),
            clock_ahead_s=row.clock_ahead_s,
            clock_off_since=row.clock_off_since,
            stops=stops[row.id],
            last_position=to_last_position(positions.get(row.driver_id or 0)),
        )
        for row in rows
    ]


async def load_monitored_stops(
    call: Call, route_ids: Collection[int]
) -> tuple[Mapping[int, list[MonitoredStop]], Mapping[int, OrderFacts]]:
    """The stops of these routes by route, in the order of visit, and their orders."""
    rows = await list_stops_of_routes(call, route_ids)
    orders = await get_order_facts(call, {row.order_id for row in rows}) if rows else {}
    by_route: defaultdict[int, list[MonitoredStop]] = defaultdict(list)
    for row in rows:
        order, kind = orders.get(row.order_id), StopKind(row.kind)
        has_window = order is not None and not (order.type == "P2P" and kind is StopKind.PICKUP)
        by_route[row.route_id].append(
            MonitoredStop(
                id=row.id,
                order_id=row.order_id,
                kind=kind,
                status=StopStatus(row.status),
                place=locate_stop(kind, order),
                planned_arrival_at=row.planned_arrival_at,
                window_end=order.window_end if order and has_window else None,
                arrived_at=row.arrived_at,
                ended_at=row.ended_at,
                on_route=bool(row.on_route),
                cancel_reason=_cancel_reason(row),
                dispute=StopDispute(row.dispute) if row.dispute else None,
                pieces_left=_pieces_left(row),
            )
        )
    return by_route, orders


def _pieces_left(row: StopRow) -> tuple[tuple[str, PieceOutcome], ...]:
    left = (row.proof or {}).get("left", ())
    return tuple((piece["barcode"], PieceOutcome(piece["outcome"])) for piece in left)


def _cancel_reason(row: StopRow) -> StopCancelReason | None:
    return StopCancelReason(row.reason) if row.status == StopStatus.CANCELLED and row.reason else None


async def get_started_routes_by_driver(call: Call, driver_ids: Collection[int]) -> dict[int, StartedRouteRow]:
    """The route that each of these drivers is driving; of several, the one started last."""
    return await store.get_started_routes_by_driver(call.work, driver_ids)


def to_last_position(row: PositionRow | None) -> LastPosition | None:
    """A newest position as the rules see it."""
    return row and LastPosition(
        occurred_at=row.occurred_at, place=(row.lat, row.lng), standing_since=row.standing_since
    )
