"""Statements on items and restock tasks."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Date, and_, bindparam, func, select, update

from haulier.contexts.lockers.shop.rules import ItemStatus, RestockStatus
from haulier.contexts.lockers.shop.store.tables import (
    RestockTaskRow,
    ShopItemRow,
    ShopOfferRow,
    items,
    products,
    tasks,
)
from haulier.contexts.lockers.sites.store.tables import boxes, cabinets, parcels, sites
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_today = bindparam("today", type_=Date)
_fresh = items.c.expires_on.is_(None) | (items.c.expires_on >= _today)
_for_sale = and_(items.c.status == ItemStatus.AVAILABLE.value, _fresh)
_placed = select(
    *(column for column in items.c if column.name != "client_id"),
    products.c.code.label("product_code"),
    products.c.name.label("product_name"),
    cabinets.c.code.label("cabinet"),
    boxes.c.number.label("box"),
).select_from(
    items.join(products, products.c.id == items.c.product_id)
    .outerjoin(parcels, parcels.c.id == items.c.parcel_id)
    .outerjoin(boxes, boxes.c.id == parcels.c.box_id)
    .outerjoin(cabinets, cabinets.c.id == boxes.c.cabinet_id)
)
_one = _placed.where(items.c.id == bindparam("item"))
_of_parcel = _placed.where(items.c.parcel_id == bindparam("parcel"))
_lock_one = select(items.c.id).where(items.c.id == bindparam("item")).with_for_update()
_take = (
    select(items.c.id)
    .where(items.c.site_id == bindparam("site"), items.c.product_id == bindparam("product"), _for_sale)
    # Nulls last: items without expiry are sold after all others.
    .order_by(items.c.expires_on.is_(None), items.c.expires_on, items.c.id)
    .limit(1)
    .with_for_update(skip_locked=True)
)
_reserve = (
    update(items)
    .where(items.c.id == bindparam("item"), items.c.status == ItemStatus.AVAILABLE.value)
    .values(status=ItemStatus.RESERVED.value)
)
_block = (
    update(items)
    .where(
        items.c.status == ItemStatus.AVAILABLE.value,
        items.c.parcel_id.in_(
            select(parcels.c.id).where(parcels.c.box_id == bindparam("box"), parcels.c.ended_at.is_(None))
        ),
    )
    .values(status=ItemStatus.BLOCKED.value)
)
_offers = (
    select(
        products.c.id,
        *(products.c[name] for name in ("code", "name", "description", "shelf_price_minor", "shelf_currency")),
        *(products.c[name] for name in ("tax_name", "tax_basis_points", "picture_id")),
        func.count(items.c.id).label("available"),
    )
    .select_from(items.join(products, products.c.id == items.c.product_id))
    .where(items.c.site_id == bindparam("site"), _for_sale, products.c.retired.is_(False))
    .group_by(products.c.client_id, products.c.id)
    .order_by(products.c.name, products.c.id)
    .limit(bindparam("most"))
)
_task = select(
    *(column for column in tasks.c if column.name != "client_id"),
    sites.c.name.label("site_name"),
    products.c.name.label("product_name"),
).select_from(tasks.join(sites, sites.c.id == tasks.c.site_id).join(products, products.c.id == tasks.c.product_id))
_one_task = _task.where(tasks.c.id == bindparam("task"))
_lock_task = select(tasks.c.id).where(tasks.c.id == bindparam("task")).with_for_update()
_filling = select(func.count(items.c.id)).where(
    items.c.task_id == bindparam("task"), items.c.status == ItemStatus.FILLING.value
)


async def insert_item(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert an item."""
    return await work.insert(items, **values)


async def update_item(work: UnitOfWork, item_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a piece."""
    await work.run(update(items).where(items.c.id == bindparam("item")).values(**values), item=item_id)


async def get_item_row(work: UnitOfWork, item_id: int, *, lock: bool = False) -> ShopItemRow | None:
    """Return an item of this client, or None."""
    if lock and not await work.all(_lock_one, item=item_id):
        return None
    return await work.first(_one, ShopItemRow, item=item_id)


async def find_item_of_parcel(work: UnitOfWork, parcel_id: int) -> ShopItemRow | None:
    """Return the item whose compartment is this parcel, or None."""
    return await work.first(_of_parcel, ShopItemRow, parcel=parcel_id)


async def reserve_item(work: UnitOfWork, site_id: int, product_id: int, today: date) -> ShopItemRow | None:
    """Reserve and return the item of a product to sell first, or None."""
    found = await work.all(_take, site=site_id, product=product_id, today=today)
    if not found or not await work.run(_reserve, item=found[0].id):
        return None
    return await get_item_row(work, found[0].id)


async def block_item_of_box(work: UnitOfWork, box_id: int) -> None:
    """Take the item in a compartment off sale."""
    await work.run(_block, box=box_id)


async def list_offer_rows(work: UnitOfWork, site_id: int, today: date, most: int) -> Sequence[ShopOfferRow]:
    """List the products on sale at a site by name."""
    return await work.all(_offers, ShopOfferRow, site=site_id, today=today, most=most)


async def list_item_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, expiring_by: date | None, limit: int, offset: int
) -> tuple[Sequence[ShopItemRow], int]:
    """List a page of items, earliest expiry first, with their count.

    Counting stops one above `MAX_COUNT`. With `expiring_by`, only items in compartments that expire by then.
    """
    conditions: list[ColumnElement[bool]] = [items.c[name] == value for name, value in wanted.items()]
    if expiring_by is not None:
        conditions += [items.c.ended_at.is_(None), items.c.expires_on <= bindparam("by", expiring_by, Date)]
    page = _placed.where(*conditions).order_by(items.c.expires_on.is_(None), items.c.expires_on, items.c.id)
    counted = select(items.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    rows = await work.all(page.limit(limit).offset(offset), ShopItemRow)
    return rows, await work.value(select(func.count()).select_from(counted))


async def insert_task(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a restock task."""
    return await work.insert(tasks, status=RestockStatus.OPEN.value, filled=0, **values)


async def update_task(work: UnitOfWork, task_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a task."""
    await work.run(update(tasks).where(tasks.c.id == bindparam("task")).values(**values), task=task_id)


async def get_task_row(work: UnitOfWork, task_id: int, *, lock: bool = False) -> RestockTaskRow | None:
    """Return a restock task of this client, or None."""
    if lock and not await work.all(_lock_task, task=task_id):
        return None
    return await work.first(_one_task, RestockTaskRow, task=task_id)


async def count_filling(work: UnitOfWork, task_id: int) -> int:
    """Count the compartments being filled for a task."""
    return await work.value(_filling, task=task_id)


async def list_task_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[RestockTaskRow], int]:
    """List a page of tasks, newest first, with their count."""
    conditions = [tasks.c[name] == value for name, value in wanted.items()]
    page = _task.where(*conditions).order_by(tasks.c.id.desc()).limit(limit).offset(offset)
    counted = select(tasks.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, RestockTaskRow), await work.value(select(func.count()).select_from(counted))
