"""Whose a parcel is: said once, by a number, a suite or a person."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from haulier.contexts.consolidation.claims.actions import settle_claims, withdraw_approval
from haulier.contexts.consolidation.events import InboundParcelMatched, InboundParcelUnmatched
from haulier.contexts.consolidation.inbound_parcels.queries import is_number_of_business
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import (
    INBOUND_LIFE,
    INBOUND_PARCEL_MATCHED,
    UNDER_WAY_STATES,
    InboundState,
    InboundStep,
)
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.tracking.public import release_number, set_number_owner
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


class MatchedBy(StrEnum):
    """How it is known whose a parcel is."""

    ANNOUNCED = "announced"
    """Whoever announced it said so."""
    NUMBER = "number"
    """It was announced after it was reported or received."""
    SUITE = "suite"
    PERSON = "person"


async def match_parcel(
    call: Call, row: InboundParcelRow, customer_id: int, by: MatchedBy, **told: Any
) -> InboundParcelRow:
    """Write whose a parcel is, and what else is told of it. The row must be locked.

    The same customer again changes nothing. Raises `INBOUND_PARCEL_MATCHED` for a parcel of somebody else, and
    `INBOUND_STEP_REFUSED`.
    """
    if row.customer_id == customer_id:
        return row
    if row.customer_id is not None:
        raise INBOUND_PARCEL_MATCHED(tracking_number=row.tracking_number)
    state = INBOUND_LIFE.next_status_or_raise(InboundStep.MATCH, InboundState(row.state))
    changes = {"customer_id": customer_id, "matched_by": by.value, "state": state.value, "updated_at": call.now}
    await InboundParcelRow.update(call.work, row.id, {**told, **changes})
    if row.state not in UNDER_WAY_STATES:
        await settle_claims(call, row.id, customer_id)
    await announce_match(call, row, customer_id, by)
    return await reload_parcel(call, row.id)


async def announce_match(call: Call, row: InboundParcelRow, customer_id: int, by: MatchedBy) -> None:
    """Tell that it is known whose a parcel is, and let the customer see its timeline."""
    await set_number_owner(call, customer_id, claimed_numbers=[row.tracking_number])
    matched = InboundParcelMatched(
        parcel_id=row.id, tracking_number=row.tracking_number, customer_id=customer_id, by=by.value
    )
    await call.publish(matched)


async def unmatch_parcel(call: Call, row: InboundParcelRow) -> InboundParcelRow:
    """Take back whose a parcel is. The row must be locked. Raises `INBOUND_STEP_REFUSED`."""
    state = INBOUND_LIFE.next_status_or_raise(InboundStep.UNMATCH, InboundState(row.state))
    if row.customer_id is None:
        return row
    nobodys = {"customer_id": None, "matched_by": None, "state": state.value, "updated_at": call.now}
    await InboundParcelRow.update(call.work, row.id, {**nobodys, **NOTHING_ANNOUNCED})
    await withdraw_approval(call, row.id)
    if not await is_number_of_business(call.work, row.tracking_number):
        await release_number(call, row.tracking_number, row.customer_id)
    await call.publish(InboundParcelUnmatched(parcel_id=row.id, tracking_number=row.tracking_number))
    return await reload_parcel(call, row.id)


ANNOUNCED = ("contents", "declared_value", "declared_currency", "note", "announced_at")
NOTHING_ANNOUNCED: Mapping[str, None] = dict.fromkeys(ANNOUNCED)
"""What a customer said of a parcel goes with the customer."""


async def reload_parcel(call: Call, parcel_id: int) -> InboundParcelRow:
    """A parcel as it is after a write. Raises `NOT_FOUND`."""
    row = await InboundParcelRow.get(call.work, parcel_id)
    if row is None:
        raise record_not_found(parcel_id=parcel_id)
    return row
