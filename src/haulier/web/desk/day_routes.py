"""Put an order on a driver's route of its day, or on a new one."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from haulier.contexts.fleet.depots.operations import list_depots
from haulier.contexts.fleet.drivers.operations import get_drivers
from haulier.contexts.orders.delivery_orders.operations.query import get_order_detail
from haulier.contexts.routes.routes.operations.routes import add_orders_to_route, create_route, get_routes
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.acts import DeskAction
from haulier.web.desk.inputs import TypedForm
from haulier.web.desk.pages import DeskRequest, not_found, plain_answer
from haulier.web.operations_client import read_form

DRIVERS_OFFERED = 4
PLAN = "plan"
TAKES_ORDERS = (RouteStatus.ASSIGNED.value, RouteStatus.STARTED.value)


class DayRouteOffer(Struct, frozen=True, kw_only=True):
    """Drivers who can take an order on its day, or what is missing for that."""

    today: bool
    day: str
    drivers: list[dict[str, Any]]
    missing: str = ""
    """Step of the setup without which there are no routes."""


async def offer_day_route(desk: DeskRequest, order: Mapping[str, Any]) -> DayRouteOffer | None:
    """Return the drivers who can take an order, or None if it cannot be planned."""
    day = _day_of(desk, order)
    if not desk.may(create_route) or day < desk.today or PLAN not in order.get("allowed_actions", ()):
        return None
    known = await desk.read_if_allowed(get_drivers, active=True, own=True, per_page=DRIVERS_OFFERED)
    drivers = known.get("drivers") or []
    missing = "" if drivers else "drivers"
    if drivers and not (await desk.read_if_allowed(list_depots, per_page=1)).get("depots"):
        missing = "location"
    return DayRouteOffer(today=day == desk.today, day=desk.formatter.named_day(day), drivers=drivers, missing=missing)


def _day_of(desk: DeskRequest, order: Mapping[str, Any]) -> date:
    stated = order.get("scheduled_date")
    return date.fromisoformat(stated) if stated else desk.today


async def submit_day_route(desk: DeskRequest) -> Response:
    """Put an order on the route of a driver and lead back to the order."""
    form = await read_form(desk.request)
    order_id, driver_id = form.get("order_id", ""), form.get("driver_id", "")
    if not (order_id.isdecimal() and driver_id.isdecimal() and desk.session.is_genuine_form(desk.request, form)):
        return not_found(desk)
    return await go_with_driver(desk, int(order_id), int(driver_id), form.get("once"))


async def go_with_driver(desk: DeskRequest, order_id: int, driver_id: int, once: str | None = None) -> Response:
    """Put an order on the route of a driver, or show why at the form of the route."""
    shown = await desk.call(get_order_detail, {"order_id": order_id})
    if shown.error is not None:
        return not_found(desk, shown)
    route_id, result = await _add(desk, order_id, driver_id, _day_of(desk, plain_answer(shown)["order"]), once)
    answer = {} if result.error else plain_answer(result)
    if result.error is None and answer.get("result", True):
        return RedirectResponse(f"/desk/orders/{order_id}?done={add_orders_to_route.name}", 303)
    texts = {"order_ids": [str(order_id)], **({"route_id": [str(route_id)]} if route_id else {})}
    act = DeskAction(desk, add_orders_to_route, TypedForm(texts))
    problem = next((each["message"] for each in answer.get("errors", ())), None)
    return await act.page(result if result.error else None, status_code=409, notice=problem)


async def _add(
    desk: DeskRequest, order_id: int, driver_id: int, day: date, once: str | None
) -> tuple[int | None, OperationResult]:
    """Add the order to a route of the driver that takes more, or to a new one."""
    asked = {"day": day.isoformat(), "driver_id": driver_id}
    routes = (await desk.read_if_allowed(get_routes, **asked)).get("routes") or []
    open_routes = [each["id"] for each in routes if each["status"] in TAKES_ORDERS and not each["locked"]]
    if not open_routes:
        depots = (await desk.read_if_allowed(list_depots, per_page=1)).get("depots") or [{"id": 0}]
        made = await desk.call(create_route, {**asked, "depot_id": depots[0]["id"]}, idempotency_key=once)
        if made.error is not None:
            return None, made
        open_routes = [plain_answer(made)["route"]["id"]]
    return open_routes[0], await desk.call(add_orders_to_route, {"route_id": open_routes[0], "order_ids": [order_id]})
