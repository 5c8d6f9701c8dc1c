"""The day as the rules see it, read in as many statements for two hundred routes as for one."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.dispatch.depots import store as depot_store
from haulier.contexts.dispatch.observed.rules.seen import RouteSeen, Seen, StopSeen
from haulier.contexts.dispatch.riders.store import answers, positions
from haulier.contexts.dispatch.routes.rules.geofence import place_of_stop
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import StopKind, StopStatus
from haulier.contexts.orders.public import OrderFacts, facts
from haulier.kernel.call import Call


async def routes_seen(call: Call, rows: Sequence[Any]) -> list[RouteSeen]:
    """Routes with their stops, their drivers' newest positions, and when they were declined last."""
    ids = [row.id for row in rows]
    stops, _ = await stops_seen(call, ids)
    depots = await depot_store.some(call.work, {row.depot_id for row in rows})
    latest = await positions.latest(call.work, {row.driver_id for row in rows if row.driver_id})
    declined = {
        said.route_id: said.at for said in await answers.of_routes(call.work, ids) if said.answer == answers.DECLINED
    }
    return [
        RouteSeen(
            id=row.id,
            status=RouteStatus(row.status),
            driver_id=row.driver_id,
            depot=(depots[row.depot_id].lat, depots[row.depot_id].lng) if row.depot_id in depots else None,
            planned_start_at=row.planned_start_at,
            declined_at=declined.get(row.id),
            stops=stops[row.id],
            seen=seen(latest.get(row.driver_id)),
        )
        for row in rows
    ]


async def stops_seen(
    call: Call, route_ids: Collection[int]
) -> tuple[Mapping[int, list[StopSeen]], Mapping[int, OrderFacts]]:
    """The stops of these routes, in the order of visit, and their orders."""
    rows = await stop_store.of_routes(call.work, route_ids)
    orders = await facts(call, {row.order_id for row in rows}) if rows else {}
    found: defaultdict[int, list[StopSeen]] = defaultdict(list)
    for row in rows:
        order, kind = orders.get(row.order_id), StopKind(row.kind)
        at_its_window = order is not None and not (order.type == "P2P" and kind is StopKind.PICKUP)
        found[row.route_id].append(
            StopSeen(
                id=row.id,
                order_id=row.order_id,
                kind=kind,
                status=StopStatus(row.status),
                place=place_of_stop(kind, order),
                planned_arrival_at=row.planned_arrival_at,
                window_end=order.window_end if order and at_its_window else None,
                arrived_at=row.arrived_at,
                ended_at=row.ended_at,
            )
        )
    return found, orders


def seen(row: Any) -> Seen | None:
    """A newest position as the rules see it."""
    return row and Seen(occurred_at=row.occurred_at, place=(row.lat, row.lng), standing_since=row.standing_since)
