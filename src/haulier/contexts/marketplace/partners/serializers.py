"""Serializers of partnerships and offers for each side."""

from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.marketplace.partners.contract import (
    PartnerGoods,
    PartnerOffer,
    PartnerOrder,
    PartnerOrderAddress,
    PartnerOrderAnswer,
    Partnership,
)
from haulier.contexts.marketplace.partners.queries import as_offering_client
from haulier.contexts.marketplace.partners.rules import (
    PartnerOfferStatus,
    PartnerReport,
    PartnershipState,
    current_offer_status,
)
from haulier.contexts.marketplace.partners.store import PartnerOfferRow, PartnershipRow
from haulier.contexts.orders.delivery_orders.contract.orders import OrderTerms
from haulier.contexts.orders.public import get_order_facts, get_shared_custom_fields, get_stop_contacts
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

DEFAULT_TERMS = OrderTerms().model_dump(mode="json")
"""Terms that did not exist when an offer was made."""


def partnership_state(row: PartnershipRow) -> PartnershipState:
    """The state of a partnership."""
    if row.ended_at is not None:
        return PartnershipState.ENDED
    return PartnershipState.PROPOSED if row.accepted_at is None else PartnershipState.IN_FORCE


def serialize_partnership(call: Call, row: PartnershipRow) -> Partnership:
    """Return a partnership from the caller's side."""
    giving = row.client_id == call.client_id
    return record(
        Partnership,
        row,
        state=partnership_state(row),
        role="give" if giving else "take",
        business=row.partner_code if giving else row.giver_code,
        shares_rates=bool(row.shares_rates),
        proposed_by_us=row.proposed_by_giver is giving,
        proposed_at=call.local_time(row.proposed_at),
        accepted_at=call.local_time(row.accepted_at),
        ended_at=call.local_time(row.ended_at),
        ended_by_us=None if row.ended_at is None else row.ended_by_giver is giving,
    )


def serialize_partner_offer(call: Call, row: PartnerOfferRow) -> PartnerOffer:
    """Return an offer made by the caller's business."""
    return record(PartnerOffer, row, partner=row.partner_code, **_common_offer_fields(call, row))


def serialize_partner_order(call: Call, row: PartnerOfferRow) -> PartnerOrder:
    """Return an offer made to the caller's business for lists, without addresses."""
    return record(
        PartnerOrder,
        row,
        offer_id=row.id,
        giver=row.giver_code,
        own_order_id=row.partner_order_id,
        goods=msgspec.convert(DEFAULT_TERMS | row.goods, PartnerGoods),
        **_common_offer_fields(call, row),
    )


async def serialize_partner_order_detail(call: Call, row: PartnerOfferRow) -> PartnerOrderAnswer:
    """Return an offer made to the caller's business in detail.

    Addresses and the tracking number are included while the business has the order.
    """
    partner_order = serialize_partner_order(call, row)
    if row.held:
        giver = await as_offering_client(call, row)
        contacts = (await get_stop_contacts(giver, [row.order_id]))[row.order_id]
        partner_order.tracking_number = (await get_order_facts(giver, [row.order_id]))[row.order_id].tracking_number
        partner_order.shipper, partner_order.consignee = (
            PartnerOrderAddress.from_address(contacts.shipper),
            PartnerOrderAddress.from_address(contacts.consignee),
        )
        partner_order.delivery_instruction = contacts.delivery_instruction
        partner_order.custom_fields = await get_shared_custom_fields(giver, row.order_id)
    return PartnerOrderAnswer(partner_order=partner_order)


def _common_offer_fields(call: Call, row: PartnerOfferRow) -> dict[str, Any]:
    return {
        "status": current_offer_status(PartnerOfferStatus(row.status), row.respond_by, call.now),
        "offered_at": call.local_time(row.offered_at),
        "respond_by": call.local_time(row.respond_by),
        "pulled_at": call.local_time(row.pulled_at),
        "answered_at": call.local_time(row.answered_at),
        "ended_at": call.local_time(row.ended_at),
        "last_report": PartnerReport(row.last_report) if row.last_report else None,
        "reported_at": call.local_time(row.reported_at),
        "fee_most_minor": UNSET if row.fee_most_minor is None else row.fee_most_minor,
        "quote_minor": UNSET if row.quote_minor is None else row.quote_minor,
    }
