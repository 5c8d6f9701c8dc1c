"""Tables of the locker shop.

An item has its compartment in the form of a parcel, so that each compartment holds one thing.
"""

from datetime import date, datetime
from typing import Annotated

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Date, Index, Integer, LargeBinary, String
from sqlalchemy import UniqueConstraint as Unique

from haulier.contexts.lockers.sites.store.tables import EMAIL_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, directory_table, partial_unique_index, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX

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
    why="whoever has the link has no account, and their business is known by it alone",
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
