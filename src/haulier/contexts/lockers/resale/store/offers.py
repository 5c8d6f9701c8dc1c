"""Statements on rental offers and their availability."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Integer, and_, bindparam, cast, func, select, update

from haulier.contexts.lockers.resale.rules import LIVE
from haulier.contexts.lockers.resale.store.tables import LetBoxesRow, LockerOfferRow, leases, offers
from haulier.contexts.lockers.sites.store.tables import boxes, parcels
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_let = (
    select(leases.c.offer_id.label("id"), cast(func.sum(leases.c.boxes), BigInteger).label("boxes"))
    .where(in_param(leases.c.offer_id, "offers"), leases.c.status.in_([each.value for each in sorted(LIVE)]))
    .group_by(leases.c.offer_id)
)
_empty = and_(
    boxes.c.site_id == offers.c.site_id,
    boxes.c.size == offers.c.size,
    boxes.c.usable.is_(True),
    boxes.c.lease_id.is_(None),
)
_lives_in = and_(parcels.c.box_id == boxes.c.id, parcels.c.ended_at.is_(None))
_free = (
    select(offers.c.id, func.count(boxes.c.id).cast(Integer).label("boxes"))
    .select_from(offers.join(boxes, _empty).outerjoin(parcels, _lives_in))
    .where(in_param(offers.c.id, "offers"), parcels.c.id.is_(None))
    .group_by(offers.c.id)
)


async def update_offer(work: UnitOfWork, offer_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of an offer."""
    if values:
        changed = update(offers).where(offers.c.id == bindparam("offer")).values(**values)
        await work.run(changed, offer=offer_id)


async def list_offer_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[LockerOfferRow], int]:
    """List a page of matching offers, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [offers.c[name] == value for name, value in wanted.items()]
    page = select(offers).where(*conditions).order_by(offers.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), LockerOfferRow)
    counted = select(offers.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


async def count_let_boxes(work: UnitOfWork, offer_ids: Collection[int]) -> dict[int, int]:
    """Count the rented or reserved compartments by offer."""
    if not offer_ids:
        return {}
    return {row.id: row.boxes for row in await work.all(_let, LetBoxesRow, offers=list(offer_ids))}


async def count_free_boxes(work: UnitOfWork, offer_ids: Collection[int]) -> dict[int, int]:
    """Count the free compartments at the sites of offers."""
    if not offer_ids:
        return {}
    return {row.id: row.boxes for row in await work.all(_free, LetBoxesRow, offers=list(offer_ids))}
