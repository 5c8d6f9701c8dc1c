"""Deliveries that a device reports against what the office had decided: noted at the stop, for somebody to look at."""

from datetime import datetime

from haulier.contexts.routes.events import StopDisputed
from haulier.contexts.routes.routes.contract.routes import CompleteStop
from haulier.contexts.routes.routes.queries import get_visible_route
from haulier.contexts.routes.stops.actions import keep_disputed_proof, mark_stop_disputed
from haulier.contexts.routes.stops.queries import StopRow, get_stop_rows
from haulier.contexts.routes.stops.rules import StopDispute, StopKind, StopStatus
from haulier.kernel.call import Call

PROOF_FIELDS = {"recipient", "signature_url", "photo_urls", "code"}


async def dispute_stop(call: Call, stop: StopRow, dispute: StopDispute, at: datetime) -> None:
    """Note that a stop is disputed, and tell whoever follows."""
    await mark_stop_disputed(call, stop.id, dispute)
    await call.publish(
        StopDisputed(route_id=stop.route_id, stop_id=stop.id, order_id=stop.order_id, dispute=dispute.value, at=at)
    )


async def keep_refused_delivery(call: Call, request: CompleteStop) -> None:
    """Keep the proof of a delivery that was refused because its stop was cancelled or handed over before.

    Any other stop stays as it is. Raises `NOT_FOUND` for a route that the caller may not see.
    """
    route = await get_visible_route(call, request.route_id, lock=True)
    stop = (await get_stop_rows(call, [request.stop_id])).get(request.stop_id)
    dispute = _dispute_of(stop, route.id) if stop else None
    if stop is None or dispute is None:
        return
    await keep_disputed_proof(call, stop.id, request.model_dump(include=PROOF_FIELDS), request.note)
    call.add_audit_subjects("order", stop.order_id)
    await dispute_stop(call, stop, dispute, request.occurred_at or call.now)


def _dispute_of(stop: StopRow, route_id: int) -> StopDispute | None:
    if stop.kind != StopKind.DELIVERY:
        return None
    if stop.route_id != route_id:
        return StopDispute.DELIVERED_AFTER_HAND_OVER if stop.handed_over_from == route_id else None
    return StopDispute.DELIVERED_AFTER_CANCEL if stop.status == StopStatus.CANCELLED else None
