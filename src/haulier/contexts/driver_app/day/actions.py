"""Changes to a driver's day."""

from typing import Any

from haulier.contexts.driver_app.day import store as answers
from haulier.contexts.driver_app.day.contract import AnswerRoute
from haulier.contexts.orders.public import (
    assign_orders_to_driver,
)
from haulier.contexts.routes.events import RouteAssigned
from haulier.contexts.routes.ports import StandbyQueue
from haulier.contexts.routes.routes import store as route_store
from haulier.contexts.routes.routes.notifications import notify_day_changed
from haulier.contexts.routes.routes.queries import get_visible_route
from haulier.contexts.routes.routes.rules.event_time import resolve_event_time
from haulier.contexts.routes.routes.rules.state_machine import (
    ROUTE_CANNOT,
    RouteAction,
    RouteStatus,
    next_route_status_or_raise,
)
from haulier.contexts.routes.stops import store as stop_store
from haulier.kernel.call import Call


async def accept_given_route(call: Call, driver: Any, request: AnswerRoute) -> None:
    """Note that the driver will drive the route. Said again, or after the start, it is noted all the same."""
    route = await get_visible_route(call, request.route_id, lock=True)
    if route.status == RouteStatus.CANCELLED:
        raise ROUTE_CANNOT(act="accept", status=route.status)
    said = await answers.get_route_answer(call.work, route.id, driver.id)
    at = resolve_event_time(request.occurred_at, call.now)
    if said is None or said.answer != answers.ACCEPTED:
        await answers.upsert_route_answer(call.work, route.id, driver.id, answers.ACCEPTED, at=at, now=call.now)
    call.add_audit_subjects("route", route.id)


async def give_back_route(call: Call, driver: Any, request: AnswerRoute) -> None:
    """Give a route back that has not started: it is a draft again, or the next driver's in line for it.

    One from the driver route board only until its deadline. That is by our clock, and not by what a device says of the time.
    """
    route = await get_visible_route(call, request.route_id, lock=True)
    reached = next_route_status_or_raise(RouteAction.UNASSIGN_DRIVER, RouteStatus(route.status))
    if refusal := await call.adapter(StandbyQueue).check_give_back(call, route.id, driver.id):
        raise refusal
    at = resolve_event_time(request.occurred_at, call.now)
    await answers.upsert_route_answer(
        call.work, route.id, driver.id, answers.DECLINED, at=at, now=call.now, reason=request.reason
    )
    await route_store.update_route(call.work, route.id, driver_id=None, status=reached)
    stops = await stop_store.list_stops_of_routes(call.work, [route.id])
    await assign_orders_to_driver(call, sorted({stop.order_id for stop in stops}), None)
    await call.adapter(StandbyQueue).promote_next(call, route, by_driver=True)
    call.add_audit_subjects("route", route.id)
    notify_day_changed(call, route.day)
    await call.publish(RouteAssigned(route_id=route.id, driver_id=None))
