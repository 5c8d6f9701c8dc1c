"""Products: list, show, create, change, archive."""

from typing import Any

from haulier.contexts.warehouse.products.contract import (
    CreateProduct,
    ListProducts,
    Product,
    ProductAnswer,
    ProductList,
    ProductRef,
    ProductTerms,
    UpdateProduct,
)
from haulier.contexts.warehouse.products.queries import find_product_by_barcode, get_product, list_product_page
from haulier.contexts.warehouse.products.rules.barcodes import barcode_key
from haulier.contexts.warehouse.products.store import products as store
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, declare_error, record_not_found
from haulier.kernel.operations.records import record

SKU_TAKEN = declare_error("sku_taken", 409)
PRODUCT_BARCODE_TAKEN = declare_error("product_barcode_taken", 409)
PRODUCT_PATH = "/v1/wms/products/{product_id}"


@reads(
    "list_products",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/products"), GraphQL("products")),
)
async def list_products(call: Call, request: ListProducts) -> ProductList:
    """List products by SKU, a page at a time; with `barcode`, the one that it is printed on."""
    if request.barcode:
        found = await find_product_by_barcode(call, request.barcode)
        return ProductList(products=[record(Product, found)] if found else [], next_cursor=None)
    rows, next_cursor = await list_product_page(
        call, prefix=request.search, cursor=request.cursor, archived=request.archived, per_page=request.per_page
    )
    return ProductList(products=[record(Product, row) for row in rows], next_cursor=next_cursor)


@reads(
    "get_product",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", PRODUCT_PATH), GraphQL("product")),
    errors=(NOT_FOUND,),
)
async def get_one_product(call: Call, request: ProductRef) -> ProductAnswer:
    """Show one product."""
    return await _load_product(call, request.product_id)


@writes(
    "create_product",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/wms/products"), GraphQL("createProduct")),
    errors=(SKU_TAKEN, PRODUCT_BARCODE_TAKEN),
)
async def create_product(call: Call, request: CreateProduct) -> ProductAnswer:
    """Add a product."""
    try:
        async with call.work.savepoint():
            id = await store.insert_product(
                call.work, sku=request.sku, **_columns(request), created_at=call.now, updated_at=call.now
            )
    except UniqueConflict:
        raise SKU_TAKEN(sku=request.sku) from None
    await _write_barcodes(call, id, request)
    return await _load_product(call, id)


@writes(
    "update_product",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", PRODUCT_PATH), GraphQL("updateProduct")),
    errors=(NOT_FOUND, PRODUCT_BARCODE_TAKEN),
)
async def update_product(call: Call, request: UpdateProduct) -> ProductAnswer:
    """Write a product anew: what is left out has its default. Stock keeps its lots, serial numbers and days."""
    values = {**_columns(request), "archived": request.archived, "updated_at": call.now}
    if not await store.update_product_row(call.work, request.product_id, values):
        raise record_not_found(product_id=request.product_id)
    await _write_barcodes(call, request.product_id, request)
    return await _load_product(call, request.product_id)


def _columns(terms: ProductTerms) -> dict[str, Any]:
    values = terms.model_dump(include=set(ProductTerms.model_fields))
    return {**values, "barcodes": sorted(terms.barcodes)}


async def _write_barcodes(call: Call, product_id: int, terms: ProductTerms) -> None:
    call.add_audit_subjects("product", product_id)
    by_key = {barcode_key(barcode): barcode for barcode in terms.barcodes}
    if taken := await store.replace_barcodes(call.work, product_id, by_key.keys()):
        raise PRODUCT_BARCODE_TAKEN(barcode=by_key[min(taken)])


async def _load_product(call: Call, product_id: int) -> ProductAnswer:
    return ProductAnswer(product=record(Product, await get_product(call, product_id)))
