"""A wrong PIN is counted although the delivery is refused, which undoes everything else that its call wrote."""

from haulier.contexts.driver_app.proof.contract import CompleteRiderStop
from haulier.contexts.orders.public import PIN_WRONG, check_delivery_pin, count_wrong_pin
from haulier.contexts.routes.public import get_stop_rows, get_visible_route
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.call import Call, call_as
from haulier.kernel.operations.errors import NOT_FOUND, OperationError
from haulier.kernel.request_context import RequestContext


async def count_wrong_pin_first(context: RequestContext, request: CompleteRiderStop) -> None:
    """Refuse a wrong PIN before the delivery begins, in a transaction of its own that counts it.

    A dry run compares no PIN, or it would be a way to guess one uncounted. Raises `PIN_WRONG` or `PIN_BLOCKED`.
    """
    if request.pin is None or context.dry_run:
        return
    async with context.app.database.write(context.principal.client_id) as work:
        error = await count_if_wrong(call_as(context.app, context.principal, work), request)
    if error:
        raise error


async def count_if_wrong(call: Call, request: CompleteRiderStop) -> OperationError | None:
    """Why the PIN of a delivery does not prove anything, or None. A wrong one is counted, at an open stop of the caller's."""
    order_id = await _open_order_of_stop(call, request)
    if order_id is None or request.pin is None:
        return None
    error = await check_delivery_pin(call, order_id, request.pin)
    if error and error.error_type is PIN_WRONG:
        await count_wrong_pin(call, order_id)
    return error


async def _open_order_of_stop(call: Call, request: CompleteRiderStop) -> int | None:
    stop = (await get_stop_rows(call, [request.stop_id])).get(request.stop_id)
    if stop is None or stop.route_id != request.route_id or stop.status not in OPEN:
        return None
    try:
        await get_visible_route(call, stop.route_id)
    except OperationError as error:
        if error.error_type is NOT_FOUND:
            return None
        raise
    return stop.order_id
