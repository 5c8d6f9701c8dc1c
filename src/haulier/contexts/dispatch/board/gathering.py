"""What is known of routes that are to be reckoned through, in a number of statements that does not grow with them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.dispatch.board.rules.judging import PlanRule, task
from haulier.contexts.dispatch.depots import store as depot_store
from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.planning.asking import CREWS_MOST
from haulier.contexts.dispatch.planning.rules.crewing import Seat, Yard, crew, seats
from haulier.contexts.dispatch.planning.rules.demanding import NO_LOAD, Taking, demand
from haulier.contexts.dispatch.planning.rules.hours import hours, worked
from haulier.contexts.dispatch.planning.rules.modelling import located
from haulier.contexts.dispatch.planning.rules.question import Crew, Question
from haulier.contexts.dispatch.planning.rules.roads import aboard_of, standings, whereabouts
from haulier.contexts.dispatch.planning.rules.states import Current
from haulier.contexts.dispatch.planning.rules.zones import drives_there
from haulier.contexts.dispatch.planning.yard import planner_of, yard_of
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import OPEN, StopKind
from haulier.contexts.orders.public import OrderFacts, facts, loads
from haulier.kernel.call import Call
from haulier.solvers.routing.problem import Task

ANY_HOURS_S = 7 * 86_400


class Known(Struct, frozen=True, kw_only=True):
    """The stops of some routes of a day, in the order of visit by route, their orders and loads, and who drives."""

    rows: Mapping[int, Any]
    stops: Mapping[int, Sequence[Any]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, Any]
    depots: Mapping[int, Any]
    yard: Yard | None
    seats: Mapping[int, Seat]


class Nobody(Struct, frozen=True):
    """Who drives a route that has no driver yet: somebody who can do everything."""

    id: int = 0
    contractor_id: int | None = None
    skills: tuple[str, ...] = ()


class Case(Struct, frozen=True, kw_only=True):
    """One route as a question to the solver, the tasks in order, and the stop of each task.

    `lost` are stops without a place, `outside` those that are not in the zones of the driver.
    """

    route_id: int
    question: Question
    tasks: tuple[Task, ...]
    stop_ids: Mapping[Task, int]
    lost: tuple[int, ...]
    outside: tuple[int, ...]
    off: bool
    manned: bool


async def known_of(call: Call, rows: Mapping[int, Any]) -> Known:
    """Everything about these routes, which are of one day."""
    stops: dict[int, list[Any]] = {route_id: [] for route_id in rows}
    for stop in await stop_store.of_routes(call.work, list(rows)):
        stops[stop.route_id].append(stop)
    order_ids = {stop.order_id for each in stops.values() for stop in each}
    orders = await facts(call, order_ids) if order_ids else {}
    taken_up = await loads(call, order_ids)
    yard = await _yard(call, rows)
    return Known(
        rows=rows,
        stops=stops,
        orders=orders,
        loads=taken_up,
        depots=await depot_store.some(call.work, {row.depot_id for row in rows.values()}),
        yard=yard,
        seats={seat.driver.id: seat for seat in seats(yard, Current.REBUILD)} if yard else {},
    )


async def _yard(call: Call, rows: Mapping[int, Any]) -> Yard | None:
    """All drivers, because who has no vehicle of their own gets one that is left by the others."""
    if not rows:
        return None
    planner_id = planner_of(call)
    owner = {"own": True} if planner_id is None else {"contractor": planner_id}
    page, _ = await driver_store.page(call.work, {**owner, "enabled": True}, limit=CREWS_MOST, offset=0)
    ids = {row.id for row in page} | {row.driver_id for row in rows.values() if row.driver_id}
    day = next(iter(rows.values())).day
    yard = await yard_of(call, day, driver_ids=sorted(ids))
    over = day < call.now.astimezone(call.time_zone).date()
    return replace(yard, now=call.now - timedelta(days=366)) if over else yard


def case_of(known: Known, route_id: int, sequence: Sequence[Any]) -> Case:
    """A route whose open stops are visited in this order; those that are over say where its driver is."""
    assert known.yard is not None
    seat, off = _seat(known, known.rows[route_id])
    waiting = [stop for stop in sequence if stop.status in OPEN]
    demands = [
        demand(
            known.orders[order_id],
            known.loads[order_id],
            Taking(),
            collected=all(stop.kind != StopKind.PICKUP for stop in waiting if stop.order_id == order_id),
        )
        for order_id in dict.fromkeys(stop.order_id for stop in waiting)
        if order_id in known.orders and order_id in known.loads
    ]
    placed = {each.order_id for each in demands if located(each)}
    found = {task(stop.order_id, stop.kind): stop.id for stop in waiting if stop.order_id in placed}
    return Case(
        route_id=route_id,
        question=Question(
            day=known.yard.day.isoformat(),
            planner_id=None,
            demands=tuple(each for each in demands if each.order_id in placed),
            crews=(_crew(known, route_id, seat),),
            worked=worked([seat.hours[0]] if seat.hours else [], known.yard.zone),
        ),
        tasks=tuple(found),
        stop_ids=found,
        lost=tuple(stop.id for stop in waiting if stop.order_id not in placed),
        outside=_outside(known, seat, waiting),
        off=off,
        manned=seat.driver.id != 0,
    )


def _outside(known: Known, seat: Seat, waiting: Sequence[Any]) -> tuple[int, ...]:
    """The last stop of each order whose destination is in none of the driver's zones."""
    zones = seat.profile.zones if seat.profile else ()
    last = {stop.order_id: stop.id for stop in waiting if stop.order_id in known.orders}
    orders = ((known.orders[order_id], stop_id) for order_id, stop_id in last.items())
    return tuple(
        stop_id
        for order, stop_id in orders
        if order.lat is not None
        and order.lng is not None
        and not drives_there(zones, (order.lat, order.lng), order.postal_code)
    )


def _seat(known: Known, route: Any) -> tuple[Seat, bool]:
    """Who drives the route, with hours in any case, and whether it is their day off."""
    assert known.yard is not None
    driving = known.seats.get(route.driver_id)
    seat = driving or Seat(driver=Nobody(contractor_id=route.contractor_id), profile=None)
    usual = hours((), known.yard.day, known.yard.zone)
    found = replace(seat, hours=seat.hours or usual, depot=known.depots[route.depot_id], route=route)
    return found, driving is not None and driving.hours is None


def _crew(known: Known, route_id: int, seat: Seat) -> Crew:
    """The crew of a route, without what it has to do: that is what is asked about."""
    assert known.yard is not None
    row, stops = known.rows[route_id], known.stops[route_id]
    under_way = row.status == RouteStatus.STARTED
    standing = standings(row, stops, Current.REBUILD)
    aboard = aboard_of(stops, known.orders, known.loads) if under_way else NO_LOAD
    where = whereabouts(stops, known.orders, known.loads)
    found = crew(known.yard, seat, standing, loading_s=0, where=where, aboard=aboard)
    shift = found.shift if row.driver_id else _any_hours(found.shift, row)
    return replace(found, route=None, shift=shift)


def _any_hours(shift: tuple[int, int], row: Any) -> tuple[int, int]:
    """Without a driver there is no closing time, and the route leaves when it is to leave."""
    start = max(shift[0], int(row.planned_start_at.timestamp())) if row.planned_start_at else shift[0]
    return start, start + ANY_HOURS_S


def besides(case: Case) -> list[tuple[PlanRule, int | None]]:
    """What stands against a route before its clock runs: stops without a place or out of zone, a driver who does not work."""
    lost: list[tuple[PlanRule, int | None]] = [(PlanRule.NO_PLACE, stop_id) for stop_id in case.lost]
    outside: list[tuple[PlanRule, int | None]] = [(PlanRule.ZONE, stop_id) for stop_id in case.outside]
    return [*lost, *outside, *([(PlanRule.DAY_OFF, None)] if case.off else [])]
