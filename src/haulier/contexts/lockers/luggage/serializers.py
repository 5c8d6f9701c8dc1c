"""Serializers of luggage bookings, bags and claims."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.billing.public import PriceLine, price_line_name
from haulier.contexts.lockers.luggage import store
from haulier.contexts.lockers.luggage.actions.bookings import PricedLuggage, is_payable, refund_now
from haulier.contexts.lockers.luggage.contract import (
    FiledLuggageClaim,
    LuggageAnswer,
    LuggageBag,
    LuggageBooking,
    LuggageClaim,
    LuggageDetail,
    LuggageHandover,
    LuggagePlaceRecord,
    LuggagePriceLine,
    LuggageQuote,
)
from haulier.contexts.lockers.luggage.queries import get_terms
from haulier.contexts.lockers.luggage.rules import BookingStep, LuggageTerms, can
from haulier.contexts.lockers.luggage.store import LuggageClaimRow, LuggageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def quote_record(call: Call, priced: PricedLuggage, bags: int, free_boxes: bool | None) -> LuggageQuote:
    """Serialize a quote."""
    return LuggageQuote(
        service_code=priced.service.code,
        bags=bags,
        lines=[_line(call, line) for line in priced.price.lines],
        total_price=priced.price.total_minor,
        currency=priced.price.currency,
        free_boxes=free_boxes,
    )


def _line(call: Call, line: PriceLine) -> LuggagePriceLine:
    return LuggagePriceLine(code=line.code, name=price_line_name(call, line), amount=line.minor)


def _place(place: Mapping[str, Any]) -> LuggagePlaceRecord:
    return LuggagePlaceRecord(**place)


def _summary(call: Call, row: LuggageRow, terms: LuggageTerms) -> dict[str, Any]:
    moments = ("drop_from", "drop_until", "pick_from", "pick_until", "created_at")
    return {
        **{name: call.local_time(getattr(row, name)) for name in moments},
        "origin": _place(row.origin),
        "destination": _place(row.destination),
        "paid": row.paid_at is not None,
        "can_be_paid": is_payable(call, row),
        "can_be_cancelled": can(BookingStep.CANCEL, row.status),
        "total_price": row.price_minor,
        "refunded_minor": row.refunded_minor,
        "refund_if_cancelled": refund_now(call, row, terms),
        "currency": row.currency,
    }


def luggage_summary(call: Call, row: LuggageRow, terms: LuggageTerms) -> LuggageBooking:
    """Serialize a booking for a list."""
    return record(LuggageBooking, row, **_summary(call, row, terms))


async def luggage_detail(call: Call, row: LuggageRow) -> LuggageDetail:
    """Serialize a booking with its bags and their custody."""
    bags = await store.list_bag_rows(call.work, row.id)
    chain = await store.list_handover_rows(call.work, row.id)
    lines = [PriceLine(line["code"], line["minor"], line["name"]) for line in row.price_lines]
    moments = ("paid_at", "received_at", "arrived_at", "ended_at")
    known: dict[str, Any] = {
        **{name: call.local_time(getattr(row, name)) for name in moments},
        "lines": [_line(call, line) for line in lines],
        "bags": [record(LuggageBag, bag) for bag in bags],
        "handovers": [record(LuggageHandover, link, at=call.local_time(link.at)) for link in chain],
    }
    return record(LuggageDetail, row, **_summary(call, row, await get_terms(call)), **known)


async def luggage_answer(call: Call, row: LuggageRow) -> LuggageAnswer:
    """Build the answer for a booking."""
    return LuggageAnswer(luggage=await luggage_detail(call, row))


def claim_record(call: Call, row: LuggageClaimRow) -> LuggageClaim:
    """Serialize a claim."""
    return record(
        LuggageClaim,
        row,
        luggage_id=row.booking_id,
        tag=row.about or None,
        refunded_minor=row.refunded_minor,
        compensation_minor=row.compensation_minor,
        created_at=call.local_time(row.created_at),
        ended_at=call.local_time(row.ended_at),
    )


def filed_record(call: Call, row: LuggageClaimRow) -> FiledLuggageClaim:
    """Serialize a claim awaiting a decision."""
    known: dict[str, Any] = {"luggage_id": row.booking_id, "tag": row.about or None}
    return record(FiledLuggageClaim, row, **known, created_at=call.local_time(row.created_at))
