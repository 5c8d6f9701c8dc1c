"""Tables and statements of products."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Boolean, Index, Select, String, UniqueConstraint, bindparam, delete, select, update

from haulier.contexts.custom_fields.public import (
    Document,
    FilterPlan,
    ResourceKind,
    custom_fields_column,
    matching_records,
)
from haulier.contexts.warehouse.products.contract import BARCODE_MAX, SKU_MAX, Tracking
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX
from haulier.kernel.values.folded_text import has_words

# Prefix search is an index range only with binary collation, as in SQLite.
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
    """A barcode and its product.

    Stored as `barcode_key`.
    """

    barcode: Annotated[str, String(BARCODE_MAX)]
    product_id: Reference


product_barcodes = BarcodeRow.table
plain_columns(product_barcodes, "barcode")


_END_OF_PREFIX = "\U0010ffff"
_by_ids = select(products).where(in_param(products.c.id, "ids"))
_by_skus = select(products).where(in_param(products.c.sku, "skus"))
_locked = _by_ids.order_by(products.c.id).with_for_update()


_list = (
    select(products)
    .where(products.c.sku > bindparam("after", type_=String))
    .where(products.c.archived.is_(False) | bindparam("all", type_=Boolean))
    .order_by(products.c.sku)
    .limit(bindparam("page_size"))
)
_barcodes = select(product_barcodes).where(in_param(product_barcodes.c.barcode, "barcodes"))
_forget_barcodes = delete(product_barcodes).where(product_barcodes.c.product_id == bindparam("product"))


def _listed(by_fields: FilterPlan, text: str) -> Select[Any]:
    fitting = matching_records(ResourceKind.PRODUCT, products.c.id, by_fields) if by_fields else []
    if text:
        begins = (products.c.sku >= text) & (products.c.sku < text + _END_OF_PREFIX)
        fitting = [*fitting, begins | has_words(text, products.c.sku, products.c.name)]
    return _list.where(*fitting)


async def update_product_row(work: UnitOfWork, product_id: int, values: Mapping[str, Any]) -> bool:
    """Change columns of a product. Return False if there is none."""
    changed = update(products).where(products.c.id == bindparam("product")).values(**values)
    return await work.run(changed, product=product_id) > 0


async def replace_barcodes(work: UnitOfWork, product_id: int, barcodes: Collection[str]) -> set[str]:
    """Replace the barcodes of a product. Return those that belong to other products."""
    await work.run(_forget_barcodes, product=product_id)
    rows = [{"barcode": barcode, "product_id": product_id} for barcode in sorted(barcodes)]
    written = await work.insert_new(product_barcodes, rows, BarcodeRow)
    return set(barcodes) - {row.barcode for row in written}


async def lock_product_row(work: UnitOfWork, product_id: int) -> ProductRow | None:
    """Return a product of this client, locked until the transaction ends, or None."""
    return await work.first(_locked, ProductRow, ids=[product_id])


async def find_products_by_sku(work: UnitOfWork, skus: Collection[str]) -> dict[str, ProductRow]:
    """Return products of this client by SKU."""
    if not skus:
        return {}
    return {row.sku: row for row in await work.all(_by_skus, ProductRow, skus=list(skus))}


async def find_products_by_barcode(work: UnitOfWork, keys: Collection[str]) -> dict[str, int]:
    """Return ids of products by `barcode_key`."""
    if not keys:
        return {}
    return {row.barcode: row.product_id for row in await work.all(_barcodes, BarcodeRow, barcodes=list(keys))}


async def list_product_rows(
    work: UnitOfWork, *, text: str, after: str, archived: bool, limit: int, by_fields: FilterPlan
) -> Sequence[ProductRow]:
    """Return products by SKU, after one.

    `text` matches the beginning of the SKU, or words of SKU and name.
    """
    return await work.all(
        _listed(by_fields, text),
        ProductRow,
        after=after,
        all=archived,
        page_size=limit,
    )
