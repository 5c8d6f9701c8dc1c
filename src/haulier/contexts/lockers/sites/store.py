"""Tables and statements of sites.

A unique index allows one live parcel per compartment.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    and_,
    bindparam,
    case,
    exists,
    func,
    select,
    update,
)

from haulier.contexts.lockers.sites.contract import ADDRESS_MAX, CODE_MAX, FAULT_MAX
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import (
    VOLATILE,
    Id,
    Json,
    UTCDateTime,
    notify_writes,
    partial_unique_index,
    tenant_table,
)
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX

LOCKERS_CHANNEL = "lockers"
"""Channel that notifies a business of changes at its sites."""
REFERENCE_MAX, EMAIL_MAX, PHONE_MAX = 80, 254, 50


class LockerSiteRow(
    Record,
    table="locker_site",
    items=[
        Index("ix_locker_site_place", "client_id", "lat", "lng"),
        Index("ix_locker_site_point_of_interest", "client_id", "point_of_interest_id"),
    ],
):
    """A site."""

    name: Annotated[str, String(NAME_MAX)]
    point_of_interest_id: Reference | None
    address: Annotated[str, String(ADDRESS_MAX)]
    lat: float
    lng: float
    opening_hours: dict[str, Any] | None
    accessibility: list[str]
    access_notes: Annotated[str, String(NOTE_MAX)] | None
    retired: bool
    storage_free_days: int | None
    storage_day_minor: BigInt | None
    created_at: datetime


sites = LockerSiteRow.table
plain_columns(sites, "name", "address", "lat", "lng", "opening_hours", "accessibility", "access_notes")


class LockerCabinetRow(
    Record,
    table="locker_cabinet",
    items=[UniqueConstraint("client_id", "site_id", "code"), UniqueConstraint("client_id", "device_id")],
):
    """A cabinet."""

    site_id: Reference
    code: Annotated[str, String(CODE_MAX)]
    device_id: Reference | None
    retired: bool
    created_at: datetime


cabinets = LockerCabinetRow.table
plain_columns(cabinets, "code")


class LockerBoxRow(
    Record,
    table="locker_box",
    items=[
        UniqueConstraint("client_id", "cabinet_id", "number"),
        Index("ix_locker_box_site", "client_id", "site_id", "size_rank"),
        Index("ix_locker_box_lease", "client_id", "lease_id"),
    ],
):
    """A box.

    `usable`: ready, and neither its locker nor its site is retired. `lease_id` is the rental with exclusive use.
    """

    site_id: Reference
    cabinet_id: Reference
    number: int
    size: Annotated[str, String(2)]
    size_rank: int
    low: bool
    usable: bool
    state: Annotated[str, String(10)]
    fault: Annotated[str, String(FAULT_MAX)] | None
    door_open: bool | None
    lease_id: Reference | None


boxes = LockerBoxRow.table
plain_columns(boxes, "size", "state", "fault")

parcels = tenant_table(
    "locker_parcel",
    Column("site_id", Id, nullable=False),
    Column("box_id", Id, nullable=False),
    Column("kind", String(10), nullable=False, server_default="delivery"),
    Column("status", String(12), nullable=False),
    Column("customer_id", Id),
    Column("order_id", Id),
    Column("lease_id", Id),
    Column("reference", String(REFERENCE_MAX)),
    Column("recipient_name", String(NAME_MAX)),
    Column("recipient_email", String(EMAIL_MAX)),
    Column("recipient_phone", String(PHONE_MAX)),
    Column("language", String(10)),
    Column("code_sha256", LargeBinary(32), info=VOLATILE),
    Column("code_nonce", LargeBinary(16), info=VOLATILE),
    Column("code_made_at", UTCDateTime),
    Column("reminded_at", UTCDateTime),
    Column("until", UTCDateTime, nullable=False),
    Column("keep_days", Integer, nullable=False),
    Column("end_reason", String(REASON_MAX)),
    Column("home", Json),
    Column("fee_minor", BigInteger),
    Column("fee_charged", Boolean),
    Column("reserved_at", UTCDateTime, nullable=False),
    Column("deposited_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Index("ix_locker_parcel_site", "client_id", "site_id", "status"),
    Index("ix_locker_parcel_customer", "client_id", "customer_id"),
    Index("ix_locker_parcel_order", "client_id", "order_id"),
    Index("ix_locker_parcel_lease", "client_id", "lease_id"),
)
"""`home` is the pickup address of an order without the locker. `fee_minor` is the storage fee at the end."""
partial_unique_index("uq_locker_parcel_box", "ended_at IS NULL", parcels.c.box_id)
partial_unique_index(
    "uq_locker_parcel_code", "ended_at IS NULL AND code_sha256 IS NOT NULL", parcels.c.site_id, parcels.c.code_sha256
)
plain_columns(parcels, "kind", "status", "language", "code_sha256", "code_nonce", "end_reason")
personal_data(
    parcels,
    RecordKind.LOCKER_PARCELS,
    by={
        "customer_id": PersonKey.USER,
        "order_id": PersonKey.ORDER,
        "recipient_email": PersonKey.EMAIL,
        "recipient_phone": PersonKey.PHONE,
    },
    erased={
        "recipient_name": ERASED,
        "recipient_email": None,
        "recipient_phone": None,
        "reference": None,
        "home": None,
    },
    in_use=parcels.c.ended_at.is_(None),
    secret=frozenset({"code_sha256", "code_nonce"}),
)
retained(RecordKind.LOCKER_PARCELS, parcels.c.ended_at, default_days=365, minimum_days=30)

for _table in (sites, cabinets, parcels):
    notify_writes(_table, LOCKERS_CHANNEL)
# Doors are excluded: every heartbeat writes them, and real moves are notified where they are recorded.
notify_writes(boxes, LOCKERS_CHANNEL, silent_columns={"door_open"})


class SiteNameRow(Row):
    """Name of a site."""

    id: int
    name: str


class OccupiedBoxRow(LockerBoxRow):
    """A compartment with its parcel."""

    parcel_id: int | None
    parcel_status: str | None


class FreeCountRow(Row):
    """Number of all and free compartments of a site in one size."""

    site_id: int
    size: str
    boxes: int
    free: int
    out_of_use: int


_lives_in = and_(parcels.c.box_id == boxes.c.id, parcels.c.ended_at.is_(None))
_occupied = exists(select(parcels.c.id).where(_lives_in))
_numbered = select(boxes).where(boxes.c.cabinet_id == bindparam("cabinet"), boxes.c.number == bindparam("number"))
_numbered_locked = _numbered.with_for_update()
_free = (
    select(boxes)
    .where(
        boxes.c.site_id == bindparam("site"),
        boxes.c.usable.is_(True),
        boxes.c.lease_id.is_not_distinct_from(bindparam("lease", type_=Id)),
        boxes.c.size_rank >= bindparam("rank", type_=Integer),
        boxes.c.low.is_(True) | bindparam("any_height", type_=Boolean),
        ~_occupied,
    )
    .order_by(boxes.c.size_rank, boxes.c.low, boxes.c.id)
    .limit(1)
    .with_for_update(skip_locked=True)
)
_with_parcels = select(boxes, parcels.c.id.label("parcel_id"), parcels.c.status.label("parcel_status")).select_from(
    boxes.outerjoin(parcels, _lives_in)
)
_one_with_parcel = _with_parcels.where(boxes.c.id == bindparam("box"))
_is_free = and_(boxes.c.usable.is_(True), boxes.c.lease_id.is_(None), parcels.c.id.is_(None))
_counts = (
    select(
        boxes.c.site_id,
        boxes.c.size,
        func.count(boxes.c.id).label("boxes"),
        func.coalesce(func.sum(case((_is_free, 1), else_=0)), 0).cast(Integer).label("free"),
        func.coalesce(func.sum(case((boxes.c.state != "ready", 1), else_=0)), 0).cast(Integer).label("out_of_use"),
    )
    .select_from(boxes.outerjoin(parcels, _lives_in))
    .where(in_param(boxes.c.site_id, "sites"), boxes.c.low.is_(True) | bindparam("any_height", type_=Boolean))
    .group_by(boxes.c.site_id, boxes.c.size, boxes.c.size_rank)
    .order_by(boxes.c.site_id, boxes.c.size_rank)
)
_set_door = (
    update(boxes)
    .where(
        boxes.c.cabinet_id == bindparam("cabinet"),
        in_param(boxes.c.number, "numbers"),
        # A heartbeat reports all doors, and few of them have moved.
        boxes.c.door_open.is_distinct_from(bindparam("now_open", type_=Boolean)),
    )
    .values(door_open=bindparam("now_open", type_=Boolean))
)
_in_retired = exists(select(cabinets.c.id).where(cabinets.c.id == boxes.c.cabinet_id, cabinets.c.retired.is_(True)))
_at_retired = exists(select(sites.c.id).where(sites.c.id == boxes.c.site_id, sites.c.retired.is_(True)))
_settle_usable = (
    update(boxes)
    .where(boxes.c.site_id == bindparam("site"))
    .values(usable=and_(boxes.c.state == "ready", ~_in_retired, ~_at_retired))
)


async def update_usable(work: UnitOfWork, site_id: int) -> None:
    """Recompute which compartments of a site can be used."""
    await work.run(_settle_usable, site=site_id)


async def set_doors(work: UnitOfWork, cabinet_id: int, numbers: Collection[int], *, is_open: bool) -> None:
    """Record door sensors and notify viewers of the site about doors that moved."""
    if numbers and await work.run(_set_door, cabinet=cabinet_id, numbers=list(numbers), now_open=is_open):
        work.notify(LOCKERS_CHANNEL, str(work.client_id))


async def find_box_by_number(
    work: UnitOfWork, cabinet_id: int, number: int, *, lock: bool = False
) -> LockerBoxRow | None:
    """Return a compartment of a locker by number, or None."""
    wanted = _numbered_locked if lock else _numbered
    return await work.first(wanted, LockerBoxRow, cabinet=cabinet_id, number=number)


async def get_occupied_box_row(work: UnitOfWork, box_id: int) -> OccupiedBoxRow | None:
    """Return a compartment with its parcel, or None."""
    return await work.first(_one_with_parcel, OccupiedBoxRow, box=box_id)


async def lock_free_box(
    work: UnitOfWork, site_id: int, rank: int, *, low: bool, lease_id: int | None = None
) -> LockerBoxRow | None:
    """Lock and return the smallest suitable free compartment of a site, or None.

    With `lease_id`, only compartments of that rental; otherwise only unrented ones. Locked rows are skipped. If another
    call takes the compartment just before the lock, the unique index rejects the second parcel.
    """
    return await work.first(_free, LockerBoxRow, site=site_id, rank=rank, any_height=not low, lease=lease_id)


async def count_free_boxes(work: UnitOfWork, site_ids: Collection[int], *, low: bool = False) -> Sequence[FreeCountRow]:
    """Count all and free compartments of sites by size."""
    return await work.all(_counts, FreeCountRow, sites=list(site_ids), any_height=not low) if site_ids else []


async def list_box_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[OccupiedBoxRow], int]:
    """List a page of matching compartments by locker and number, with their count."""
    conditions = [boxes.c[name] == value for name, value in wanted.items()]
    page = _with_parcels.where(*conditions).order_by(boxes.c.cabinet_id, boxes.c.number)
    rows = await work.all(page.limit(limit).offset(offset), OccupiedBoxRow)
    return rows, await work.value(select(func.count()).select_from(boxes).where(*conditions))


_names = select(sites.c.id, sites.c.name).where(in_param(sites.c.id, "sites"))
_wanted = sites.c.retired.is_(False) | bindparam("all", type_=Boolean)
_list = (
    select(sites)
    .where(_wanted)
    .order_by(sites.c.name, sites.c.id)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(sites).where(_wanted)
_far_north = (sites.c.lat - bindparam("lat", type_=Float)) * (sites.c.lat - bindparam("lat", type_=Float))
_far_east = (sites.c.lng - bindparam("lng", type_=Float)) * bindparam("narrow", type_=Float)
_around = (
    select(sites)
    .where(
        sites.c.retired.is_(False),
        sites.c.lat.between(bindparam("south", type_=Float), bindparam("north", type_=Float)),
        sites.c.lng.between(bindparam("west", type_=Float), bindparam("east", type_=Float)),
    )
    .order_by(_far_north + _far_east * _far_east)
    .limit(bindparam("most"))
)
_at_points = select(sites).where(in_param(sites.c.point_of_interest_id, "points")).order_by(sites.c.id)
_linked_points = (
    select(sites.c.point_of_interest_id)
    .where(sites.c.point_of_interest_id.is_not(None))
    .distinct()
    .order_by("point_of_interest_id")
)
_cabinets = select(cabinets).where(cabinets.c.site_id == bindparam("site")).order_by(cabinets.c.code)


async def list_site_names(work: UnitOfWork, site_ids: Collection[int]) -> Sequence[SiteNameRow]:
    """The names of some sites."""
    return await work.all(_names, SiteNameRow, sites=list(site_ids)) if site_ids else []


async def list_site_rows(
    work: UnitOfWork, *, retired: bool, limit: int, offset: int
) -> tuple[Sequence[LockerSiteRow], int]:
    """A page of sites, by name, and how many there are."""
    rows = await work.all(_list, LockerSiteRow, all=retired, page_size=limit, skipped=offset)
    return rows, await work.value(_count, all=retired)


async def list_sites_around(work: UnitOfWork, **bounds: float) -> Sequence[LockerSiteRow]:
    """The sites within bounds that are in use, about the nearest first."""
    return await work.all(_around, LockerSiteRow, **bounds)


async def list_sites_at_points(work: UnitOfWork, points: Collection[int]) -> Sequence[LockerSiteRow]:
    """The sites at some points of interest, the retired ones too."""
    return await work.all(_at_points, LockerSiteRow, points=list(points)) if points else []


async def list_linked_points(work: UnitOfWork) -> list[int]:
    """The points of interest at which there are sites."""
    return [row.point_of_interest_id for row in await work.all(_linked_points)]


async def update_cabinet(work: UnitOfWork, cabinet_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of a locker.

    Raises `UniqueConflict` for a device of another locker.
    """
    if values:
        changed = update(cabinets).where(cabinets.c.id == bindparam("cabinet")).values(**values)
        await work.run(changed, cabinet=cabinet_id)


async def list_cabinets_of_site(work: UnitOfWork, site_id: int) -> Sequence[LockerCabinetRow]:
    """The cabinets of a site, by code."""
    return await work.all(_cabinets, LockerCabinetRow, site=site_id)
