"""Statements on the compartments of rentals."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Integer, and_, bindparam, exists, func, null, select, update

from haulier.contexts.lockers.resale.store.tables import AllotmentRow, LeasedBoxRow, allotments
from haulier.contexts.lockers.sites.store.tables import boxes, cabinets, parcels
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork

_lives_in = and_(parcels.c.box_id == boxes.c.id, parcels.c.ended_at.is_(None))
_occupied = exists(select(parcels.c.id).where(_lives_in))
_free = (
    select(boxes.c.id)
    .where(
        boxes.c.site_id == bindparam("site"),
        boxes.c.size == bindparam("size"),
        boxes.c.usable.is_(True),
        boxes.c.lease_id.is_(None),
        ~_occupied,
    )
    .order_by(boxes.c.id)
    .limit(bindparam("most", type_=Integer))
    .with_for_update(skip_locked=True)
)
_filled = select(parcels.c.box_id.label("id")).where(in_param(parcels.c.box_id, "boxes"), parcels.c.ended_at.is_(None))
_give = update(boxes).where(in_param(boxes.c.id, "boxes")).values(lease_id=bindparam("lease", type_=Id))
_take_box = update(boxes).where(boxes.c.id == bindparam("box")).values(lease_id=null())
_take_all = update(boxes).where(boxes.c.lease_id == bindparam("lease")).values(lease_id=null())
_open = select(allotments).where(allotments.c.ended_at.is_(None))
_of_box = _open.where(allotments.c.box_id == bindparam("box"))
_of_lease = _open.where(allotments.c.lease_id == bindparam("lease")).order_by(allotments.c.id)
_end_all = (
    update(allotments)
    .where(allotments.c.lease_id == bindparam("lease"), allotments.c.ended_at.is_(None))
    .values(ended_at=bindparam("at", type_=UTCDateTime()))
)
_end_one = (
    update(allotments)
    .where(allotments.c.id == bindparam("allotment"))
    .values(ended_at=bindparam("at", type_=UTCDateTime()))
)
_note_out = (
    update(allotments)
    .where(allotments.c.id == bindparam("allotment"))
    .values(out_since=bindparam("since", type_=UTCDateTime()))
)
_shown = (
    select(
        allotments.c.box_id,
        cabinets.c.code.label("cabinet"),
        boxes.c.number.label("box"),
        boxes.c.size,
        boxes.c.low,
        boxes.c.state,
        allotments.c.since,
        allotments.c.out_since,
        parcels.c.id.label("parcel_id"),
    )
    .select_from(
        allotments.join(boxes, boxes.c.id == allotments.c.box_id)
        .join(cabinets, cabinets.c.id == boxes.c.cabinet_id)
        .outerjoin(parcels, _lives_in)
    )
    .where(allotments.c.lease_id == bindparam("lease"), allotments.c.ended_at.is_(None))
    .order_by(boxes.c.cabinet_id, boxes.c.number)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_counted = select(func.count()).select_from(_open.where(allotments.c.lease_id == bindparam("lease")).subquery())
_reserved = (
    select(parcels.c.id)
    .where(parcels.c.lease_id == bindparam("lease"), parcels.c.ended_at.is_(None), parcels.c.deposited_at.is_(None))
    .order_by(parcels.c.id)
)


class _Numbered(Row):
    id: int


async def lock_free_boxes(work: UnitOfWork, site_id: int, size: str, most: int) -> list[int]:
    """Lock and return free compartments of exactly one size, skipping locked rows."""
    return [row.id for row in await work.all(_free, _Numbered, site=site_id, size=size, most=most)]


async def list_filled(work: UnitOfWork, box_ids: Collection[int]) -> set[int]:
    """Return the compartments that hold or await a parcel."""
    return {row.id for row in await work.all(_filled, _Numbered, boxes=list(box_ids))} if box_ids else set()


async def allot_boxes(work: UnitOfWork, lease_id: int, box_ids: Collection[int], now: datetime) -> None:
    """Allot locked compartments to a rental."""
    await work.run(_give, lease=lease_id, boxes=list(box_ids))
    await work.insert_many(allotments, [{"lease_id": lease_id, "box_id": id, "since": now} for id in box_ids])


async def release_box(work: UnitOfWork, allotment: AllotmentRow, now: datetime) -> None:
    """Release a compartment from its rental."""
    await work.run(_take_box, box=allotment.box_id)
    await work.run(_end_one, allotment=allotment.id, at=now)


async def release_boxes(work: UnitOfWork, lease_id: int, now: datetime) -> None:
    """Release all compartments of a rental."""
    await work.run(_take_all, lease=lease_id)
    await work.run(_end_all, lease=lease_id, at=now)


async def note_out_since(work: UnitOfWork, allotment_id: int, since: datetime | None) -> None:
    """Record the start or end of an outage of a rented compartment."""
    await work.run(_note_out, allotment=allotment_id, since=since)


async def find_allotment_of_box(work: UnitOfWork, box_id: int) -> AllotmentRow | None:
    """Return the allotment of a compartment, or None."""
    return await work.first(_of_box, AllotmentRow, box=box_id)


async def list_allotments(work: UnitOfWork, lease_id: int) -> Sequence[AllotmentRow]:
    """List the current compartments of a rental."""
    return await work.all(_of_lease, AllotmentRow, lease=lease_id)


async def list_box_rows(
    work: UnitOfWork, lease_id: int, *, limit: int, offset: int
) -> tuple[Sequence[LeasedBoxRow], int]:
    """List a page of the current compartments of a rental, with their count."""
    rows = await work.all(_shown, LeasedBoxRow, lease=lease_id, page_size=limit, skipped=offset)
    return rows, await work.value(_counted, lease=lease_id)


async def list_reserved_parcels(work: UnitOfWork, lease_id: int) -> list[int]:
    """List the parcels with a reserved but empty compartment of a rental."""
    return [row.id for row in await work.all(_reserved, _Numbered, lease=lease_id)]
