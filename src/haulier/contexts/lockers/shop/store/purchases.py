"""Statements on purchases, links and sales."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import BigInteger, Date, String, bindparam, case, cast, func, select, update

from haulier.contexts.lockers.shop.rules import ShopStatus
from haulier.contexts.lockers.shop.store.tables import (
    ShopLinkRow,
    ShopPurchaseRow,
    ShopSalesRow,
    links,
    purchases,
)
from haulier.contexts.lockers.sites.store.tables import boxes, cabinets, parcels, sites
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

BY_LINK = "whoever has the link has no account, and their business is known by it alone"
_p = purchases.c
_placed = select(
    *(column for column in purchases.c if column.name not in ("client_id", "frame_sequence")),
    sites.c.name.label("site_name"),
    sites.c.address.label("site_address"),
    cabinets.c.code.label("cabinet"),
    boxes.c.number.label("box"),
    cabinets.c.device_id.label("opener_id"),
).select_from(
    purchases.join(sites, sites.c.id == _p.site_id)
    .outerjoin(parcels, parcels.c.id == _p.parcel_id)
    .outerjoin(boxes, boxes.c.id == parcels.c.box_id)
    .outerjoin(cabinets, cabinets.c.id == boxes.c.cabinet_id)
)
_one = _placed.where(_p.id == bindparam("purchase"))
_lock = select(_p.id).where(_p.id == bindparam("purchase")).with_for_update()
_newest_of_parcel = select(_p.id).where(_p.parcel_id == bindparam("parcel")).order_by(_p.id.desc()).limit(1)
_of_frame = _placed.where(_p.device_id == bindparam("device"), _p.frame_sequence == bindparam("sequence"))
_by_token = select(links).where(links.c.token_sha256 == bindparam("digest"))
_refunded = _p.status == ShopStatus.REFUNDED.value


async def insert_purchase(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a purchase. Raises `UniqueConflict` for an item in another purchase."""
    return await work.insert(purchases, **values)


async def update_purchase(work: UnitOfWork, purchase_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a purchase."""
    changed = update(purchases).where(_p.id == bindparam("purchase")).values(**values)
    await work.run(changed, purchase=purchase_id)


async def get_purchase_row(work: UnitOfWork, purchase_id: int, *, lock: bool = False) -> ShopPurchaseRow | None:
    """Return a purchase of this client, or None."""
    if lock and not await work.all(_lock, purchase=purchase_id):
        return None
    return await work.first(_one, ShopPurchaseRow, purchase=purchase_id)


async def find_purchase_of_parcel(work: UnitOfWork, parcel_id: int) -> int | None:
    """Return the newest purchase of the item in a compartment, or None."""
    found = await work.all(_newest_of_parcel, parcel=parcel_id)
    return found[0].id if found else None


async def find_purchase_of_frame(work: UnitOfWork, device_id: int, sequence: int) -> ShopPurchaseRow | None:
    """Return the purchase of a device frame, or None."""
    return await work.first(_of_frame, ShopPurchaseRow, device=device_id, sequence=sequence)


async def list_purchase_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[ShopPurchaseRow], int]:
    """List a page of purchases, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions = [purchases.c[name] == value for name, value in wanted.items()]
    page = _placed.where(*conditions).order_by(_p.id.desc()).limit(limit).offset(offset)
    counted = select(_p.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, ShopPurchaseRow), await work.value(select(func.count()).select_from(counted))


async def find_link(work: UnitOfWork, digest: bytes) -> ShopLinkRow | None:
    """Return the purchase of a link, of any client, or None."""
    return await work.without_tenant_filter(BY_LINK).first(_by_token, ShopLinkRow, digest=digest)


_GROUPS: Mapping[str, tuple[Any, Any]] = {
    "product": (cast(_p.product_id, String), func.max(_p.product_name)),
    "site": (cast(_p.site_id, String), func.max(sites.c.name)),
    "day": (cast(_p.sold_on, String), cast(func.max(_p.sold_on), String)),
}


async def list_sales_rows(
    work: UnitOfWork, group: str, first: date, last: date, *, site_id: int | None, most: int
) -> Sequence[ShopSalesRow]:
    """Sum sales of a period by product, site or day, highest first, in one statement."""
    key, name = _GROUPS[group]
    conditions = [_p.sold_on >= bindparam("first", first, Date), _p.sold_on <= bindparam("last", last, Date)]
    if site_id is not None:
        conditions.append(_p.site_id == site_id)
    total = func.sum(_p.shelf_price_minor)
    sums = (
        select(
            key.label("key"),
            name.label("name"),
            _p.shelf_currency.label("currency"),
            func.count(_p.id).label("sold"),
            cast(total, BigInteger).label("gross_minor"),
            cast(func.sum(_p.tax_minor), BigInteger).label("tax_minor"),
            cast(func.sum(case((_refunded, 1), else_=0)), BigInteger).label("refunded"),
            cast(func.sum(case((_refunded, _p.shelf_price_minor), else_=0)), BigInteger).label("refunded_minor"),
        )
        .select_from(purchases.join(sites, sites.c.id == _p.site_id))
        .where(*conditions)
        .group_by(key, _p.shelf_currency)
        .order_by(total.desc(), key)
        .limit(most)
    )
    return await work.all(sums, ShopSalesRow)
