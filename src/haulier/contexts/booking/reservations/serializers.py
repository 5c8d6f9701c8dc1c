"""Zones, patterns, windows and reservations as answers show them."""

from collections.abc import Sequence
from datetime import date
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
from haulier.contexts.booking.reservations.store import (
    BookingPatternRow,
    BookingWindowRow,
    BookingZoneRow,
    ReservationRow,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def business_today(call: Call) -> date:
    """Today by the business's calendar."""
    return call.today


def serialize_booking_zone(row: BookingZoneRow) -> BookingZone:
    """A zone."""
    return record(BookingZone, row)


def serialize_booking_pattern(call: Call, row: BookingPatternRow) -> BookingPattern:
    """A pattern."""
    return record(BookingPattern, row, **_price_values(call, row.price_minor))


async def serialize_booking_windows(call: Call, rows: Sequence[BookingWindowRow]) -> list[BookingWindowDetail]:
    """Windows, with how many places of each are taken; one statement for any number of them."""
    taken = await store.count_taken_places(call.work, [row.id for row in rows], call.now)
    return [
        record(
            BookingWindowDetail,
            row,
            taken=taken.get(row.id, 0),
            closed=bool(row.closed),
            **_window_values(call, row, taken.get(row.id, 0)),
        )
        for row in rows
    ]


async def serialize_bookable_windows(call: Call, rows: Sequence[BookingWindowRow]) -> list[BookableWindow]:
    """Windows, as customers see them."""
    taken = await store.count_taken_places(call.work, [row.id for row in rows], call.now)
    return [record(BookableWindow, row, **_window_values(call, row, taken.get(row.id, 0))) for row in rows]


async def serialize_reservations(call: Call, rows: Sequence[ReservationRow]) -> list[Reservation]:
    """Reservations with their windows; one more statement for any number of them."""
    windows = await store.get_booking_windows(call.work, {row.window_id for row in rows})
    return [_serialize_reservation(call, row, windows[row.window_id]) for row in rows]


def _serialize_reservation(call: Call, row: ReservationRow, window: BookingWindowRow) -> Reservation:
    return record(
        Reservation,
        row,
        status=current_reservation_status(row.confirmed_at is not None, row.outcome, row.expires_at, call.now),
        day=window.day,
        starts_at=call.local_time(window.starts_at),
        ends_at=call.local_time(window.ends_at),
        held_at=call.local_time(row.held_at),
        expires_at=call.local_time(row.expires_at),
        confirmed_at=call.local_time(row.confirmed_at),
        ended_at=call.local_time(row.ended_at),
        **_price_values(call, window.price_minor),
    )


def _window_values(call: Call, row: BookingWindowRow, taken: int) -> dict[str, Any]:
    """What a window shows in another way than its row."""
    return {
        "starts_at": call.local_time(row.starts_at),
        "ends_at": call.local_time(row.ends_at),
        "cut_off_at": call.local_time(row.cut_off_at),
        "left": max(0, row.capacity - taken),
        **_price_values(call, row.price_minor),
    }


def _price_values(call: Call, price_minor: int | None) -> dict[str, Any]:
    return {"price_minor": UNSET if price_minor is None else price_minor, "currency": call.business.currency}
