"""Operations of the stock search."""

from collections.abc import Sequence
from typing import NamedTuple

from haulier.contexts.warehouse.packages.queries import WarehousePackageRow, find_packages
from haulier.contexts.warehouse.packages.serializers import package_record
from haulier.contexts.warehouse.products.queries import (
    ProductRow,
    find_products_by_code,
    get_product_rows,
    list_product_page,
)
from haulier.contexts.warehouse.stock.queries import ShownLevelRow, search_levels, sum_inventory
from haulier.contexts.warehouse.stock.serializers import inventory_records, level_record
from haulier.contexts.warehouse.stock_search.contract import FOUND_MAX, LEVELS_MAX, FindStock, FoundStock
from haulier.contexts.warehouse.warehouses.contract import WarehouseLocation
from haulier.contexts.warehouse.warehouses.queries import LocationRow, find_locations_by_code, search_locations
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.records import record


class _Matches(NamedTuple):
    """Records that match a query, one more than are shown."""

    products: Sequence[ProductRow]
    locations: Sequence[LocationRow]
    packages: Sequence[WarehousePackageRow] = ()
    code: str | None = None
    """The query, if it can be a lot or serial number."""

    @property
    def is_empty(self) -> bool:
        return not (self.products or self.locations or self.packages)


@reads(
    "find_stock",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/stock/search"), GraphQL("stockSearch")),
)
async def find_stock(call: Call, request: FindStock) -> FoundStock:
    """Find stock by product, location or code.

    A scanned code finds its product, location or package, and the stock of a lot or serial number. Words find products
    and locations.
    """
    query = request.search.strip()
    found = await _find_code(call, query, request.warehouse_id)
    levels = await _levels(call, found, request.warehouse_id)
    exact = bool(levels) or not found.is_empty
    if not exact:
        found = await _find_words(call, query, request.warehouse_id)
        levels = [] if found.is_empty else await _levels(call, found, request.warehouse_id)
    products, locations = found.products[:FOUND_MAX], found.locations[:FOUND_MAX]
    sums = await sum_inventory(call, [product.id for product in products], request.warehouse_id)
    named = await get_product_rows(call, {row.product_id for row in levels})
    return FoundStock(
        exact=exact,
        products=await inventory_records(call, products, sums),
        locations=[record(WarehouseLocation, row) for row in locations],
        packages=[package_record(call, row) for row in found.packages],
        levels=[level_record(row, named) for row in levels[:LEVELS_MAX]],
        more=max(len(found.products), len(found.locations)) > FOUND_MAX or len(levels) > LEVELS_MAX,
    )


async def _find_code(call: Call, code: str, warehouse_id: int | None) -> _Matches:
    return _Matches(
        products=list((await find_products_by_code(call, [code])).values()),
        locations=await find_locations_by_code(call, code, warehouse_id=warehouse_id, limit=FOUND_MAX + 1),
        packages=list((await find_packages(call, [code])).values()),
        code=code or None,
    )


async def _find_words(call: Call, text: str, warehouse_id: int | None) -> _Matches:
    if not text:
        return _Matches(products=[], locations=[])
    products, _ = await list_product_page(call, text=text, cursor=None, archived=False, per_page=FOUND_MAX + 1)
    locations = await search_locations(call, text, warehouse_id=warehouse_id, limit=FOUND_MAX + 1)
    return _Matches(products=products, locations=locations)


async def _levels(call: Call, found: _Matches, warehouse_id: int | None) -> Sequence[ShownLevelRow]:
    return await search_levels(
        call,
        product_ids=[product.id for product in found.products[:FOUND_MAX]],
        location_ids=[location.id for location in found.locations[:FOUND_MAX]],
        code=found.code,
        warehouse_id=warehouse_id,
        limit=LEVELS_MAX + 1,
    )
