"""Changes to a driver's day."""

from haulier.contexts.driver_app.day import store
from haulier.contexts.driver_app.day.contract import AnswerRoute
from haulier.contexts.driver_app.day.rules import RouteAnswerValue
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.routes.public import (
    StandbyQueue,
    assign_driver,
    get_visible_route,
    notify_day_changed,
)
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_CANNOT,
    RouteAction,
    RouteStatus,
    next_route_status_or_raise,
)
from haulier.kernel.call import Call


async def accept_given_route(call: Call, driver: DriverRow, request: AnswerRoute) -> None:
    """Record that the driver accepts the route.

    A repeat, or an answer after the start, is recorded as well.
    """
    route = await get_visible_route(call, request.route_id, lock=True)
    if route.status == RouteStatus.CANCELLED:
        raise ROUTE_CANNOT(act="accept", status=route.status)
    answer = await store.get_route_answer(call.work, route.id, driver.id)
    occurred_at = request.occurred_at or call.now
    if answer is None or answer.answer != RouteAnswerValue.ACCEPTED:
        await store.upsert_route_answer(
            call.work, route.id, driver.id, RouteAnswerValue.ACCEPTED, at=occurred_at, now=call.now
        )
    call.add_audit_subjects("route", route.id)


async def return_route(call: Call, driver: DriverRow, request: AnswerRoute) -> None:
    """Return a route that has not started.

    It becomes a draft, or goes to the next driver in line. A route from the driver route board can be returned until
    its deadline by the server's clock: `occurred_at` does not count. Raises `NOT_FOUND`, `ROUTE_CANNOT` or
    `WITHDRAW_TOO_LATE`.
    """
    route = await get_visible_route(call, request.route_id, lock=True)
    next_route_status_or_raise(RouteAction.UNASSIGN_DRIVER, RouteStatus(route.status))
    standby_queue = call.adapter(StandbyQueue)
    if error := await standby_queue.check_give_back(call, route.id, driver.id):
        raise error
    occurred_at = request.occurred_at or call.now
    await store.upsert_route_answer(
        call.work, route.id, driver.id, RouteAnswerValue.DECLINED, at=occurred_at, now=call.now, reason=request.reason
    )
    await assign_driver(call, route, None)
    await standby_queue.promote_next(call, route, by_driver=True)
    call.add_audit_subjects("route", route.id)
    notify_day_changed(call, route.day)
