"""Announcing a parcel: it may be under way, or here, already."""

from datetime import timedelta
from typing import Any

from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.actions.matches import MatchedBy, match_parcel
from haulier.contexts.consolidation.inbound_parcels.contract import CreatePreAlert
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import (
    PRE_ALERT_NUMBER_TAKEN,
    InboundState,
    poll_pause,
)
from haulier.contexts.consolidation.inbound_parcels.rules.work import POLL_JOB, PollInboundParcel
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.tracking.public import make_number_key, set_tracking_viewers
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry


async def announce_parcel(call: Call, customer_id: int, request: CreatePreAlert) -> tuple[InboundParcelRow, bool]:
    """Announce a parcel of a customer. Returns it, and whether it was announced before.

    One that is known and nobody's becomes theirs. Raises `PRE_ALERT_NUMBER_TAKEN` where it is somebody else's.
    """
    told = request.model_dump(exclude={"tracking_number", "customer_id"}) | {"announced_at": call.now}
    key = make_number_key(request.tracking_number)
    new = {
        **told,
        "tracking_number": request.tracking_number,
        "number_key": key,
        "customer_id": customer_id,
        "matched_by": MatchedBy.ANNOUNCED.value,
        "state": InboundState.EXPECTED.value,
        "created_at": call.now,
        "updated_at": call.now,
    }
    written = await store.insert_parcels(call.work, [new])
    if written:
        await set_tracking_viewers(call, tracking_numbers=[request.tracking_number], customer_id=customer_id)
        await poll_from_now_on(call, written[0])
        return written[0], False
    row = (await store.list_parcels_of_keys(call.work, [key], lock=True)).get(key)
    if row is None:
        raise TransactionRetry
    return await _announce_known(call, row, customer_id, told)


async def _announce_known(
    call: Call, row: InboundParcelRow, customer_id: int, told: dict[str, Any]
) -> tuple[InboundParcelRow, bool]:
    if row.customer_id not in (None, customer_id):
        raise PRE_ALERT_NUMBER_TAKEN(tracking_number=row.tracking_number)
    if row.customer_id == customer_id:
        return row, True
    told = {**told, "carrier": told["carrier"] or row.carrier}
    matched = await match_parcel(call, row, customer_id, MatchedBy.NUMBER, **told)
    await poll_from_now_on(call, matched)
    return matched, False


async def poll_from_now_on(call: Call, row: InboundParcelRow) -> None:
    """Ask the carrier of a parcel that is still to come for scans, from time to time."""
    if row.carrier and row.state in (InboundState.EXPECTED, InboundState.IN_TRANSIT):
        await call.enqueue(POLL_JOB, PollInboundParcel(row.id), run_at=call.now + poll_pause(timedelta()))
