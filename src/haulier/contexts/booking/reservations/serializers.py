"""Zones, patterns, windows and reservations as answers show them."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from msgspec import UNSET

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.contract import (
    BookableWindow,
    BookingPattern,
    BookingWindowDetail,
    BookingZone,
    Reservation,
)
from haulier.contexts.booking.reservations.rules import current_reservation_status
from haulier.kernel.call import Call


def business_today(call: Call) -> date:
    """Today by the business's calendar."""
    return call.now.astimezone(call.time_zone).date()


def serialize_booking_zone(row: Any) -> BookingZone:
    """A zone."""
    return BookingZone(id=row.id, name=row.name, postal_prefixes=list(row.postal_prefixes))


def serialize_booking_pattern(call: Call, row: Any) -> BookingPattern:
    """A pattern."""
    return BookingPattern(
        id=row.id,
        zone_id=row.zone_id,
        weekdays=list(row.weekdays),
        starts=row.starts,
        ends=row.ends,
        capacity=row.capacity,
        cut_off_min=row.cut_off_min,
        first_day=row.first_day,
        last_day=row.last_day,
        made_until=row.made_until,
        **_price_fields(call, row.price_minor),
    )


async def serialize_booking_windows(call: Call, rows: Sequence[Any]) -> list[BookingWindowDetail]:
    """Windows, with what each has taken; two statements for any number of them."""
    taken = await store.count_taken_places(call.work, [row.id for row in rows], call.now)
    return [
        BookingWindowDetail(
            capacity=row.capacity,
            taken=taken.get(row.id, 0),
            closed=bool(row.closed),
            pattern_id=row.pattern_id,
            **_window_fields(call, row, taken.get(row.id, 0)),
        )
        for row in rows
    ]


async def serialize_bookable_windows(call: Call, rows: Sequence[Any]) -> list[BookableWindow]:
    """Windows, as customers see them."""
    taken = await store.count_taken_places(call.work, [row.id for row in rows], call.now)
    return [BookableWindow(**_window_fields(call, row, taken.get(row.id, 0))) for row in rows]


async def serialize_reservations(call: Call, rows: Sequence[Any]) -> list[Reservation]:
    """Reservations with their windows; one more statement for any number of them."""
    windows = await store.get_booking_windows(call.work, {row.window_id for row in rows})
    return [_reservation(call, row, windows[row.window_id]) for row in rows]


def _reservation(call: Call, row: Any, window: Any) -> Reservation:
    return Reservation(
        id=row.id,
        status=current_reservation_status(row.confirmed_at is not None, row.outcome, row.expires_at, call.now),
        window_id=row.window_id,
        day=window.day,
        starts_at=window.starts_at.astimezone(call.time_zone),
        ends_at=window.ends_at.astimezone(call.time_zone),
        postal_code=row.postal_code,
        customer_id=row.customer_id,
        order_id=row.order_id,
        held_at=row.held_at.astimezone(call.time_zone),
        expires_at=row.expires_at.astimezone(call.time_zone),
        confirmed_at=_to_local(call, row.confirmed_at),
        ended_at=_to_local(call, row.ended_at),
        reason=row.reason,
        **_price_fields(call, window.price_minor),
    )


def _window_fields(call: Call, row: Any, taken: int) -> dict[str, Any]:
    return {
        "id": row.id,
        "zone_id": row.zone_id,
        "day": row.day,
        "starts_at": row.starts_at.astimezone(call.time_zone),
        "ends_at": row.ends_at.astimezone(call.time_zone),
        "cut_off_at": row.cut_off_at.astimezone(call.time_zone),
        "left": max(0, row.capacity - taken),
        **_price_fields(call, row.price_minor),
    }


def _price_fields(call: Call, price_minor: int | None) -> dict[str, Any]:
    return {"price_minor": UNSET if price_minor is None else price_minor, "currency": call.business.currency}


def _to_local(call: Call, moment: datetime | None) -> datetime | None:
    return moment and moment.astimezone(call.time_zone)
