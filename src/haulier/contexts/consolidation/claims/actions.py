"""Opening and settling claims on inbound parcels."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.consolidation.claims import store
from haulier.contexts.consolidation.claims.rules import ClaimState
from haulier.contexts.consolidation.claims.store import InboundClaimRow
from haulier.contexts.consolidation.events import InboundParcelClaimed
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry

CLAIMED = ("tracking_number", "contents", "declared_value", "declared_currency", "note")


async def open_claim(
    call: Call, parcel_id: int, customer_id: int, claimed: Mapping[str, Any]
) -> tuple[InboundClaimRow, bool]:
    """Open a customer's claim on a parcel and notify staff.

    Returns it, and True if it existed already.
    """
    values = {name: claimed.get(name) for name in CLAIMED}
    about = {"parcel_id": parcel_id, "customer_id": customer_id, "created_at": call.now}
    written = await store.insert_claim(call.work, {**values, **about, "state": ClaimState.PENDING.value})
    if written is None:
        existing = await InboundClaimRow.find_by(call.work, parcel_id=parcel_id, customer_id=customer_id)
        if existing is None:
            raise TransactionRetry
        return existing, True
    number = written.tracking_number
    await call.publish(
        InboundParcelClaimed(claim_id=written.id, parcel_id=parcel_id, tracking_number=number, customer_id=customer_id)
    )
    return written, False


async def resolve_claims(call: Call, parcel_id: int, customer_id: int) -> None:
    """Approve the owner's claim on a matched parcel and refuse the others."""
    await store.resolve_claims(call.work, parcel_id, customer_id, call.now, call.actor)


async def withdraw_approval(call: Call, parcel_id: int) -> None:
    """Refuse the approved claim on a parcel whose match was undone."""
    await store.reject_approved_claim(call.work, parcel_id, call.now, call.actor)


async def reject_claim(call: Call, claim_id: int) -> None:
    """Refuse one claim."""
    await store.reject_claim(call.work, claim_id, call.now, call.actor)
