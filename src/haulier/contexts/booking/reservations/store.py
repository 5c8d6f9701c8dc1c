"""The tables of reservations, and every statement on them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    and_,
    bindparam,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.booking.reservations.rules import ReservationStatus
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, REASON_MAX

booking_zones = tenant_table(
    "booking_zone",
    Column("name", String(NAME_MAX), nullable=False),
    Column("postal_prefixes", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "name"),
)
booking_patterns = tenant_table(
    "booking_pattern",
    Column("zone_id", Id, nullable=False),
    Column("weekdays", Json, nullable=False),
    Column("starts", String(8), nullable=False),
    Column("ends", String(8), nullable=False),
    Column("capacity", Integer, nullable=False),
    Column("cut_off_min", Integer, nullable=False),
    Column("price_minor", BigInteger),
    Column("first_day", Date, nullable=False),
    Column("last_day", Date),
    Column("made_until", Date),
    Column("created_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
)
booking_windows = tenant_table(
    "booking_window",
    Column("zone_id", Id, nullable=False),
    Column("pattern_id", Id),
    Column("day", Date, nullable=False),
    Column("starts_at", UTCDateTime, nullable=False),
    Column("ends_at", UTCDateTime, nullable=False),
    Column("cut_off_at", UTCDateTime, nullable=False),
    Column("capacity", Integer, nullable=False),
    Column("price_minor", BigInteger),
    Column("closed", Boolean, nullable=False),
    UniqueConstraint("client_id", "zone_id", "starts_at", "ends_at"),
    Index("ix_booking_window_day", "client_id", "day", "zone_id"),
)
reservations = tenant_table(
    "reservation",
    Column("window_id", Id, nullable=False),
    Column("postal_code", String(20), nullable=False),
    Column("customer_id", Id),
    Column("order_id", Id),
    Column("held_at", UTCDateTime, nullable=False),
    Column("held_by", Id),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("confirmed_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Column("outcome", String(20)),
    Column("reason", String(REASON_MAX)),
    Index("ix_reservation_window", "client_id", "window_id", "outcome"),
    Index("ix_reservation_customer", "client_id", "customer_id", "id"),
)
partial_unique_index("uq_reservation_order", "order_id IS NOT NULL AND outcome IS NULL", reservations.c.order_id)
"""Whatever happens at once, an order has one reservation."""

_now = bindparam("now", type_=UTCDateTime())
TAKES_A_PLACE = and_(
    reservations.c.outcome.is_(None), or_(reservations.c.confirmed_at.is_not(None), reservations.c.expires_at > _now)
)
_taken = (
    select(reservations.c.window_id, func.count().label("taken"))
    .where(in_param(reservations.c.window_id, "ids"), TAKES_A_PLACE)
    .where(reservations.c.id != bindparam("but"))
    .group_by(reservations.c.window_id)
)
_zones = select(booking_zones).order_by(booking_zones.c.id)
_one = {
    table: select(table).where(table.c.id == bindparam("id"))
    for table in (booking_zones, booking_patterns, booking_windows, reservations)
}
_locked = {table: statement.with_for_update() for table, statement in _one.items()}
_locked_windows = (
    select(booking_windows)
    .where(in_param(booking_windows.c.id, "ids"))
    .order_by(booking_windows.c.id)
    .with_for_update()
)
_some_windows = select(booking_windows).where(in_param(booking_windows.c.id, "ids"))
_made = select(booking_windows.c.starts_at, booking_windows.c.ends_at).where(
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


async def insert_booking_row(work: UnitOfWork, table: Table, **values: Any) -> int:
    """Write a row. Returns the id. Raises `Conflict` for a zone's name, or a window, that is there."""
    return await work.insert(table, **values)


async def insert_booking_windows(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write windows."""
    await work.insert_many(booking_windows, rows)


async def get_booking_row(work: UnitOfWork, table: Table, id: int, *, lock: bool = False) -> Any | None:
    """A row, locked until the transaction ends when asked; or None."""
    return await work.first((_locked if lock else _one)[table], id=id)


async def update_booking_row(work: UnitOfWork, table: Table, id: int, **values: Any) -> None:
    """Change columns of a row."""
    if values:
        await work.run(update(table).where(table.c.id == id).values(**values))


async def lock_booking_windows(work: UnitOfWork, ids: Collection[int]) -> dict[int, Any]:
    """Windows by id, locked in the order of their ids so that nobody waits in a ring."""
    return {row.id: row for row in await work.all(_locked_windows, ids=sorted(set(ids)))}


async def get_booking_windows(work: UnitOfWork, ids: Collection[int]) -> dict[int, Any]:
    """Windows by id."""
    return {row.id: row for row in await work.all(_some_windows, ids=sorted(set(ids)))} if ids else {}


async def count_taken_places(work: UnitOfWork, ids: Collection[int], now: datetime, *, but: int = 0) -> dict[int, int]:
    """How many places of some windows are taken, by reservations other than `but`. A window without any is absent."""
    rows = await work.all(_taken, ids=sorted(set(ids)), now=now, but=but) if ids else []
    return {row.window_id: row.taken for row in rows}


async def list_all_booking_zones(work: UnitOfWork) -> Sequence[Any]:
    """Every zone, oldest first."""
    return await work.all(_zones)


async def list_window_times(work: UnitOfWork, zone_id: int, first: datetime) -> set[tuple[datetime, datetime]]:
    """When the windows of a zone begin and end that begin at some time or later."""
    return {(row.starts_at, row.ends_at) for row in await work.all(_made, zone=zone_id, first=first)}


async def set_windows_closed(work: UnitOfWork, where: Sequence[ColumnElement[bool]], *, closed: bool) -> int:
    """Close windows, or open them again; how many changed."""
    these = update(booking_windows).where(booking_windows.c.closed.is_(not closed), *where)
    return await work.run(these.values(closed=closed))


async def get_reservation_of_order(work: UnitOfWork, order_id: int) -> Any | None:
    """The reservation that an order has, or None."""
    return await work.first(_of_order, order=order_id)


async def count_holds_of_customer(work: UnitOfWork, customer_id: int, now: datetime) -> int:
    """How many places a customer holds and has not confirmed."""
    return await work.value(_held_by, customer=customer_id, now=now)


async def expire_reservation(work: UnitOfWork, reservation_id: int, now: datetime) -> bool:
    """Write down that a hold has expired. False when it was confirmed, has ended, or has not expired."""
    return bool(await work.run(_expire, reservation=reservation_id, now=now))


def reservation_status_filter(status: ReservationStatus, now: datetime) -> ColumnElement[bool]:
    """Whether a reservation stands there now."""
    c = reservations.c
    unconfirmed = and_(c.outcome.is_(None), c.confirmed_at.is_(None))
    match status:
        case ReservationStatus.HELD:
            return and_(unconfirmed, c.expires_at > now)
        case ReservationStatus.CONFIRMED:
            return and_(c.outcome.is_(None), c.confirmed_at.is_not(None))
        case ReservationStatus.EXPIRED:
            return or_(c.outcome == status.value, and_(unconfirmed, c.expires_at <= now))
        case ReservationStatus.CANCELLED:
            return c.outcome == status.value


async def find_booking_rows(
    work: UnitOfWork, table: Table, where: Sequence[ColumnElement[bool]], order: Sequence[Any], limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """A page of rows in an order, and how many there are."""
    rows = await work.all(select(table).where(*where).order_by(*order).limit(limit).offset(offset))
    return rows, await work.value(select(func.count()).select_from(table).where(*where))
