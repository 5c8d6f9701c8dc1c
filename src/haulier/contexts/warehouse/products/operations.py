"""Products: list, show, create, change, archive."""

from haulier.contexts.warehouse.products.actions import add_product, change_product, product_columns
from haulier.contexts.warehouse.products.contract import (
    CreateProduct,
    ExportProducts,
    ListProducts,
    ProductAnswer,
    ProductExport,
    ProductList,
    ProductRef,
    UpdateProduct,
)
from haulier.contexts.warehouse.products.errors import PRODUCT_BARCODE_TAKEN, SKU_TAKEN
from haulier.contexts.warehouse.products.queries import find_product_by_barcode, get_product, list_product_page
from haulier.contexts.warehouse.products.serializers import product_document, product_records
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.table_exports import MEDIA_TYPES, TABLE_FORMS

PRODUCT_PATH = "/v1/wms/products/{product_id}"


@reads(
    "list_products",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/products"), GraphQL("products")),
)
async def list_products(call: Call, request: ListProducts) -> ProductList:
    """List products by SKU.

    With `barcode`, returns the product that has it.
    """
    if request.barcode:
        found = await find_product_by_barcode(call, request.barcode)
        return ProductList(products=await product_records(call, [found] if found else []), next_cursor=None)
    rows, next_cursor = await list_product_page(
        call,
        text=request.search,
        cursor=request.cursor,
        archived=request.archived,
        per_page=request.per_page,
        custom_fields=request.custom_fields,
    )
    return ProductList(products=await product_records(call, rows), next_cursor=next_cursor)


@reads(
    "get_product",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", PRODUCT_PATH), GraphQL("product")),
    errors=(NOT_FOUND,),
)
async def get_one_product(call: Call, request: ProductRef) -> ProductAnswer:
    """Get a product."""
    return await _load_product(call, request.product_id)


@writes(
    "create_product",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/wms/products"), GraphQL("createProduct")),
    errors=(SKU_TAKEN, PRODUCT_BARCODE_TAKEN),
)
async def create_product(call: Call, request: CreateProduct) -> ProductAnswer:
    """Create a product."""
    return await _load_product(call, await add_product(call, request))


@writes(
    "update_product",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", PRODUCT_PATH), GraphQL("updateProduct")),
    errors=(NOT_FOUND, PRODUCT_BARCODE_TAKEN),
)
async def update_product(call: Call, request: UpdateProduct) -> ProductAnswer:
    """Replace a product.

    Omitted fields are reset to their defaults; custom fields are kept. Stock keeps its lots, serial numbers and expiry
    days.
    """
    columns = {**product_columns(request), "archived": request.archived}
    await change_product(call, request.product_id, request, columns, request.custom_fields)
    return await _load_product(call, request.product_id)


@reads(
    "export_products",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/product-export", representations=TABLE_FORMS), GraphQL("exportProducts")),
)
async def export_products(call: Call, request: ExportProducts) -> ProductExport:
    """Export products as CSV or XLSX.

    Ordered by SKU, including custom fields, up to 5,000 products per page. The file can be imported again.
    """
    rows, next_cursor = await list_product_page(
        call, text=None, cursor=request.cursor, archived=request.archived, per_page=request.limit
    )
    return ProductExport(
        document=await product_document(call, rows, request.format),
        media_type=MEDIA_TYPES[request.format],
        count=len(rows),
        next_cursor=next_cursor,
    )


async def _load_product(call: Call, product_id: int) -> ProductAnswer:
    (product,) = await product_records(call, [await get_product(call, product_id)])
    return ProductAnswer(product=product)
