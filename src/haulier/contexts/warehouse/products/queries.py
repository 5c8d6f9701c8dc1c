"""Products as other families read them."""

from collections.abc import Collection, Sequence

from haulier.contexts.warehouse.products.rules.barcodes import barcode_key
from haulier.contexts.warehouse.products.store import products as store
from haulier.contexts.warehouse.products.store.tables import ProductRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.pagination import make_cursor, parse_cursor


async def get_product(call: Call, product_id: int) -> ProductRow:
    """A product of this client. Raises `NOT_FOUND`."""
    rows = await store.get_product_rows(call.work, [product_id])
    if product_id not in rows:
        raise record_not_found(product_id=product_id)
    return rows[product_id]


async def get_product_rows(call: Call, ids: Collection[int]) -> dict[int, ProductRow]:
    """Products of this client by id."""
    return await store.get_product_rows(call.work, ids)


async def find_products_by_sku(call: Call, skus: Collection[str]) -> dict[str, ProductRow]:
    """Products of this client by SKU."""
    return await store.find_products_by_sku(call.work, skus)


async def find_product_by_barcode(call: Call, barcode: str) -> ProductRow | None:
    """The product that a barcode is printed on, or None."""
    found = await store.find_products_by_barcode(call.work, [barcode_key(barcode)])
    rows = await store.get_product_rows(call.work, found.values())
    return next(iter(rows.values()), None)


async def list_product_page(
    call: Call, *, prefix: str | None, cursor: str | None, archived: bool, per_page: int
) -> tuple[Sequence[ProductRow], str | None]:
    """A page of products by SKU, and the cursor of the next page."""
    after = parse_cursor(cursor, tuple[str])[0] if cursor else ""
    rows = await store.list_product_rows(
        call.work, prefix=prefix or "", after=after, archived=archived, limit=per_page + 1
    )
    page = rows[:per_page]
    return page, make_cursor(page[-1].sku) if len(rows) > per_page else None
