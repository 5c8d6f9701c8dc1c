"""Routes are created, and their columns changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.fleet.public import get_depot_row
from haulier.contexts.routes.events import RouteAssigned, RouteCreated
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.driver_assignment import get_assignable_driver
from haulier.contexts.routes.routes.contract.routes import CreateRoute, RouteAnswer
from haulier.contexts.routes.routes.notifications import notify_day_changed
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


async def create_route(call: Call, request: CreateRoute) -> RouteAnswer:
    """Create a route without orders, of the contractor who calls, else of the client itself. Raises `INVALID_REQUEST`."""
    contractor_id = call.actor if call.principal.account is Account.CONTRACTOR else None
    depot = await get_depot_row(call, request.depot_id)
    if depot is None or depot.closed:
        raise INVALID_REQUEST.for_fields(FieldError("depot_id", "field.depot_unknown"))
    if request.driver_id is not None:
        await get_assignable_driver(call, request.driver_id, contractor_id)
    route_id = await store.insert_route(
        call.work,
        **request.model_dump(),
        contractor_id=contractor_id,
        status=RouteStatus.ASSIGNED if request.driver_id else RouteStatus.DRAFT,
        created_by=call.actor,
        created_at=call.now,
    )
    call.add_audit_subjects("route", route_id)
    notify_day_changed(call, request.day)
    await call.publish(RouteCreated(route_id=route_id, day=request.day, contractor_id=contractor_id))
    if request.driver_id is not None:
        await call.publish(RouteAssigned(route_id=route_id, driver_id=request.driver_id))
    return RouteAnswer(route=await load_route_detail(call, route_id))


async def insert_routes(call: Call, rows: Sequence[Mapping[str, Any]], *, published: bool = True) -> list[int]:
    """Write routes that all have the same columns. Returns their ids in the order of the rows."""
    return await store.insert_routes(call.work, rows, published=published)


async def update_route(call: Call, route_id: int, **values: Any) -> None:
    """Change columns of a route and raise its version by one."""
    await store.update_route(call.work, route_id, **values)
