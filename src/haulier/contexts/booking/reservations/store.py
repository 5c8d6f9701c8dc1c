"""Tables and statements of reservations."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Index,
    String,
    Table,
    UniqueConstraint,
    and_,
    bindparam,
    func,
    not_,
    or_,
    select,
    update,
)

from haulier.contexts.booking.reservations.rules import NoShowFee, ReservationStatus, WaitingStatus
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, UTCDateTime, partial_unique_index
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, REASON_MAX

ADDRESS_MAX, CODE_LENGTH = 300, 6


class BookingZoneRow(Record, table="booking_zone", items=[UniqueConstraint("client_id", "name")]):
    """Delivery zone, or place for visits.

    `no_show_fee_minor` is in minor units of the business's currency.
    """

    name: Annotated[str, String(NAME_MAX)]
    postal_prefixes: list[str]
    created_at: datetime
    kind: Annotated[str, String(20)]
    address: Annotated[str, String(ADDRESS_MAX)] | None
    check_in_before_min: int
    grace_min: int
    no_show_fee_minor: BigInt | None
    no_show_refund: bool
    offer_min: int


booking_zones = BookingZoneRow.table


class BookingPatternRow(Record, table="booking_pattern"):
    """Pattern. `starts` and `ends` are local times of day such as `10:00`."""

    zone_id: Reference
    weekdays: list[int]
    starts: Annotated[str, String(8)]
    ends: Annotated[str, String(8)]
    capacity: int
    cut_off_min: int
    price_minor: BigInt | None
    first_day: date
    last_day: date | None
    made_until: date | None
    created_at: datetime
    ended_at: datetime | None


booking_patterns = BookingPatternRow.table


class BookingWindowRow(
    Record,
    table="booking_window",
    items=[
        UniqueConstraint("client_id", "zone_id", "starts_at", "ends_at"),
        Index("ix_booking_window_day", "client_id", "day", "zone_id"),
    ],
):
    """Window. `price_minor` is in minor units of the business's currency."""

    zone_id: Reference
    pattern_id: Reference | None
    day: date
    starts_at: datetime
    ends_at: datetime
    cut_off_at: datetime
    capacity: int
    price_minor: BigInt | None
    closed: bool


booking_windows = BookingWindowRow.table


class ReservationRow(
    Record,
    table="reservation",
    items=[
        UniqueConstraint("client_id", "code"),
        Index("ix_reservation_window", "client_id", "window_id", "outcome"),
        Index("ix_reservation_customer", "client_id", "customer_id", "id"),
    ],
):
    """Reservation.

    `outcome` is None while it is held, confirmed, checked in, or expired but not yet marked. `charged_minor` is the
    price paid from credit and not refunded. `fee_minor` is the no-show fee, due while `fee_transfer_id` and
    `fee_waived_at` are None.
    """

    window_id: Reference
    postal_code: Annotated[str, String(20)]
    customer_id: Reference | None
    order_id: Reference | None
    held_at: datetime
    held_by: Reference | None
    expires_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None
    outcome: Annotated[str, String(20)] | None
    reason: Annotated[str, String(REASON_MAX)] | None
    code: Annotated[str | None, Column("code", String(CODE_LENGTH), info=VOLATILE)]
    checked_in_at: datetime | None
    checked_in_by: Reference | None
    charged_minor: BigInt | None
    charge_transfer_id: Reference | None
    fee_minor: BigInt | None
    fee_transfer_id: Reference | None
    fee_waived_at: datetime | None
    fee_waiver_reason: Annotated[str, String(REASON_MAX)] | None


reservations = ReservationRow.table
partial_unique_index("uq_reservation_order", "order_id IS NOT NULL AND outcome IS NULL", reservations.c.order_id)
"""An order has at most one active reservation, also under concurrency."""


class WaitingEntryRow(
    Record,
    table="waiting_entry",
    items=[
        Index("ix_waiting_entry_window", "client_id", "window_id", "status", "id"),
        Index("ix_waiting_entry_customer", "client_id", "customer_id", "id"),
        Index("ix_waiting_entry_reservation", "client_id", "reservation_id"),
    ],
):
    """Waiting list entry."""

    window_id: Reference
    customer_id: Reference
    postal_code: Annotated[str, String(20)]
    status: Annotated[str, String(20)]
    joined_at: datetime
    reservation_id: Reference | None
    offered_until: datetime | None
    ended_at: datetime | None


waiting_entries = WaitingEntryRow.table
partial_unique_index(
    "uq_waiting_entry_live",
    "status IN ('waiting', 'offered')",
    waiting_entries.c.window_id,
    waiting_entries.c.customer_id,
)
"""A customer waits at most once for a window, also under concurrency."""


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


c = waiting_entries.c
LIVE = (WaitingStatus.WAITING.value, WaitingStatus.OFFERED.value)
_waits = c.status == WaitingStatus.WAITING.value
_live = select(waiting_entries).where(
    c.window_id == bindparam("window"), c.customer_id == bindparam("customer"), c.status.in_(LIVE)
)
_of_reservation = select(waiting_entries).where(
    c.reservation_id == bindparam("reservation"), c.status == WaitingStatus.OFFERED.value
)
_counts = (
    select(c.window_id, func.count().label("waiting")).where(in_param(c.window_id, "ids"), _waits).group_by(c.window_id)
)
_of_customer = select(func.count()).select_from(waiting_entries).where(c.customer_id == bindparam("customer"), _waits)
_next = (
    select(waiting_entries)
    .where(c.window_id == bindparam("window"), _waits)
    .order_by(c.id)
    .limit(bindparam("most"))
    .with_for_update()
)
_ahead = waiting_entries.alias("ahead")
_positions = (
    select(c.id, func.count(_ahead.c.id).label("position"))
    .select_from(waiting_entries)
    .join(
        _ahead,
        (_ahead.c.client_id == c.client_id)
        & (_ahead.c.window_id == c.window_id)
        & (_ahead.c.status == WaitingStatus.WAITING.value)
        & (_ahead.c.id <= c.id),
    )
    .where(in_param(c.id, "ids"), _waits)
    .group_by(c.id)
)
_waiting_of_window = select(waiting_entries).where(c.window_id == bindparam("window"), _waits).order_by(c.id)


async def get_live_entry(work: UnitOfWork, window_id: int, customer_id: int) -> WaitingEntryRow | None:
    """Return a customer's waiting or offered entry for a window, or None."""
    return await work.first(_live, WaitingEntryRow, window=window_id, customer=customer_id)


async def get_offered_entry(work: UnitOfWork, reservation_id: int) -> WaitingEntryRow | None:
    """Return the entry that a held place is offered to, or None."""
    return await work.first(_of_reservation, WaitingEntryRow, reservation=reservation_id)


async def count_waiting(work: UnitOfWork, window_ids: Collection[int]) -> dict[int, int]:
    """Return the number of waiting entries by window. Windows without any are absent."""
    rows = await work.all(_counts, ids=sorted(set(window_ids))) if window_ids else []
    return {row.window_id: row.waiting for row in rows}


async def count_waiting_of_customer(work: UnitOfWork, customer_id: int) -> int:
    """Return the number of windows that a customer waits for."""
    return await work.value(_of_customer, customer=customer_id)


async def lock_next_waiting(work: UnitOfWork, window_id: int, most: int) -> Sequence[WaitingEntryRow]:
    """Lock and return the longest waiting entries of a window."""
    return await work.all(_next, WaitingEntryRow, window=window_id, most=most)


async def get_waiting_positions(work: UnitOfWork, ids: Collection[int]) -> dict[int, int]:
    """Return the positions of entries in the queue of their window, from 1.

    Entries that no longer wait are absent.
    """
    return {row.id: row.position for row in await work.all(_positions, ids=sorted(set(ids)))} if ids else {}


async def list_waiting_of_window(work: UnitOfWork, window_id: int) -> Sequence[WaitingEntryRow]:
    """Return all waiting entries of a window in order."""
    return await work.all(_waiting_of_window, WaitingEntryRow, window=window_id)


async def list_awaited_windows(work: UnitOfWork, day: date, zone_id: int | None) -> list[int]:
    """Return the windows of a day with waiting entries, in one zone or all."""
    windows = booking_windows.c
    asked = select(windows.id).where(windows.day == day).order_by(windows.id)
    if zone_id is not None:
        asked = asked.where(windows.zone_id == zone_id)
    waited_for = select(c.window_id).where(_waits, c.client_id == windows.client_id)
    return [row.id for row in await work.all(asked.where(windows.id.in_(waited_for)))]


async def list_waiting_entries(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[WaitingEntryRow], int]:
    """Return a page of matching entries, oldest first, and their number.

    Filters are columns; None does not filter.
    """
    where = [c[name] == value for name, value in filters.items() if value is not None]
    found = select(waiting_entries).where(*where).order_by(c.id).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(waiting_entries).where(*where))
    return await work.all(found, WaitingEntryRow), total
