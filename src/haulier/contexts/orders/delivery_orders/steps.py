"""Taking steps of the life cycle: who did what and when is written, the status follows, and tracking hears of it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.pieces import Piece, tracked
from haulier.contexts.orders.delivery_orders.rules import lifecycle
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, Step
from haulier.contexts.orders.events import OrderCancelled, OrderHeld, OrderReleased, OrderStatusChanged
from haulier.contexts.tracking.public import Actor, Happening, IncidentReason, Location, ProofOfDelivery, Source, record
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.errors import NOT_FOUND, Refusal
from haulier.kernel.events import Event

OURSELVES = Source(type="self_delivery")
_NEWS: dict[Step, type[Event]] = {
    Step.HOLD: OrderHeld,
    Step.RELEASE: OrderReleased,
    Step.CANCEL: OrderCancelled,
}


async def take(
    call: Call,
    step: Step,
    order_ids: Collection[int],
    *,
    at: datetime | None = None,
    reason: IncidentReason | None = None,
    pod: ProofOfDelivery | None = None,
    location: Location | None = None,
    note: str | None = None,
    extensions: Mapping[str, Any] | None = None,
    source: Source = OURSELVES,
) -> dict[int, Refusal]:
    """Take a step with every order that can; returns why for each that cannot. A constant number of statements.

    `at` is when it happened (a driver's clock); what was written when is the call's own time. `extensions` go into the
    tracking events as they are; `source` says there whose word it is, when not the client's own.
    """
    rows = {row.id: row for row in await store.some(call.work, order_ids, lock=True)}
    refused: dict[int, Refusal] = {id: NOT_FOUND() for id in order_ids if id not in rows}
    moving: list[Any] = []
    for row in rows.values():
        try:
            lifecycle.after(step, OrderStatus(row.status))
            moving.append(row)
        except Refusal as refusal:
            refused[row.id] = refusal
    if moving:
        await _move(call, step, moving, at or call.now, reason, note)
        await _tell(call, step, moving, at or call.now, reason, pod, location, extensions, source)
    return refused


async def _move(
    call: Call, step: Step, rows: Sequence[Any], at: datetime, reason: IncidentReason | None, note: str | None
) -> None:
    end = lifecycle.TABLE[step].end
    await store.set_status(call.work, [row.id for row in rows], end, call.now)
    changes = [
        {
            "order_id": row.id,
            "step": step.value,
            "status": end.value,
            "at": at,
            "recorded_at": call.now,
            "by_user_id": call.actor,
            "reason": (note or (reason.code if reason else None)),
        }
        for row in rows
    ]
    await store.add_changes(call.work, changes)
    call.concerns("order", *(row.id for row in rows))


AT_THE_DOOR = {Step.DELIVER, Step.FAIL, Step.REJECT}


async def _tell(
    call: Call,
    step: Step,
    rows: Sequence[Any],
    at: datetime,
    reason: IncidentReason | None,
    pod: ProofOfDelivery | None,
    location: Location | None,
    extensions: Mapping[str, Any] | None,
    source: Source,
) -> None:
    by_id = {row.id: row for row in rows}
    happenings = [
        Happening(
            tracking_number=piece.tracking_number,
            status_code=lifecycle.status_code(step, row.type, OrderStatus(row.status)),
            occurred_at=at,
            order_id=row.id,
            package_id=piece.id,
            order_ref=row.order_ref,
            incident_reason=reason,
            pod=pod,
            location=location or _door(step, row),
            actor=_actor(call) if source is OURSELVES else None,
            source=source,
            extensions=extensions,
        )
        for piece in tracked(by_id, await _pieces(call, rows))
        for row in [by_id[piece.order_id]]
    ]
    await record(call, happenings)
    for row in rows:
        status = lifecycle.TABLE[step].end.name
        await call.announce(OrderStatusChanged(order_id=row.id, step=step.value, status=status))
        if news := _NEWS.get(step):
            await call.announce(news(order_id=row.id))  # type: ignore[call-arg]


def _door(step: Step, row: Any) -> Location | None:
    """Where a step must have happened that happens at the stop: its address, for want of anything more exact."""
    if step not in AT_THE_DOOR:
        return None
    whole = (row.shipper if row.type == "P" else row.consignee) or {}
    said = {name: whole.get(name) for name in ("address", "city", "region", "country", "postal_code", "lat", "lng")}
    return Location(**{name: value for name, value in said.items() if value is not None})


async def _pieces(call: Call, rows: Sequence[Any]) -> list[Piece]:
    several = [row.id for row in rows if row.package_count > 1]
    found = await store.packages_of(call.work, several) if several else []
    return [Piece(each.id, each.order_id, each.tracking_number) for each in found]


def _actor(call: Call) -> Actor:
    kind = "driver" if call.principal.account is Account.DRIVER else "user" if call.actor else "system"
    return Actor(type=kind, id=str(call.actor)) if call.actor else Actor(type=kind)
