"""The tables of products and their barcodes."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Index, String, UniqueConstraint

from haulier.contexts.custom_fields.public import Document, ResourceKind, custom_fields_column
from haulier.contexts.warehouse.products.contract import BARCODE_MAX, SKU_MAX, Tracking
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.operations.fields import NAME_MAX

# Why: what begins so is a range of the index only where signs sort by their numbers, as SQLite has them.
_BY_CODE_POINT = String(SKU_MAX).with_variant(String(SKU_MAX, collation="C"), "postgresql")


class ProductRow(Record, table="product", items=[UniqueConstraint("client_id", "sku")]):
    """A product."""

    sku: Annotated[str, _BY_CODE_POINT]
    name: Annotated[str, String(NAME_MAX)]
    barcodes: list[str]
    weight_g: int
    length_mm: int
    width_mm: int
    height_mm: int
    tracking: Annotated[Tracking, String(10)]
    expires: bool
    reorder_below: int
    unit_value_minor: BigInt | None
    custom_fields: Annotated[Document | None, custom_fields_column(ResourceKind.PRODUCT)]
    archived: bool
    created_at: datetime
    updated_at: datetime


products = ProductRow.table
plain_columns(products, "sku", "name", "barcodes", "tracking", "custom_fields")


class BarcodeRow(
    Record,
    table="product_barcode",
    items=[UniqueConstraint("client_id", "barcode"), Index("ix_product_barcode_product", "client_id", "product_id")],
):
    """Which product a barcode is printed on.

    By `barcode_key`.
    """

    barcode: Annotated[str, String(BARCODE_MAX)]
    product_id: Reference


product_barcodes = BarcodeRow.table
plain_columns(product_barcodes, "barcode")
