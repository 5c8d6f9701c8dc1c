"""Stops of a route under way go to another driver and vehicle, with the goods that are aboard for them."""

from collections.abc import Sequence

from haulier.contexts.fleet.public import DriverRow, require_driver_documents
from haulier.contexts.orders.public import OrderStep, apply_order_transition, assign_orders_to_driver
from haulier.contexts.routes.events import RouteAssigned, RouteCreated, RouteStarted, StopsHandedOver
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.driver_assignment import get_assignable_driver
from haulier.contexts.routes.routes.actions.route_orders import (
    ROUTE_FULL,
    UNKNOWN_PLAN_END,
    get_informed_driver_user_id,
)
from haulier.contexts.routes.routes.contract.emergencies import HandOverStops
from haulier.contexts.routes.routes.contract.routes import STOPS_MAX
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.queries import lock_routes_for_actions, to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.progress import stops_to_hand_over
from haulier.contexts.routes.routes.rules.sequence import (
    ROUTE_ON_THE_ROAD,
    STOP_STAYS,
    check_routes_match,
    check_stops_on_route,
)
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.actions import detach_stops, hand_over_stops, renumber_stops
from haulier.contexts.routes.stops.queries import StopRow, list_stops_of_routes
from haulier.contexts.routes.stops.rules import StopCancelReason, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error

NOTHING_TO_HAND_OVER = declare_error("nothing_to_hand_over", 409)


async def hand_over(call: Call, request: HandOverStops) -> tuple[int, int]:
    """Hand stops over. Returns the ids of the route that takes them over and of the one that they come from.

    Raises `NOT_FOUND`, `ROUTE_CHANGED`, `ROUTE_CANNOT`, `STOP_NOT_ON_ROUTE`, `STOP_STAYS`, `NOTHING_TO_HAND_OVER`,
    `ROUTES_DO_NOT_MATCH`, `ROUTE_ON_THE_ROAD`, `ROUTE_FULL`, `DRIVER_DOCUMENTS_NOT_IN_ORDER` or `INVALID_REQUEST`.
    """
    ids = [request.route_id, *([request.to_route_id] if request.to_route_id else [])]
    rows = await lock_routes_for_actions(
        call, dict.fromkeys(ids, RouteAction.HAND_OVER), {request.route_id: request.expected_version}
    )
    source = rows[request.route_id]
    stops = await list_stops_of_routes(call, [source.id])
    leaving = _stops_that_leave(stops, request.stop_ids)
    if request.to_route_id:
        target = _require_taking_route(source, rows[request.to_route_id])
    else:
        target = await _start_sibling_route(call, source, request.driver_id or 0)
    await _transfer(call, source, target, stops, leaving)
    order_ids = sorted({stop.order_id for stop in leaving})
    await _tell_orders(call, source, target, order_ids, request.reason)
    mark_routes_changed(call, source, target)
    await call.publish(
        StopsHandedOver(
            route_id=target.id,
            from_route_id=source.id,
            driver_id=target.driver_id,
            from_driver_id=source.driver_id,
            order_ids=tuple(order_ids),
            at=call.now,
        )
    )
    return target.id, source.id


def _stops_that_leave(stops: Sequence[StopRow], chosen: Sequence[int] | None) -> list[StopRow]:
    """The stops that go: all that can, or the chosen ones with the other stops of their orders."""
    states = to_stop_states(stops)
    movable = {stop.id for stop in stops_to_hand_over(states)}
    if chosen is not None:
        if error := check_stops_on_route(chosen, {stop.id for stop in stops}):
            raise error
        if staying := [id for id in chosen if id not in movable]:
            raise STOP_STAYS(stop_id=staying[0])
        orders = {stop.order_id for stop in stops if stop.id in chosen}
        movable = {stop.id for stop in stops if stop.id in movable and stop.order_id in orders}
    if not movable:
        raise NOTHING_TO_HAND_OVER()
    return [stop for stop in stops if stop.id in movable]


def _require_taking_route(source: RouteRow, target: RouteRow) -> RouteRow:
    """The route that takes stops over: another one, under way, of the same day and planner. Raises why it cannot."""
    if target.id == source.id:
        raise INVALID_REQUEST.for_fields(FieldError("to_route_id", "field.route_itself"))
    if target.status != RouteStatus.STARTED:
        raise ROUTE_ON_THE_ROAD()
    if error := check_routes_match(to_route_state(source), to_route_state(target)):
        raise error
    return target


async def _start_sibling_route(call: Call, source: RouteRow, driver_id: int) -> RouteRow:
    """A route of the same day and depot for another driver, under way from now on. Returns its row, without stops."""
    driver: DriverRow = await get_assignable_driver(call, driver_id, source.contractor_id)
    if driver.id == source.driver_id:
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.driver_the_same"))
    await require_driver_documents(call, driver.id)
    route_id = await store.insert_route(
        call.work,
        name=source.name,
        day=source.day,
        depot_id=source.depot_id,
        driver_id=driver.id,
        contractor_id=source.contractor_id,
        status=RouteStatus.STARTED,
        started_at=call.now,
        started_recorded_at=call.now,
        created_by=call.actor,
        created_at=call.now,
    )
    await call.publish(RouteCreated(route_id=route_id, day=source.day, contractor_id=source.contractor_id))
    await call.publish(RouteAssigned(route_id=route_id, driver_id=driver.id))
    await call.publish(RouteStarted(route_id=route_id, driver_id=driver.id, at=call.now))
    return (await store.get_route_rows(call.work, [route_id]))[route_id]


async def _transfer(
    call: Call, source: RouteRow, target: RouteRow, stops: Sequence[StopRow], leaving: Sequence[StopRow]
) -> None:
    """Put stops behind those of the target. Pickups that are done stay as history, with the driver who made them."""
    there = [stop.id for stop in await list_stops_of_routes(call, [target.id])]
    if len(there) + len(leaving) > STOPS_MAX:
        raise ROUTE_FULL(most=STOPS_MAX)
    leaving_ids = [stop.id for stop in leaving]
    still_failed = [
        stop.id
        for stop in leaving
        if stop.status == StopStatus.FAILED or stop.reason == StopCancelReason.ORDER_CANCELLED
    ]
    await hand_over_stops(call, target.id, source.id, leaving_ids, over=still_failed)
    orders = {stop.order_id for stop in leaving}
    await detach_stops(call, [stop.id for stop in stops if stop.order_id in orders and stop.id not in leaving_ids])
    await renumber_stops(call, [*there, *leaving_ids], [stop.id for stop in stops if stop.id not in leaving_ids])
    await store.update_routes(call.work, [source.id, target.id], **UNKNOWN_PLAN_END)


async def _tell_orders(
    call: Call, source: RouteRow, target: RouteRow, order_ids: Sequence[int], reason: str | None
) -> None:
    """Write into the orders' timelines that another driver has them, and share them with that driver."""
    between = {"from_route_id": source.id, "to_route_id": target.id}
    # Why: errors of single orders are not raised. One that failed, was cancelled, or waits at the depot takes no step.
    await apply_order_transition(call, OrderStep.HAND_OVER, order_ids, note=reason, extensions={"hand_over": between})
    await assign_orders_to_driver(call, order_ids, get_informed_driver_user_id(target), target.driver_id)
    call.add_audit_subjects("order", *order_ids)
