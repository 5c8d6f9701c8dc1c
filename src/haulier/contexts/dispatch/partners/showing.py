"""Partnerships and offers as answers show them, to each side in its own words."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.dispatch.partners.contract import (
    PartnerDoor,
    PartnerGoods,
    PartnerOffer,
    PartnerOrder,
    PartnerOrderAnswer,
    Partnership,
)
from haulier.contexts.dispatch.partners.crossing import at_the_giver
from haulier.contexts.dispatch.partners.rules import PartnerOfferStatus, PartnerReport, PartnershipState, status_now
from haulier.contexts.orders.public import doors, facts
from haulier.kernel.call import Call


def state_of(row: Any) -> PartnershipState:
    """Where a partnership stands."""
    if row.ended_at is not None:
        return PartnershipState.ENDED
    return PartnershipState.PROPOSED if row.accepted_at is None else PartnershipState.IN_FORCE


def shown_partnership(call: Call, row: Any) -> Partnership:
    """A partnership from the caller's side."""
    giving = row.client_id == call.client_id
    return Partnership(
        id=row.id,
        state=state_of(row),
        role="give" if giving else "take",
        business=row.partner_code if giving else row.giver_code,
        proposed_by_us=bool(row.proposed_by_giver) is giving,
        respond_within_min=row.respond_within_min,
        note=row.note,
        proposed_at=row.proposed_at.astimezone(call.time_zone),
        accepted_at=_local(call, row.accepted_at),
        ended_at=_local(call, row.ended_at),
        ended_by_us=None if row.ended_at is None else bool(row.ended_by_giver) is giving,
        reason=row.reason,
    )


def shown_offer(call: Call, row: Any) -> PartnerOffer:
    """An offer that we made."""
    return PartnerOffer(id=row.id, order_id=row.order_id, partner=row.partner_code, **_both(call, row))


def shown_to_us(call: Call, row: Any) -> PartnerOrder:
    """An offer that was made to us, as lists show it: without the doors."""
    return PartnerOrder(
        offer_id=row.id, giver=row.giver_code, goods=msgspec.convert(row.goods, PartnerGoods), **_both(call, row)
    )


async def whole(call: Call, row: Any) -> PartnerOrderAnswer:
    """An offer that was made to us; with the giver's doors and tracking number while we have the order."""
    shown = shown_to_us(call, row)
    if row.held:
        giver = await at_the_giver(call, row)
        there = (await doors(giver, [row.order_id]))[row.order_id]
        shown.tracking_number = (await facts(giver, [row.order_id]))[row.order_id].tracking_number
        shown.shipper, shown.consignee = PartnerDoor.of(there.shipper), PartnerDoor.of(there.consignee)
        shown.delivery_instruction = there.delivery_instruction
    return PartnerOrderAnswer(partner_order=shown)


def _both(call: Call, row: Any) -> dict[str, Any]:
    return {
        "partnership_id": row.partnership_id,
        "status": status_now(PartnerOfferStatus(row.status), row.respond_by, call.now),
        "offered_at": row.offered_at.astimezone(call.time_zone),
        "respond_by": row.respond_by.astimezone(call.time_zone),
        "pulled_at": _local(call, row.pulled_at),
        "answered_at": _local(call, row.answered_at),
        "ended_at": _local(call, row.ended_at),
        "reason": row.reason,
        "reference": row.reference,
        "last_report": PartnerReport(row.last_report) if row.last_report else None,
        "reported_at": _local(call, row.reported_at),
        "note": row.note,
        "fee_most_minor": UNSET if row.fee_most_minor is None else row.fee_most_minor,
        "quote_minor": UNSET if row.quote_minor is None else row.quote_minor,
        "currency": row.currency,
    }


def _local(call: Call, moment: datetime | None) -> datetime | None:
    return moment and moment.astimezone(call.time_zone)
