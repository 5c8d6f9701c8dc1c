"""Table of locker deliveries and its statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, String, bindparam, case, exists, func, select, tuple_, update

from haulier.contexts.lockers.deliveries.rules import LockerDeliveryStatus
from haulier.contexts.lockers.sites.store import boxes, cabinets, parcels, sites
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

deliveries = tenant_table(
    "locker_delivery",
    Column("order_id", Id, nullable=False),
    Column("site_id", Id, nullable=False),
    Column("parcel_id", Id),
    Column("size", String(2), nullable=False),
    Column("low", Boolean, nullable=False),
    Column("if_full", String(16), nullable=False),
    Column("hold_hours", Integer, nullable=False),
    Column("keep_days", Integer, nullable=False),
    Column("home", Json),
    Column("status", String(12), nullable=False),
    Column("fell_back_because", String(20)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Column("waiting_since", UTCDateTime),
    Index("uq_locker_delivery_order", "client_id", "order_id", unique=True),
    Index("ix_locker_delivery_site", "client_id", "site_id", "status"),
)
"""`home` is the original delivery address."""
plain_columns(deliveries, "size", "if_full", "status", "fell_back_because")
personal_data(
    deliveries,
    RecordKind.LOCKER_PARCELS,
    by={"order_id": PersonKey.ORDER},
    erased={"home": None},
    in_use=deliveries.c.ended_at.is_(None),
)
retained(RecordKind.LOCKER_PARCELS, deliveries.c.ended_at, default_days=365, minimum_days=30)


class LockerDeliveryRow(Row):
    """A locker delivery with its site and compartment."""

    id: int
    order_id: int
    site_id: int
    parcel_id: int | None
    size: str
    low: bool
    if_full: str
    hold_hours: int
    keep_days: int
    home: dict[str, Any] | None
    status: str
    fell_back_because: str | None
    created_at: datetime
    ended_at: datetime | None
    waiting_since: datetime | None
    waiting_before: int | None
    site_name: str
    site_address: str
    opening_hours: dict[str, Any] | None
    access_notes: str | None
    cabinet: str | None
    box: int | None
    code_made_at: datetime | None


_ahead = deliveries.alias("ahead")
_waits = deliveries.c.status == LockerDeliveryStatus.WAITING
_in_turn = (deliveries.c.waiting_since, deliveries.c.id)
_waiting_before = (
    select(func.count())
    .select_from(_ahead)
    .where(
        _ahead.c.site_id == deliveries.c.site_id,
        _ahead.c.status == LockerDeliveryStatus.WAITING,
        tuple_(_ahead.c.waiting_since, _ahead.c.id) < tuple_(*_in_turn),
    )
    .scalar_subquery()
)
_placed = select(
    *(column for column in deliveries.c if column.name != "client_id"),
    case((_waits, _waiting_before)).label("waiting_before"),
    sites.c.name.label("site_name"),
    sites.c.address.label("site_address"),
    sites.c.opening_hours,
    sites.c.access_notes,
    cabinets.c.code.label("cabinet"),
    boxes.c.number.label("box"),
    parcels.c.code_made_at,
).select_from(
    deliveries.join(sites, sites.c.id == deliveries.c.site_id)
    .outerjoin(parcels, parcels.c.id == deliveries.c.parcel_id)
    .outerjoin(boxes, boxes.c.id == parcels.c.box_id)
    .outerjoin(cabinets, cabinets.c.id == boxes.c.cabinet_id)
)
_of_orders = _placed.where(in_param(deliveries.c.order_id, "orders"))
_queue = (
    select(deliveries.c.order_id, deliveries.c.size, deliveries.c.low)
    .where(deliveries.c.site_id == bindparam("site"), _waits)
    .order_by(*_in_turn)
    .limit(bindparam("limit"))
)
_same_boxes = exists(
    select(deliveries.c.id).where(
        deliveries.c.site_id == bindparam("site"),
        _waits,
        deliveries.c.order_id != bindparam("order"),
        in_param(deliveries.c.size, "sizes"),
        deliveries.c.low.is_(False) | bindparam("low", type_=Boolean),
    )
)
_sites_with_queue = select(deliveries.c.site_id).where(_waits).distinct()
_lock = select(deliveries.c.id).where(deliveries.c.order_id == bindparam("order")).with_for_update()


class _Locked(Row):
    id: int


class QueuedRow(Row):
    """A waiting order and the compartment that it needs."""

    order_id: int
    size: str
    low: bool


class _Site(Row):
    site_id: int


async def insert_delivery(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert a delivery. Raises `UniqueConflict` if the order has one."""
    await work.insert(deliveries, **values)


async def update_delivery(work: UnitOfWork, delivery_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a delivery."""
    changed = update(deliveries).where(deliveries.c.id == bindparam("delivery")).values(**values)
    await work.run(changed, delivery=delivery_id)


async def list_deliveries_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[LockerDeliveryRow]:
    """Return the locker deliveries of orders, in one statement."""
    return await work.all(_of_orders, LockerDeliveryRow, orders=list(order_ids)) if order_ids else []


async def lock_delivery_of_order(work: UnitOfWork, order_id: int) -> LockerDeliveryRow | None:
    """Lock and return the locker delivery of an order, or None."""
    if await work.first(_lock, _Locked, order=order_id) is None:
        return None
    return (await list_deliveries_of_orders(work, [order_id]))[0]


async def list_delivery_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[LockerDeliveryRow], int]:
    """List a page of matching deliveries, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions = [deliveries.c[name] == value for name, value in wanted.items()]
    page = _placed.where(*conditions).order_by(deliveries.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), LockerDeliveryRow)
    counted = select(deliveries.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


async def list_queue(work: UnitOfWork, site_id: int, *, limit: int) -> Sequence[QueuedRow]:
    """List the orders waiting for a compartment of a site, longest wait first."""
    return await work.all(_queue, QueuedRow, site=site_id, limit=limit)


async def is_queue_before(work: UnitOfWork, order_id: int, site_id: int, sizes: Collection[str], *, low: bool) -> bool:
    """Return True if other orders wait for a compartment that suits an order."""
    wanted = {"order": order_id, "site": site_id, "sizes": list(sizes), "low": low}
    return bool(await work.value(select(_same_boxes), **wanted))


async def list_sites_with_queue(work: UnitOfWork) -> list[int]:
    """List the sites with waiting orders."""
    return [row.site_id for row in await work.all(_sites_with_queue, _Site)]
