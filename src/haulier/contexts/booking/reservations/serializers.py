"""Serializers for zones, patterns, windows, reservations and waiting lists."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import UNSET

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.actions import check_in_from, is_visit, no_show_at, status_of
from haulier.contexts.booking.reservations.contract import (
    BookableWindow,
    BookingPattern,
    BookingWindowDetail,
    BookingZone,
    Reservation,
    WaitingEntry,
)
from haulier.contexts.booking.reservations.rules import (
    BookingKind,
    NoShowFee,
    ReservationStatus,
    WaitingStatus,
    no_show_fee_status,
)
from haulier.contexts.booking.reservations.store import (
    BookingPatternRow,
    BookingWindowRow,
    BookingZoneRow,
    ReservationRow,
    WaitingEntryRow,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def business_today(call: Call) -> date:
    """Return today's date in the business's time zone."""
    return call.today


def serialize_booking_zone(call: Call, row: BookingZoneRow) -> BookingZone:
    """Return a delivery zone or place for visits."""
    fee = row.no_show_fee_minor
    return record(
        BookingZone,
        row,
        kind=BookingKind(row.kind),
        no_show_refund=bool(row.no_show_refund),
        no_show_fee_minor=UNSET if fee is None else fee,
        currency=call.business.currency,
    )


def serialize_booking_pattern(call: Call, row: BookingPatternRow) -> BookingPattern:
    """Return a pattern."""
    return record(BookingPattern, row, **_price_values(call, row.price_minor))


async def serialize_booking_windows(call: Call, rows: Sequence[BookingWindowRow]) -> list[BookingWindowDetail]:
    """Return windows with their taken places. The number of statements is constant."""
    shown = await _Shown.load(call, [row.id for row in rows])
    return [
        record(
            BookingWindowDetail,
            row,
            taken=shown.taken.get(row.id, 0),
            closed=bool(row.closed),
            **_window_values(call, row, shown),
        )
        for row in rows
    ]


async def serialize_bookable_windows(call: Call, rows: Sequence[BookingWindowRow]) -> list[BookableWindow]:
    """Return windows as customers see them."""
    shown = await _Shown.load(call, [row.id for row in rows])
    return [record(BookableWindow, row, **_window_values(call, row, shown)) for row in rows]


async def serialize_reservations(call: Call, rows: Sequence[ReservationRow]) -> list[Reservation]:
    """Return reservations with their windows, with two more statements."""
    windows = await BookingWindowRow.get_many(call.work, {row.window_id for row in rows})
    zones = await _zones(call)
    return [_serialize_reservation(call, row, windows[row.window_id], zones) for row in rows]


async def serialize_waiting_entries(call: Call, rows: Sequence[WaitingEntryRow]) -> list[WaitingEntry]:
    """Return waiting list entries with windows and positions.

    The number of statements is constant.
    """
    windows = await BookingWindowRow.get_many(call.work, {row.window_id for row in rows})
    positions = await store.get_waiting_positions(call.work, [row.id for row in rows])
    zones = await _zones(call)
    return [
        record(
            WaitingEntry,
            row,
            status=WaitingStatus(row.status),
            position=positions.get(row.id),
            joined_at=call.local_time(row.joined_at),
            offered_until=call.local_time(row.offered_until),
            ended_at=call.local_time(row.ended_at),
            **_when(call, windows[row.window_id]),
            **_where(zones[windows[row.window_id].zone_id], "kind", "zone_name"),
        )
        for row in rows
    ]


def _serialize_reservation(
    call: Call, row: ReservationRow, window: BookingWindowRow, zones: Mapping[int, BookingZoneRow]
) -> Reservation:
    zone, status = zones[window.zone_id], status_of(row, call.now)
    visit = is_visit(zone)
    return record(
        Reservation,
        row,
        status=status,
        **_when(call, window),
        **_where(zone),
        check_in_from=call.local_time(check_in_from(window, zone)) if visit else None,
        check_in_until=call.local_time(no_show_at(window, zone)) if visit else None,
        checked_in_at=call.local_time(row.checked_in_at),
        held_at=call.local_time(row.held_at),
        expires_at=call.local_time(row.expires_at),
        confirmed_at=call.local_time(row.confirmed_at),
        ended_at=call.local_time(row.ended_at),
        **_price_values(call, window.price_minor),
        **_fee_values(row, zone, status),
    )


def _fee_values(row: ReservationRow, zone: BookingZoneRow, status: ReservationStatus) -> dict[str, Any]:
    """Return the terms and, for a missed visit, the amount and status of its fee."""
    missed = status is ReservationStatus.NO_SHOW
    fee = row.fee_minor if missed else zone.no_show_fee_minor
    fate = no_show_fee_status(row.fee_minor, row.fee_transfer_id, row.fee_waived_at) if missed else None
    return {
        "no_show_fee_minor": UNSET if fee is None else fee,
        "no_show_fee_paid": fate is NoShowFee.PAID if fate else UNSET,
        "no_show_fee_status": fate or UNSET,
    }


class _Shown:
    """Data of windows besides their rows: taken places, waiting list and location."""

    def __init__(self, taken: Mapping[int, int], waits: Mapping[int, int], zones: Mapping[int, BookingZoneRow]) -> None:
        self.taken, self.waits, self.zones = taken, waits, zones

    @classmethod
    async def load(cls, call: Call, ids: Sequence[int]) -> "_Shown":
        """Load the data of any number of windows with three statements."""
        taken = await store.count_taken_places(call.work, ids, call.now)
        return cls(taken, await store.count_waiting(call.work, ids), await _zones(call))


async def _zones(call: Call) -> dict[int, BookingZoneRow]:
    return {row.id: row for row in await store.list_all_booking_zones(call.work)}


def _when(call: Call, window: BookingWindowRow) -> dict[str, Any]:
    return {
        "day": window.day,
        "starts_at": call.local_time(window.starts_at),
        "ends_at": call.local_time(window.ends_at),
    }


def _where(zone: BookingZoneRow, *names: str) -> dict[str, Any]:
    """Return the location values of a window whose names match."""
    found: dict[str, Any] = {"kind": BookingKind(zone.kind), "zone_name": zone.name, "address": zone.address}
    return {name: found[name] for name in names} if names else found


def _window_values(call: Call, row: BookingWindowRow, shown: _Shown) -> dict[str, Any]:
    """Return the values of a window that differ from its row."""
    taken, waits = shown.taken.get(row.id, 0), shown.waits.get(row.id, 0)
    return {
        **_when(call, row),
        **_where(shown.zones[row.zone_id]),
        "cut_off_at": call.local_time(row.cut_off_at),
        "left": max(0, row.capacity - taken - waits),
        "waiting": waits,
        **_price_values(call, row.price_minor),
    }


def _price_values(call: Call, price_minor: int | None) -> dict[str, Any]:
    return {"price_minor": UNSET if price_minor is None else price_minor, "currency": call.business.currency}
