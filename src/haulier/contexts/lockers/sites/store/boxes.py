"""Statements on boxes."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, Integer, and_, bindparam, case, exists, func, select, update

from haulier.contexts.lockers.sites.store.tables import (
    LOCKERS_CHANNEL,
    FreeCountRow,
    LockerBoxRow,
    OccupiedBoxRow,
    boxes,
    cabinets,
    parcels,
    sites,
)
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id
from haulier.kernel.data.unit_of_work import UnitOfWork

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
_with_parcels = select(boxes, parcels.c.id.label("parcel_id")).select_from(boxes.outerjoin(parcels, _lives_in))
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


async def settle_usable(work: UnitOfWork, site_id: int) -> None:
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
