"""Statements on lockers with their compartments, devices and parcels."""

from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import ColumnElement, bindparam, exists, func, or_, select
from sqlalchemy.sql import Select

from haulier.contexts.lockers.devices.store.tables import devices
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.contexts.lockers.sites.store import boxes, cabinets, parcels, sites
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork


class PlacedCabinetRow(Row):
    """A locker with its site and device."""

    id: int
    site_id: int
    code: str
    device_id: int | None
    retired: bool
    created_at: datetime
    site_name: str
    address: str
    device_name: str | None
    device_seen_at: datetime | None
    gone_at: datetime | None


class CabinetBoxRow(Row):
    """A compartment with its parcel."""

    id: int
    site_id: int
    cabinet_id: int
    number: int
    size: str
    low: bool
    state: str
    fault: str | None
    door_open: bool | None
    lease_id: int | None
    parcel_id: int | None
    parcel_status: str | None


class CountedUseRow(Row):
    """Number of compartments in one state and with one kind of content."""

    state: str
    parcel_status: str | None
    leased: bool
    boxes: int


class StayRow(Row):
    """The time for which a parcel takes a compartment."""

    reserved_at: datetime
    deposited_at: datetime | None
    ended_at: datetime | None


class WantedCabinets(Struct, frozen=True, kw_only=True):
    """Conditions on lockers. A device without contact since `quiet_before` is offline."""

    site_id: int | None
    search: str | None
    needs_attention: bool
    retired: bool
    quiet_before: datetime


_placed = (
    select(
        cabinets,
        sites.c.name.label("site_name"),
        sites.c.address,
        devices.c.name.label("device_name"),
        devices.c.last_seen_at.label("device_seen_at"),
        devices.c.gone_at,
    )
    .join(sites, sites.c.id == cabinets.c.site_id)
    .outerjoin(devices, devices.c.id == cabinets.c.device_id)
)
_lives_in = (parcels.c.box_id == boxes.c.id) & parcels.c.ended_at.is_(None)
_inside = (
    select(boxes, parcels.c.id.label("parcel_id"), parcels.c.status.label("parcel_status"))
    .select_from(boxes.outerjoin(parcels, _lives_in))
    .where(in_param(boxes.c.cabinet_id, "cabinets"))
    .order_by(boxes.c.cabinet_id, boxes.c.number)
)
_stays = select(parcels.c.reserved_at, parcels.c.deposited_at, parcels.c.ended_at).where(
    parcels.c.site_id == bindparam("site"),
    parcels.c.reserved_at < bindparam("until", type_=UTCDateTime),
    or_(parcels.c.ended_at.is_(None), parcels.c.ended_at >= bindparam("since", type_=UTCDateTime)),
)
_size = select(func.count()).select_from(boxes).where(boxes.c.site_id == bindparam("site"))

# Aliases: the statements around them may join the same tables.
_own_box, _own_parcel = boxes.alias("own_box"), parcels.alias("own_parcel")
_has_faulty_box = exists(
    select(_own_box.c.id).where(_own_box.c.cabinet_id == cabinets.c.id, _own_box.c.state == BoxState.FAULTY.value)
)
_has_overdue_parcel = exists(
    select(_own_parcel.c.id)
    .join(_own_box, _own_box.c.id == _own_parcel.c.box_id)
    .where(_own_box.c.cabinet_id == cabinets.c.id, _own_parcel.c.status == LockerStatus.EXPIRED.value)
)


def _offline(wanted: WantedCabinets) -> ColumnElement[bool]:
    before = bindparam("quiet_before", wanted.quiet_before, UTCDateTime)
    return or_(devices.c.last_seen_at.is_(None), devices.c.last_seen_at <= before, devices.c.gone_at.is_not(None))


def _contains(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    # SQLite lowers ASCII only, so other letters are found as they were typed.
    return or_(column.contains(text, autoescape=True), func.lower(column).contains(text.lower(), autoescape=True))


def _conditions(wanted: WantedCabinets) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if not wanted.retired:
        found += [cabinets.c.retired.is_(False), sites.c.retired.is_(False)]
    if wanted.site_id is not None:
        found.append(cabinets.c.site_id == wanted.site_id)
    if wanted.search:
        found.append(or_(*(_contains(column, wanted.search) for column in (sites.c.name, sites.c.address))))
    if wanted.needs_attention:
        found.append(or_(_offline(wanted), _has_faulty_box, _has_overdue_parcel))
    return found


async def list_cabinet_rows(
    work: UnitOfWork, wanted: WantedCabinets, *, limit: int, offset: int
) -> Sequence[PlacedCabinetRow]:
    """List a page of matching lockers, by site and code."""
    page = _placed.where(*_conditions(wanted)).order_by(sites.c.name, cabinets.c.site_id, cabinets.c.code)
    return await work.all(page.limit(limit).offset(offset), PlacedCabinetRow)


async def count_cabinets(work: UnitOfWork, wanted: WantedCabinets) -> tuple[int, int]:
    """Count the matching lockers, and those of them that are offline."""
    counts = _of_matching(select(func.count()), wanted)
    return await work.value(counts), await work.value(counts.where(_offline(wanted)))


def _of_matching(statement: Select[int], wanted: WantedCabinets) -> Select[int]:
    joined = cabinets.join(sites, sites.c.id == cabinets.c.site_id)
    joined = joined.outerjoin(devices, devices.c.id == cabinets.c.device_id)
    return statement.select_from(joined).where(*_conditions(wanted))


async def count_box_uses(work: UnitOfWork, wanted: WantedCabinets) -> Sequence[CountedUseRow]:
    """Count the compartments of all matching lockers by state and content."""
    joined = boxes.join(cabinets, cabinets.c.id == boxes.c.cabinet_id).join(sites, sites.c.id == cabinets.c.site_id)
    joined = joined.outerjoin(devices, devices.c.id == cabinets.c.device_id)
    joined = joined.outerjoin(parcels, _lives_in)
    leased = boxes.c.lease_id.is_not(None)
    grouped = (boxes.c.state, parcels.c.status, leased)
    counted = select(
        boxes.c.state,
        parcels.c.status.label("parcel_status"),
        leased.label("leased"),
        func.count(boxes.c.id).label("boxes"),
    )
    return await work.all(counted.select_from(joined).where(*_conditions(wanted)).group_by(*grouped), CountedUseRow)


async def list_boxes_of_cabinets(work: UnitOfWork, cabinet_ids: Collection[int]) -> Sequence[CabinetBoxRow]:
    """List the compartments of lockers with their parcels, by locker and number."""
    return await work.all(_inside, CabinetBoxRow, cabinets=list(cabinet_ids))


async def list_stays(work: UnitOfWork, site_id: int, since: datetime, until: datetime) -> Sequence[StayRow]:
    """List the stays of parcels at a site that overlap a period."""
    return await work.all(_stays, StayRow, site=site_id, since=since, until=until)


async def count_boxes_of_site(work: UnitOfWork, site_id: int) -> int:
    """Count the compartments of a site."""
    return await work.value(_size, site=site_id)
