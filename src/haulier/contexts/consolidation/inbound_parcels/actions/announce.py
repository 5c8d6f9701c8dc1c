"""Announcing a parcel, which may be under way or here already."""

from datetime import timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.consolidation.claims.actions import open_claim
from haulier.contexts.consolidation.claims.queries import InboundClaimRow
from haulier.contexts.consolidation.claims.rules import ClaimState
from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.actions.matches import MatchedBy, match_parcel
from haulier.contexts.consolidation.inbound_parcels.contract import CreatePreAlert
from haulier.contexts.consolidation.inbound_parcels.queries import can_announce
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import (
    PRE_ALERT_NUMBER_TAKEN,
    UNDER_WAY_STATES,
    InboundState,
    poll_pause,
)
from haulier.contexts.consolidation.inbound_parcels.rules.work import POLL_JOB, PollInboundParcel
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.tracking.public import make_number_key, set_number_owner
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.operations.enums import Account


class AnnouncedParcel(Struct, frozen=True):
    """An announced parcel. `claim` waits for the office when the parcel arrived first."""

    row: InboundParcelRow
    existing: bool = False
    claim: InboundClaimRow | None = None


async def announce_parcel(call: Call, customer_id: int, request: CreatePreAlert) -> AnnouncedParcel:
    """Announce a parcel of a customer.

    A parcel under way without an owner becomes theirs. A customer only claims one that has arrived. Raises
    `PRE_ALERT_NUMBER_TAKEN` for numbers of other customers and of the business's own orders and shipments.
    """
    told = request.model_dump(exclude={"tracking_number", "customer_id"}) | {"announced_at": call.now}
    key = make_number_key(request.tracking_number)
    row = (await store.list_parcels_of_keys(call.work, [key], lock=True)).get(key)
    if row is not None and row.customer_id == customer_id:
        return AnnouncedParcel(row, existing=True)
    taken = row is not None and row.customer_id is not None
    if taken or not await can_announce(call.work, request.tracking_number, customer_id):
        raise PRE_ALERT_NUMBER_TAKEN(tracking_number=request.tracking_number)
    if row is not None:
        return await _announce_known(call, row, customer_id, request, told)
    return AnnouncedParcel(await _insert_announced(call, customer_id, request, told))


async def _insert_announced(
    call: Call, customer_id: int, request: CreatePreAlert, told: dict[str, Any]
) -> InboundParcelRow:
    new = {
        **told,
        "tracking_number": request.tracking_number,
        "number_key": make_number_key(request.tracking_number),
        "customer_id": customer_id,
        "matched_by": MatchedBy.ANNOUNCED.value,
        "state": InboundState.EXPECTED.value,
        "created_at": call.now,
        "updated_at": call.now,
    }
    written = await store.insert_parcels(call.work, [new])
    if not written:
        raise TransactionRetry
    await set_number_owner(call, customer_id, claimed_numbers=[request.tracking_number])
    await poll_from_now_on(call, written[0])
    return written[0]


async def _announce_known(
    call: Call, row: InboundParcelRow, customer_id: int, request: CreatePreAlert, told: dict[str, Any]
) -> AnnouncedParcel:
    if row.state not in UNDER_WAY_STATES and call.principal.account is Account.CUSTOMER:
        claim, existing = await open_claim(call, row.id, customer_id, request.model_dump())
        if claim.state != ClaimState.PENDING:
            raise PRE_ALERT_NUMBER_TAKEN(tracking_number=request.tracking_number)
        return AnnouncedParcel(row, existing, claim)
    told = {**told, "carrier": told["carrier"] or row.carrier}
    matched = await match_parcel(call, row, customer_id, MatchedBy.NUMBER, **told)
    await poll_from_now_on(call, matched)
    return AnnouncedParcel(matched)


async def poll_from_now_on(call: Call, row: InboundParcelRow) -> None:
    """Ask the carrier of a parcel that is still to come for scans, from time to time."""
    if row.carrier and row.state in (InboundState.EXPECTED, InboundState.IN_TRANSIT):
        await call.enqueue(POLL_JOB, PollInboundParcel(row.id), run_at=call.now + poll_pause(timedelta()))
