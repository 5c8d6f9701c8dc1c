"""How much there is, of what, and where."""

from haulier.contexts.warehouse.products.queries import (
    ProductRow,
    find_product_by_barcode,
    find_products_by_sku,
    get_product_rows,
    list_product_page,
    product_filter,
)
from haulier.contexts.warehouse.stock.contract import GetInventory, InventoryList, ListStockLevels, StockLevelList
from haulier.contexts.warehouse.stock.serializers import inventory_records, level_record
from haulier.contexts.warehouse.stock.store import levels as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.values.pagination import make_cursor, parse_cursor


@reads(
    "get_inventory",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(
        Rest("POST", "/v1/wms/inventory"),
        GraphQL("wmsInventory"),
        Mcp("get_inventory", title="Show the inventory"),
    ),
)
async def get_inventory(call: Call, request: GetInventory) -> InventoryList:
    """Show how much there is of each product: on hand, reserved and available, in all and by warehouse."""
    products, next_cursor = await _wanted_products(call, request)
    sums = await store.sum_levels(call.work, [product.id for product in products], request.warehouse_id, call.today)
    return InventoryList(inventory=await inventory_records(call, products, sums), next_cursor=next_cursor)


async def _wanted_products(call: Call, request: GetInventory) -> tuple[list[ProductRow], str | None]:
    if request.barcode is not None:
        found = await find_product_by_barcode(call, request.barcode)
        return ([found] if found else []), None
    if request.skus is not None:
        by_sku = await find_products_by_sku(call, request.skus)
        return [by_sku[sku] for sku in sorted(by_sku)], None
    rows, next_cursor = await list_product_page(
        call,
        text=None,
        cursor=request.cursor,
        archived=True,
        per_page=request.per_page,
        custom_fields=request.custom_fields,
    )
    return list(rows), next_cursor


@reads(
    "list_stock_levels",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/stock/levels"), GraphQL("stockLevels")),
)
async def list_stock_levels(call: Call, request: ListStockLevels) -> StockLevelList:
    """List what stands on which location, lot by lot."""
    names = {"warehouse_id", "location_id"}
    product = await product_filter(call, request.sku)
    if product is None:
        return StockLevelList(levels=[], next_cursor=None)
    wanted = request.model_dump(include=names, exclude_none=True) | product
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    rows = await store.list_level_rows(
        call.work,
        wanted,
        expires_before=request.expires_before,
        today=call.today,
        after=after,
        limit=request.per_page + 1,
    )
    page = rows[: request.per_page]
    products = await get_product_rows(call, {row.product_id for row in page})
    return StockLevelList(
        levels=[level_record(row, products) for row in page],
        next_cursor=make_cursor(page[-1].id) if len(rows) > request.per_page else None,
    )
