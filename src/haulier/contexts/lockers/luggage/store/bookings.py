"""Statements on luggage bookings, bags and custody."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Date, String, bindparam, case, cast, func, or_, select, update

from haulier.contexts.lockers.luggage.rules import BagStatus, BookingStatus
from haulier.contexts.lockers.luggage.store.tables import (
    LuggageBagRow,
    LuggageHandoverRow,
    LuggageRow,
    LuggageSumsRow,
    LuggageTermsRow,
    bags,
    bookings,
    handovers,
    settings,
)
from haulier.contexts.lockers.sites.store.tables import boxes, cabinets, parcels
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_b = bookings.c
_at_origin = bags.c.status.in_((BagStatus.EXPECTED.value, BagStatus.RECEIVED.value))
_now_at = case((_at_origin, bags.c.drop_parcel_id), else_=bags.c.pick_parcel_id)
_placed = select(
    *(column for column in bags.c if column.name != "client_id"),
    cabinets.c.code.label("cabinet"),
    boxes.c.number.label("box"),
).select_from(
    bags.outerjoin(parcels, (parcels.c.id == _now_at) & parcels.c.ended_at.is_(None))
    .outerjoin(boxes, boxes.c.id == parcels.c.box_id)
    .outerjoin(cabinets, cabinets.c.id == boxes.c.cabinet_id)
)
_bags = _placed.where(bags.c.booking_id == bindparam("booking")).order_by(bags.c.number)
_bag_of_parcel = _placed.where(
    or_(bags.c.drop_parcel_id == bindparam("parcel"), bags.c.pick_parcel_id == bindparam("parcel"))
)
_chain = select(handovers).where(handovers.c.booking_id == bindparam("booking")).order_by(handovers.c.id)
_settings = select(settings)


async def update_booking(work: UnitOfWork, booking_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a booking."""
    changed = update(bookings).where(_b.id == bindparam("booking")).values(**values)
    await work.run(changed, booking=booking_id)


async def insert_bag(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a bag. Raises `UniqueConflict` for the tag of another bag in transit."""
    return await work.insert(bags, **values)


async def update_bag(work: UnitOfWork, bag_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a bag."""
    await work.run(update(bags).where(bags.c.id == bindparam("bag")).values(**values), bag=bag_id)


async def list_bag_rows(work: UnitOfWork, booking_id: int) -> Sequence[LuggageBagRow]:
    """List the bags of a booking in the order of entry."""
    return await work.all(_bags, LuggageBagRow, booking=booking_id)


async def find_bag_of_parcel(work: UnitOfWork, parcel_id: int) -> LuggageBagRow | None:
    """Return the bag whose compartment is this parcel, or None."""
    return await work.first(_bag_of_parcel, LuggageBagRow, parcel=parcel_id)


async def list_handover_rows(work: UnitOfWork, booking_id: int) -> Sequence[LuggageHandoverRow]:
    """List the chain of custody of a booking in chronological order."""
    return await work.all(_chain, LuggageHandoverRow, booking=booking_id)


async def list_booking_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, tag: str | None, limit: int, offset: int
) -> tuple[Sequence[LuggageRow], int]:
    """List a page of matching bookings, newest first, with their count.

    Counting stops one above `MAX_COUNT`. With `tag`, only bookings of bags that have or had it.
    """
    conditions: list[ColumnElement[bool]] = [bookings.c[name] == value for name, value in wanted.items()]
    if tag is not None:
        conditions.append(_b.id.in_(select(bags.c.booking_id).where(bags.c.tag == tag)))
    page = select(bookings).where(*conditions).order_by(_b.id.desc()).limit(limit).offset(offset)
    counted = select(_b.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, LuggageRow), await work.value(select(func.count()).select_from(counted))


async def get_settings_row(work: UnitOfWork) -> LuggageTermsRow | None:
    """Return the settings of the luggage relay, or None."""
    return await work.first(_settings, LuggageTermsRow)


async def write_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert or update the settings of the luggage relay."""
    await work.upsert(settings, (), **values)


_GROUPS: Mapping[str, Any] = {
    "service": _b.service_code,
    "day": cast(_b.sold_on, String),
    "site": cast(_b.to_site_id, String),
}


def _counted(status: BookingStatus) -> Any:
    return cast(func.sum(case((_b.status == status.value, 1), else_=0)), BigInteger).label(status.value)


async def list_sum_rows(
    work: UnitOfWork, group: str, first: date, last: date, *, most: int
) -> Sequence[LuggageSumsRow]:
    """Sum payments of a period by service, day or site, highest first."""
    key, total = func.coalesce(_GROUPS[group], ""), func.sum(_b.price_minor)
    sums = (
        select(
            key.label("key"),
            _b.currency,
            func.count(_b.id).label("bookings"),
            cast(func.sum(_b.bag_count), BigInteger).label("bags"),
            cast(total, BigInteger).label("gross_minor"),
            cast(func.sum(_b.refunded_minor), BigInteger).label("refunded_minor"),
            _counted(BookingStatus.COLLECTED),
            cast(func.sum(case((_b.late, 1), else_=0)), BigInteger).label("late"),
            _counted(BookingStatus.LOST),
            _counted(BookingStatus.CANCELLED),
        )
        .where(_b.sold_on >= bindparam("first", first, Date), _b.sold_on <= bindparam("last", last, Date))
        .group_by(key, _b.currency)
        .order_by(total.desc(), key)
        .limit(most)
    )
    return await work.all(sums, LuggageSumsRow)
