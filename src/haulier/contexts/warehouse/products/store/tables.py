"""The tables of products and their barcodes."""

from datetime import datetime

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, UniqueConstraint

from haulier.contexts.custom_fields.public import Document, ResourceKind, custom_fields_column
from haulier.contexts.warehouse.products.contract import BARCODE_MAX, SKU_MAX, Tracking
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import NAME_MAX

# Why: what begins so is a range of the index only where signs sort by their numbers, as SQLite has them.
_BY_CODE_POINT = String(SKU_MAX).with_variant(String(SKU_MAX, collation="C"), "postgresql")

products = tenant_table(
    "product",
    Column("sku", _BY_CODE_POINT, nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("barcodes", Json, nullable=False),
    Column("weight_g", Integer, nullable=False),
    Column("length_mm", Integer, nullable=False),
    Column("width_mm", Integer, nullable=False),
    Column("height_mm", Integer, nullable=False),
    Column("tracking", String(10), nullable=False),
    Column("expires", Boolean, nullable=False),
    Column("reorder_below", Integer, nullable=False),
    Column("unit_value_minor", BigInteger),
    custom_fields_column(ResourceKind.PRODUCT),
    Column("archived", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "sku"),
)
plain_columns(products, "sku", "name", "barcodes", "tracking", "custom_fields")

product_barcodes = tenant_table(
    "product_barcode",
    Column("barcode", String(BARCODE_MAX), nullable=False),
    Column("product_id", Id, nullable=False),
    UniqueConstraint("client_id", "barcode"),
    Index("ix_product_barcode_product", "client_id", "product_id"),
)
"""By `barcode_key`."""
plain_columns(product_barcodes, "barcode")


class ProductRow(Row):
    """A product."""

    id: int
    sku: str
    name: str
    barcodes: list[str]
    weight_g: int
    length_mm: int
    width_mm: int
    height_mm: int
    tracking: Tracking
    expires: bool
    reorder_below: int
    unit_value_minor: int | None
    custom_fields: Document | None
    archived: bool
    created_at: datetime
    updated_at: datetime


class BarcodeRow(Row):
    """Which product a barcode is printed on."""

    barcode: str
    product_id: int
