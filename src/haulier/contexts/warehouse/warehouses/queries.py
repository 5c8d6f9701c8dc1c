"""Warehouses and locations as other families read them."""

from collections.abc import Collection, Sequence

from haulier.contexts.warehouse.warehouses import store
from haulier.contexts.warehouse.warehouses.contract import ListLocations
from haulier.contexts.warehouse.warehouses.store import LocationRow, WarehouseRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.pagination import MAX_PER_PAGE


async def get_warehouse(call: Call, warehouse_id: int) -> WarehouseRow:
    """Return a warehouse of this client. Raises `NOT_FOUND`."""
    row = await WarehouseRow.get(call.work, warehouse_id)
    if row is None:
        raise record_not_found(warehouse_id=warehouse_id)
    return row


async def get_warehouse_rows(call: Call, ids: Collection[int]) -> dict[int, WarehouseRow]:
    """Return warehouses of this client by id."""
    return await WarehouseRow.get_many(call.work, ids)


async def list_open_warehouses(call: Call) -> Sequence[WarehouseRow]:
    """Return the open warehouses of this client by code, up to a page."""
    rows, _ = await store.list_warehouse_rows(call.work, closed=False, limit=MAX_PER_PAGE, offset=0)
    return rows


async def get_location(call: Call, location_id: int) -> LocationRow:
    """Return a location of this client. Raises `NOT_FOUND`."""
    row = await LocationRow.get(call.work, location_id)
    if row is None:
        raise record_not_found(location_id=location_id)
    return row


async def get_location_rows(call: Call, ids: Collection[int]) -> dict[int, LocationRow]:
    """Return locations of this client by id."""
    return await LocationRow.get_many(call.work, ids)


async def find_location_rows(call: Call, barcodes: Collection[str]) -> dict[str, LocationRow]:
    """Return locations of this client by barcode."""
    return await store.find_location_rows(call.work, barcodes)


async def find_locations_by_code(
    call: Call, code: str, *, warehouse_id: int | None, limit: int
) -> Sequence[LocationRow]:
    """Return locations with this barcode or code.

    Each warehouse may have a location of the same code.
    """
    return await store.find_locations_by_code(call.work, code, warehouse_id=warehouse_id, limit=limit)


async def search_locations(call: Call, text: str, *, warehouse_id: int | None, limit: int) -> Sequence[LocationRow]:
    """Return locations whose code has all words of a text."""
    return await store.search_location_rows(call.work, text, warehouse_id=warehouse_id, limit=limit)


async def list_location_page(call: Call, request: ListLocations) -> tuple[Sequence[LocationRow], int]:
    """Return a page of locations of a warehouse, in walking order, and the total."""
    wanted = request.model_dump(include={"warehouse_id", "zone", "kind", "barcode"}, exclude_none=True)
    return await store.list_location_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
