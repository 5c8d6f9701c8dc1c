"""The day as the rules see it, read in as many statements for two hundred routes as for one."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.dispatch.monitoring.rules.progress import LastPosition, MonitoredRoute, MonitoredStop
from haulier.contexts.driver_app.day import store as answers
from haulier.contexts.driver_app.positions import store as positions
from haulier.contexts.fleet.depots import store as depot_store
from haulier.contexts.orders.public import OrderFacts, get_order_facts
from haulier.contexts.routes.routes.rules.geofence import locate_stop
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops import store as stop_store
from haulier.contexts.routes.stops.rules import StopKind, StopStatus
from haulier.kernel.call import Call


async def load_monitored_routes(call: Call, rows: Sequence[Any]) -> list[MonitoredRoute]:
    """Routes with their stops, their drivers' newest positions, and when they were declined last."""
    ids = [row.id for row in rows]
    stops, _ = await load_monitored_stops(call, ids)
    depots = await depot_store.get_depot_rows(call.work, {row.depot_id for row in rows})
    latest = await positions.get_latest_positions(call.work, {row.driver_id for row in rows if row.driver_id})
    declined = {
        said.route_id: said.at
        for said in await answers.list_route_answers(call.work, ids)
        if said.answer == answers.DECLINED
    }
    return [
        MonitoredRoute(
            id=row.id,
            status=RouteStatus(row.status),
            driver_id=row.driver_id,
            depot=(depots[row.depot_id].lat, depots[row.depot_id].lng) if row.depot_id in depots else None,
            planned_start_at=row.planned_start_at,
            declined_at=declined.get(row.id),
            stops=stops[row.id],
            seen=to_last_position(latest.get(row.driver_id)),
        )
        for row in rows
    ]


async def load_monitored_stops(
    call: Call, route_ids: Collection[int]
) -> tuple[Mapping[int, list[MonitoredStop]], Mapping[int, OrderFacts]]:
    """The stops of these routes, in the order of visit, and their orders."""
    rows = await stop_store.list_stops_of_routes(call.work, route_ids)
    orders = await get_order_facts(call, {row.order_id for row in rows}) if rows else {}
    found: defaultdict[int, list[MonitoredStop]] = defaultdict(list)
    for row in rows:
        order, kind = orders.get(row.order_id), StopKind(row.kind)
        at_its_window = order is not None and not (order.type == "P2P" and kind is StopKind.PICKUP)
        found[row.route_id].append(
            MonitoredStop(
                id=row.id,
                order_id=row.order_id,
                kind=kind,
                status=StopStatus(row.status),
                place=locate_stop(kind, order),
                planned_arrival_at=row.planned_arrival_at,
                window_end=order.window_end if order and at_its_window else None,
                arrived_at=row.arrived_at,
                ended_at=row.ended_at,
            )
        )
    return found, orders


def to_last_position(row: Any) -> LastPosition | None:
    """A newest position as the rules see it."""
    return row and LastPosition(
        occurred_at=row.occurred_at, place=(row.lat, row.lng), standing_since=row.standing_since
    )
