"""Parcels become part of a ship-out, leave it, or leave with it: for the context that makes ship-outs."""

from collections.abc import Collection, Sequence

from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import INBOUND_LIFE, InboundState, InboundStep
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def require_parcels_for_ship_out(
    call: Call, parcel_ids: Collection[int], *, customer_id: int, lock: bool = False
) -> Sequence[InboundParcelRow]:
    """Parcels of a customer that are here and free. Raises `NOT_FOUND` for those of others, and `INBOUND_STEP_REFUSED`."""
    rows = await store.list_parcels_of_ids(call.work, parcel_ids, lock=lock)
    for parcel_id in parcel_ids:
        if parcel_id not in rows or rows[parcel_id].customer_id != customer_id:
            raise record_not_found(inbound_parcel_id=parcel_id)
    for row in rows.values():
        INBOUND_LIFE.next_status_or_raise(InboundStep.CONSOLIDATE, InboundState(row.state))
    return list(rows.values())


async def add_to_ship_out(
    call: Call, parcel_ids: Collection[int], *, customer_id: int, ship_out_id: int
) -> Sequence[InboundParcelRow]:
    """Let parcels of a customer be part of a ship-out: all of them, or none. Returns them as they were, locked.

    Those that are part of this very ship-out stay in it. Raises `NOT_FOUND` for parcels of others, and
    `INBOUND_STEP_REFUSED` for those that are not here or part of another ship-out.
    """
    rows = await store.list_parcels_of_ids(call.work, parcel_ids, lock=True)
    for parcel_id in parcel_ids:
        if parcel_id not in rows or rows[parcel_id].customer_id != customer_id:
            raise record_not_found(parcel_id=parcel_id)
    new = [row for row in rows.values() if row.ship_out_id != ship_out_id]
    for row in new:
        INBOUND_LIFE.next_status_or_raise(InboundStep.CONSOLIDATE, InboundState(row.state))
    changes = {"state": InboundState.CONSOLIDATED.value, "ship_out_id": ship_out_id, "updated_at": call.now}
    await store.update_parcels(call.work, [row.id for row in new], changes)
    return list(rows.values())


async def take_out_of_ship_out(call: Call, ship_out_id: int, parcel_ids: Collection[int] | None = None) -> int:
    """Let parcels of a ship-out be free again, such as when it is cancelled: those named, or all. Returns how many."""
    return await _step(call, InboundStep.TAKE_OUT, ship_out_id, parcel_ids, {"ship_out_id": None})


async def leave_with_ship_out(call: Call, ship_out_id: int) -> int:
    """Record that a ship-out left with its parcels. Harmless to repeat. Returns how many left now."""
    return await _step(call, InboundStep.SHIP, ship_out_id, None, {})


async def _step(
    call: Call, step: InboundStep, ship_out_id: int, parcel_ids: Collection[int] | None, changes: dict[str, None]
) -> int:
    rows = await store.list_parcels_of_ship_out(call.work, ship_out_id, lock=True)
    able = [
        row.id
        for row in rows
        if (parcel_ids is None or row.id in parcel_ids) and INBOUND_LIFE.next_status(step, InboundState(row.state))
    ]
    reached = INBOUND_LIFE.transitions[step][InboundState.CONSOLIDATED]
    await store.update_parcels(call.work, able, {**changes, "state": reached.value, "updated_at": call.now})
    return len(able)
