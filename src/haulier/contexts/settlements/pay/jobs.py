"""Event handlers that pay each stop and route once, by the rate of its day."""

from datetime import datetime

from haulier.contexts.fleet.public import DriverRow, get_driver_row, get_driver_row_by_user
from haulier.contexts.routes.events import RouteFinished, StopCompleted, StopFailed, StopReopened
from haulier.contexts.routes.public import get_route_row, get_stop_rows
from haulier.contexts.routes.stops.rules import SUCCESSFUL, UNSUCCESSFUL
from haulier.contexts.settlements.pay.actions import record_route_earnings, record_stop_earning, undo_stop_earning
from haulier.contexts.settlements.pay.queries import payee_of_driver
from haulier.contexts.settlements.pay.rules import Payee, PayeeKind
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(StopCompleted)
async def pay_completed_stop(call: Call, event: StopCompleted) -> None:
    """Pay a completed stop."""
    await _pay_stop(call, event.route_id, event.stop_id, event.order_id, failed=False, at=event.at)


@subscriber(StopFailed)
async def pay_failed_stop(call: Call, event: StopFailed) -> None:
    """Pay a failed stop if the rate covers it."""
    await _pay_stop(call, event.route_id, event.stop_id, event.order_id, failed=True, at=event.at)


@subscriber(StopReopened)
async def reverse_pay_of_undone_stop(call: Call, event: StopReopened) -> None:
    """Reverse the pay of an undone or reopened stop and pay its current result.

    An undone delivery of a finished route is paid as failed. If the driver has delivered it again, that pay is kept.
    """
    stop = (await get_stop_rows(call, [event.stop_id])).get(event.stop_id)
    route = await get_route_row(call, event.route_id)
    if stop is None or route is None:
        return
    paid = await undo_stop_earning(call, stop.id, failed_only=stop.status in SUCCESSFUL)
    if paid is not None and stop.status in UNSUCCESSFUL:
        payee = Payee(PayeeKind(paid.payee_kind), paid.payee_id)
        about = {"route_id": event.route_id, "stop_id": event.stop_id, "order_id": event.order_id}
        await record_stop_earning(call, payee, **about, day=route.day, failed=True, at=event.at)
    elif paid is not None and stop.status in SUCCESSFUL:
        await _pay_stop(call, route.id, stop.id, stop.order_id, failed=False, at=stop.ended_at or event.at)


@subscriber(RouteFinished)
async def pay_finished_route(call: Call, event: RouteFinished) -> None:
    """Pay a finished route and its planned kilometres."""
    route = await get_route_row(call, event.route_id)
    driver = await get_driver_row(call, route.driver_id) if route and route.driver_id else None
    if route is None or driver is None:
        return
    payee, metres = payee_of_driver(driver), route.planned_distance_m
    await record_route_earnings(call, payee, route_id=route.id, day=route.day, distance_m=metres, at=event.at)


async def _pay_stop(call: Call, route_id: int, stop_id: int, order_id: int, *, failed: bool, at: datetime) -> None:
    route = await get_route_row(call, route_id)
    stop = (await get_stop_rows(call, [stop_id])).get(stop_id)
    # A delivery that was undone before this job ran is not paid.
    if route is None or stop is None or stop.status not in (UNSUCCESSFUL if failed else SUCCESSFUL):
        return
    driver = await _list_crew(call, stop.ended_by, route.driver_id)
    if driver is None:
        return
    payee, about = payee_of_driver(driver), {"route_id": route_id, "stop_id": stop_id, "order_id": order_id}
    await record_stop_earning(call, payee, **about, day=route.day, failed=failed, at=at)


async def _list_crew(call: Call, ended_by: int | None, driver_id: int | None) -> DriverRow | None:
    """Return the driver who ended a stop.

    If the office reported it or the route was reassigned, return the current driver.
    """
    reporter = await get_driver_row_by_user(call, ended_by) if ended_by else None
    return reporter or (await get_driver_row(call, driver_id) if driver_id else None)
