"""Queries for zones, windows and reservations."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Table, and_, bindparam, func, not_, or_, select, update

from haulier.contexts.booking.reservations.rules import NoShowFee, ReservationStatus
from haulier.contexts.booking.reservations.store.tables import (
    BookingPatternRow,
    BookingWindowRow,
    BookingZoneRow,
    ReservationRow,
    booking_patterns,
    booking_windows,
    booking_zones,
    reservations,
)
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork

R = TypeVar("R", bound=Row)

_now = bindparam("now", type_=UTCDateTime())
TAKES_A_PLACE = and_(
    reservations.c.outcome.is_(None), or_(reservations.c.confirmed_at.is_not(None), reservations.c.expires_at > _now)
)
_taken = (
    select(reservations.c.window_id, func.count().label("taken"))
    .where(in_param(reservations.c.window_id, "ids"), TAKES_A_PLACE)
    .where(reservations.c.id != bindparam("except_id"))
    .group_by(reservations.c.window_id)
)
_zones = select(booking_zones).order_by(booking_zones.c.id)
_window_times = select(booking_windows.c.starts_at, booking_windows.c.ends_at).where(
    booking_windows.c.zone_id == bindparam("zone"),
    booking_windows.c.starts_at >= bindparam("first", type_=UTCDateTime()),
)
_of_order = select(reservations).where(reservations.c.order_id == bindparam("order"), reservations.c.outcome.is_(None))
_held_by = (
    select(func.count())
    .select_from(reservations)
    .where(reservations.c.customer_id == bindparam("customer"), reservations.c.outcome.is_(None))
    .where(reservations.c.confirmed_at.is_(None), reservations.c.expires_at > _now)
)
_expire = (
    update(reservations)
    .where(reservations.c.id == bindparam("reservation"), reservations.c.outcome.is_(None))
    .where(reservations.c.confirmed_at.is_(None), reservations.c.expires_at <= _now)
    .values(outcome=ReservationStatus.EXPIRED.value, ended_at=reservations.c.expires_at)
)


async def count_taken_places(
    work: UnitOfWork, ids: Collection[int], now: datetime, *, except_id: int = 0
) -> dict[int, int]:
    """Return the number of taken places by window, without one reservation.

    Windows without any are absent.
    """
    rows = await work.all(_taken, ids=sorted(set(ids)), now=now, except_id=except_id) if ids else []
    return {row.window_id: row.taken for row in rows}


async def list_all_booking_zones(work: UnitOfWork) -> Sequence[BookingZoneRow]:
    """Return every zone, oldest first."""
    return await work.all(_zones, BookingZoneRow)


async def list_window_times(work: UnitOfWork, zone_id: int, first: datetime) -> set[tuple[datetime, datetime]]:
    """Return the times of a zone's windows from `first` on."""
    return {(row.starts_at, row.ends_at) for row in await work.all(_window_times, zone=zone_id, first=first)}


async def set_day_closed(work: UnitOfWork, day: date, zone_id: int | None, *, closed: bool) -> int:
    """Close or reopen the windows of a day, in one zone or all.

    Return the number of changed windows.
    """
    c = booking_windows.c
    return await _set_windows_closed(work, [c.day == day, *_equals({c.zone_id: zone_id})], closed=closed)


async def close_windows_of_pattern(work: UnitOfWork, pattern_id: int, after: datetime) -> int:
    """Close windows of a pattern that begin after a time. Return the number."""
    c = booking_windows.c
    return await _set_windows_closed(work, [c.pattern_id == pattern_id, c.starts_at > after], closed=True)


async def _set_windows_closed(work: UnitOfWork, where: Sequence[ColumnElement[bool]], *, closed: bool) -> int:
    changing = update(booking_windows).where(booking_windows.c.closed.is_(not closed), *where)
    return await work.run(changing.values(closed=closed))


async def get_reservation_of_order(work: UnitOfWork, order_id: int) -> ReservationRow | None:
    """Return the reservation of an order, or None."""
    return await work.first(_of_order, ReservationRow, order=order_id)


async def count_holds_of_customer(work: UnitOfWork, customer_id: int, now: datetime) -> int:
    """Return the number of unconfirmed holds of a customer."""
    return await work.value(_held_by, customer=customer_id, now=now)


async def expire_reservation(work: UnitOfWork, reservation_id: int, now: datetime) -> bool:
    """Mark a hold as expired. Return False if it is confirmed, over or not expired."""
    return bool(await work.run(_expire, reservation=reservation_id, now=now))


async def list_booking_zones(work: UnitOfWork, *, limit: int, offset: int) -> tuple[Sequence[BookingZoneRow], int]:
    """Return a page of zones by name and their number."""
    order = [booking_zones.c.name, booking_zones.c.id]
    return await _list_rows(work, booking_zones, BookingZoneRow, [], order, limit, offset)


async def list_booking_patterns(
    work: UnitOfWork, zone_id: int | None, *, limit: int, offset: int
) -> tuple[Sequence[BookingPatternRow], int]:
    """Return a page of patterns of one zone or all, newest first, and their number."""
    c = booking_patterns.c
    where = _equals({c.zone_id: zone_id})
    return await _list_rows(work, booking_patterns, BookingPatternRow, where, [c.id.desc()], limit, offset)


async def list_booking_windows(
    work: UnitOfWork,
    days: tuple[date, date],
    zone_ids: Collection[int] | None,
    *,
    bookable_at: datetime | None = None,
    limit: int,
    offset: int,
) -> tuple[Sequence[BookingWindowRow], int]:
    """Return a page of windows, soonest first, and their number.

    Filters are days and zones, None for all zones. With `bookable_at`, closed windows and those past their cut-off
    are excluded.
    """
    c = booking_windows.c
    where = [c.day >= days[0], c.day <= days[1]]
    if zone_ids is not None:
        where.append(c.zone_id.in_(sorted(zone_ids)))
    if bookable_at is not None:
        where += [c.closed.is_(False), c.cut_off_at > bookable_at]
    return await _list_rows(work, booking_windows, BookingWindowRow, where, [c.starts_at, c.id], limit, offset)


async def list_reservations(
    work: UnitOfWork,
    filters: Mapping[str, int | None],
    states: tuple[ReservationStatus | None, NoShowFee | None],
    now: datetime,
    *,
    limit: int,
    offset: int,
) -> tuple[Sequence[ReservationRow], int]:
    """Return a page of matching reservations, newest first, and their number.

    Filters are columns. `states` filters by status and fee. None does not filter.
    """
    c = reservations.c
    where = _equals({c[name]: value for name, value in filters.items()})
    status, fee = states
    if status is not None:
        where.append(_reservation_status_filter(status, now))
    if fee is not None:
        where.append(_fee_filter(fee))
    return await _list_rows(work, reservations, ReservationRow, where, [c.id.desc()], limit, offset)


def _reservation_status_filter(status: ReservationStatus, now: datetime) -> ColumnElement[bool]:
    """Return the condition that a reservation has a status at `now`."""
    c = reservations.c
    unconfirmed = and_(c.outcome.is_(None), c.confirmed_at.is_(None))
    match status:
        case ReservationStatus.HELD:
            return and_(unconfirmed, c.expires_at > now)
        case ReservationStatus.CONFIRMED:
            return and_(c.outcome.is_(None), c.confirmed_at.is_not(None), c.checked_in_at.is_(None))
        case ReservationStatus.CHECKED_IN:
            return and_(c.outcome.is_(None), c.checked_in_at.is_not(None))
        case ReservationStatus.EXPIRED:
            return or_(c.outcome == status.value, and_(unconfirmed, c.expires_at <= now))
        case ReservationStatus.CANCELLED | ReservationStatus.NO_SHOW:
            return c.outcome == status.value


def _fee_filter(fee: NoShowFee) -> ColumnElement[bool]:
    """Return the condition for a fee status, matching `no_show_fee_status`."""
    c = reservations.c
    waived, paid = c.fee_waived_at.is_not(None), c.fee_transfer_id.is_not(None)
    fate = {
        NoShowFee.WAIVED: waived,
        NoShowFee.PAID: and_(not_(waived), paid),
        NoShowFee.DUE: and_(not_(waived), not_(paid)),
    }[fee]
    return and_(c.outcome == ReservationStatus.NO_SHOW.value, c.fee_minor > 0, fate)


def _equals(filters: Mapping[ColumnElement[Any], Any]) -> list[ColumnElement[bool]]:
    return [column == value for column, value in filters.items() if value is not None]


async def _list_rows(
    work: UnitOfWork,
    table: Table,
    row_type: type[R],
    where: Sequence[ColumnElement[bool]],
    order: Sequence[ColumnElement[Any]],
    limit: int,
    offset: int,
) -> tuple[Sequence[R], int]:
    rows = await work.all(select(table).where(*where).order_by(*order).limit(limit).offset(offset), row_type)
    return rows, await work.value(select(func.count()).select_from(table).where(*where))
