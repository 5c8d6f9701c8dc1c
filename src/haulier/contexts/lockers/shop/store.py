"""Tables and statements of the locker shop.

An item has its compartment in the form of a parcel, so that each compartment holds one thing.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    LargeBinary,
    String,
    and_,
    bindparam,
    case,
    cast,
    func,
    select,
    update,
)
from sqlalchemy import UniqueConstraint as Unique

from haulier.contexts.lockers.shop.rules import ItemStatus, RestockStatus, ShopStatus
from haulier.contexts.lockers.sites.store import EMAIL_MAX, boxes, cabinets, parcels, sites
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, directory_table, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX
from haulier.kernel.values.folded_text import has_words
from haulier.kernel.values.pagination import MAX_COUNT

CODE_MAX, TAX_NAME_MAX, STATUS_MAX = 40, 30, 20


class ShopProductRow(
    Record,
    table="shop_product",
    items=[
        Unique("client_id", "code"),
        Index("ix_shop_product_name", "client_id", "retired", "name"),
        CheckConstraint("shelf_price_minor > 0", name="price"),
    ],
):
    """A product."""

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    description: Annotated[str, String(NOTE_MAX)] | None
    shelf_price_minor: BigInt
    shelf_currency: Annotated[str, String(3)]
    tax_name: Annotated[str, String(TAX_NAME_MAX)]
    tax_basis_points: int
    size: Annotated[str, String(2)]
    shelf_days: int | None
    picture_id: Reference | None
    retired: bool
    created_at: datetime


products = ShopProductRow.table
plain_columns(products, "code", "name", "description", "shelf_currency", "tax_name", "size")


class ShopSettingsRow(Record, table="shop_settings", items=[Unique("client_id")]):
    """Settings of the locker shop."""

    walk_in_customer_id: Reference | None
    reserve_min: int
    pickup_hours: int


settings = ShopSettingsRow.table

tasks = tenant_table(
    "shop_restock_task",
    Column("site_id", Id, nullable=False),
    Column("product_id", Id, nullable=False),
    Column("quantity", Integer, nullable=False),
    Column("filled", Integer, nullable=False),
    Column("due_on", Date),
    Column("note", String(NOTE_MAX)),
    Column("status", String(STATUS_MAX), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("closed_at", UTCDateTime),
    Index("ix_shop_restock_task_status", "client_id", "status", "site_id"),
)
plain_columns(tasks, "note", "status")

items = tenant_table(
    "shop_item",
    Column("product_id", Id, nullable=False),
    Column("site_id", Id, nullable=False),
    Column("parcel_id", Id, nullable=False),
    Column("task_id", Id, nullable=False),
    Column("status", String(STATUS_MAX), nullable=False),
    Column("expires_on", Date),
    Column("created_at", UTCDateTime, nullable=False),
    Column("available_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Unique("client_id", "parcel_id"),
    Index("ix_shop_item_offer", "client_id", "site_id", "product_id", "status", "expires_on"),
    Index("ix_shop_item_expiry", "client_id", "status", "expires_on"),
)
"""One row per item in a compartment. `parcel_id` is the parcel of the compartment."""
plain_columns(items, "status")

purchases = tenant_table(
    "shop_purchase",
    Column("product_id", Id, nullable=False),
    Column("product_name", String(NAME_MAX), nullable=False),
    Column("item_id", Id, nullable=False),
    Column("parcel_id", Id, nullable=False),
    Column("site_id", Id, nullable=False),
    Column("channel", String(STATUS_MAX), nullable=False),
    Column("customer_id", Id, nullable=False),
    Column("buyer_email", String(EMAIL_MAX)),
    Column("language", String(10)),
    Column("device_id", Id),
    Column("frame_sequence", BigInteger),
    Column("shelf_price_minor", BigInteger, nullable=False),
    Column("tax_minor", BigInteger, nullable=False),
    Column("tax_name", String(TAX_NAME_MAX), nullable=False),
    Column("tax_basis_points", Integer, nullable=False),
    Column("shelf_currency", String(3), nullable=False),
    Column("status", String(STATUS_MAX), nullable=False),
    Column("paid_by", String(STATUS_MAX)),
    Column("transfer_id", Id),
    Column("end_reason", String(STATUS_MAX)),
    Column("note", String(REASON_MAX)),
    Column("taken_after_refund", Boolean, nullable=False),
    Column("reserved_until", UTCDateTime, nullable=False),
    Column("pickup_until", UTCDateTime),
    Column("sold_on", Date),
    Column("created_at", UTCDateTime, nullable=False),
    Column("paid_at", UTCDateTime),
    Column("ready_at", UTCDateTime),
    Column("collected_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Unique("client_id", "device_id", "frame_sequence"),
    Index("ix_shop_purchase_customer", "client_id", "customer_id", "id"),
    Index("ix_shop_purchase_status", "client_id", "status", "id"),
    Index("ix_shop_purchase_parcel", "client_id", "parcel_id"),
    Index("ix_shop_purchase_sold", "client_id", "sold_on"),
)
"""`customer_id` pays from credit: for guests and visitors, the account of the business for them. `taken_after_refund`
marks a door that was reported open later.
"""
partial_unique_index("uq_shop_purchase_item", "ended_at IS NULL", purchases.c.item_id)
personal_data(
    purchases,
    RecordKind.LOCKER_PARCELS,
    by={"customer_id": PersonKey.USER, "buyer_email": PersonKey.EMAIL},
    erased={"buyer_email": None, "note": None},
    in_use=purchases.c.ended_at.is_(None),
    plain=(
        *("product_name", "channel", "language", "tax_name", "shelf_currency"),
        *("status", "paid_by", "end_reason"),
    ),
)


class ShopLinkRow(
    Record,
    table="shop_link",
    kind=directory_table,
    why="holders of the link have no account; only the link names the business",
):
    """A link to a purchase."""

    client_id: int
    purchase_id: Reference
    token_sha256: Annotated[bytes, Column("token_sha256", LargeBinary(32), nullable=False, unique=True)]
    expires_at: datetime


links = ShopLinkRow.table
plain_columns(links, "token_sha256")


class RestockTaskRow(Row):
    """A restock task."""

    id: int
    site_id: int
    product_id: int
    quantity: int
    filled: int
    due_on: date | None
    note: str | None
    status: str
    created_at: datetime
    closed_at: datetime | None
    site_name: str
    product_name: str


class ShopItemRow(Row):
    """An item with its product and compartment."""

    id: int
    product_id: int
    site_id: int
    parcel_id: int
    task_id: int
    status: str
    expires_on: date | None
    created_at: datetime
    available_at: datetime | None
    ended_at: datetime | None
    product_code: str
    product_name: str
    cabinet: str | None
    box: int | None


class ShopPurchaseRow(Row):
    """A purchase and its compartment."""

    id: int
    product_id: int
    product_name: str
    item_id: int
    parcel_id: int
    site_id: int
    channel: str
    customer_id: int
    buyer_email: str | None
    language: str | None
    device_id: int | None
    shelf_price_minor: int
    tax_minor: int
    tax_name: str
    tax_basis_points: int
    shelf_currency: str
    status: str
    paid_by: str | None
    transfer_id: int | None
    end_reason: str | None
    note: str | None
    taken_after_refund: bool
    reserved_until: datetime
    pickup_until: datetime | None
    sold_on: date | None
    created_at: datetime
    paid_at: datetime | None
    ready_at: datetime | None
    collected_at: datetime | None
    ended_at: datetime | None
    site_name: str
    site_address: str
    cabinet: str | None
    box: int | None
    opener_id: int | None
    """Device that opens the compartment."""


class ShopOfferRow(Row):
    """A product and its number of items on sale at a site."""

    id: int
    code: str
    name: str
    description: str | None
    shelf_price_minor: int
    shelf_currency: str
    tax_name: str
    tax_basis_points: int
    picture_id: int | None
    available: int


class ShopSalesRow(Row):
    """Sales of a product, at a site or on a day."""

    key: str
    name: str
    currency: str
    sold: int
    gross_minor: int
    tax_minor: int
    refunded: int
    refunded_minor: int


_today = bindparam("today", type_=Date)
_fresh = items.c.expires_on.is_(None) | (items.c.expires_on >= _today)
_for_sale = and_(items.c.status == ItemStatus.AVAILABLE.value, _fresh)
_item_placed = select(
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
_one_item = _item_placed.where(items.c.id == bindparam("item"))
_of_parcel = _item_placed.where(items.c.parcel_id == bindparam("parcel"))
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
    return await work.first(_one_item, ShopItemRow, item=item_id)


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
    page = _item_placed.where(*conditions).order_by(items.c.expires_on.is_(None), items.c.expires_on, items.c.id)
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


_settings = select(settings)


async def update_product(work: UnitOfWork, product_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a product."""
    if values:
        changed = update(products).where(products.c.id == bindparam("product")).values(**values)
        await work.run(changed, product=product_id)


async def list_product_rows(
    work: UnitOfWork, *, retired: bool, search: str | None, limit: int, offset: int
) -> tuple[Sequence[ShopProductRow], int]:
    """List a page of products by name, with their count.

    `search` has words in code and name.
    """
    conditions: list[ColumnElement[bool]] = [] if retired else [products.c.retired.is_(False)]
    if search:
        conditions.append(has_words(search, products.c.name, products.c.code))
    page = select(products).where(*conditions).order_by(products.c.name, products.c.id).limit(limit).offset(offset)
    counted = select(func.count()).select_from(products).where(*conditions)
    return await work.all(page, ShopProductRow), await work.value(counted)


async def get_settings_row(work: UnitOfWork) -> ShopSettingsRow | None:
    """Return the settings of the locker shop, or None."""
    return await work.first(_settings, ShopSettingsRow)


async def write_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert or update the settings of the locker shop."""
    await work.upsert(settings, (), **values)


BY_LINK = "holders of the link have no account; only the link names the business"
_p = purchases.c
_purchase_placed = select(
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
_one_purchase = _purchase_placed.where(_p.id == bindparam("purchase"))
_lock = select(_p.id).where(_p.id == bindparam("purchase")).with_for_update()
_newest_of_parcel = select(_p.id).where(_p.parcel_id == bindparam("parcel")).order_by(_p.id.desc()).limit(1)
_of_frame = _purchase_placed.where(_p.device_id == bindparam("device"), _p.frame_sequence == bindparam("sequence"))
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
    return await work.first(_one_purchase, ShopPurchaseRow, purchase=purchase_id)


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
    page = _purchase_placed.where(*conditions).order_by(_p.id.desc()).limit(limit).offset(offset)
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
