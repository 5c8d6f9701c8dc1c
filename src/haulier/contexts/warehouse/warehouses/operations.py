"""Operations on warehouses."""

import asyncio
from base64 import b64encode

from haulier.contexts.warehouse.warehouses import store
from haulier.contexts.warehouse.warehouses.contract import (
    CreateLocations,
    CreateWarehouse,
    ListLocations,
    ListWarehouses,
    LocationAnswer,
    LocationLabels,
    LocationList,
    LocationsCreated,
    PrintLocationLabels,
    UpdateLocation,
    UpdateWarehouse,
    Warehouse,
    WarehouseAnswer,
    WarehouseList,
    WarehouseLocation,
    WarehouseRef,
)
from haulier.contexts.warehouse.warehouses.queries import get_location, get_warehouse, list_location_page
from haulier.contexts.warehouse.warehouses.store import WarehouseRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, declare_error
from haulier.kernel.operations.records import record
from haulier.rendering.location_labels import LocationLabel, render_location_labels_pdf, render_location_labels_zpl

NO_SUCH_LOCATIONS = declare_error("no_such_locations", 404)
MEDIA_TYPES = {"pdf": "application/pdf", "zpl": "application/zpl"}
LABEL_FORMS = Representations(
    tuple(Representation(media_type, form) for form, media_type in MEDIA_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)


@reads(
    "print_location_labels",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(
        Rest("GET", "/v1/wms/warehouses/{warehouse_id}/location-labels", representations=LABEL_FORMS),
        GraphQL("warehouseLocationLabels"),
    ),
    errors=(NOT_FOUND, NO_SUCH_LOCATIONS),
)
async def print_location_labels(call: Call, request: PrintLocationLabels) -> LocationLabels:
    """Print labels of locations.

    Labels of 4 by 2 inches with the code in large letters and the barcode, in walking order.
    """
    warehouse = await get_warehouse(call, request.warehouse_id)
    rows, total = await list_location_page(call, request)
    if not rows:
        raise NO_SUCH_LOCATIONS(warehouse=warehouse.code)
    labels = [
        LocationLabel(code=row.code, barcode=row.barcode, caption=" · ".join(filter(None, (warehouse.name, row.zone))))
        for row in rows
    ]
    render = render_location_labels_pdf if request.format == "pdf" else render_location_labels_zpl
    # In a thread: a page of labels takes a tenth of a second.
    document = await asyncio.to_thread(render, labels)
    return LocationLabels(
        total=total,
        labels=len(labels),
        format=request.format,
        media_type=MEDIA_TYPES[request.format],
        document=b64encode(document).decode(),
    )


WAREHOUSE_CODE_TAKEN = declare_error("warehouse_code_taken", 409)
LOCATION_TAKEN = declare_error("location_taken", 409)
WAREHOUSE_PATH = "/v1/wms/warehouses/{warehouse_id}"
LOCATION_PATH = "/v1/wms/locations/{location_id}"


@reads(
    "get_warehouses",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(
        Rest("GET", "/v1/wms/warehouses"),
        GraphQL("warehouses"),
        Mcp("get_warehouses", title="List warehouses"),
    ),
)
async def get_warehouses(call: Call, request: ListWarehouses) -> WarehouseList:
    """List warehouses by code."""
    rows, total = await store.list_warehouse_rows(
        call.work, closed=request.closed, limit=request.per_page, offset=request.offset
    )
    shown = [record(Warehouse, row) for row in rows]
    return WarehouseList(total=total, page=request.page, per_page=request.per_page, warehouses=shown)


@reads(
    "get_warehouse",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", WAREHOUSE_PATH), GraphQL("warehouse")),
    errors=(NOT_FOUND,),
)
async def get_one_warehouse(call: Call, request: WarehouseRef) -> WarehouseAnswer:
    """Get a warehouse."""
    return await _load_warehouse(call, request.warehouse_id)


@writes(
    "create_warehouse",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/wms/warehouses"), GraphQL("createWarehouse")),
    errors=(WAREHOUSE_CODE_TAKEN,),
)
async def create_warehouse(call: Call, request: CreateWarehouse) -> WarehouseAnswer:
    """Create a warehouse."""
    try:
        async with call.work.savepoint():
            id = await WarehouseRow.insert(call.work, closed=False, **request.model_dump(), created_at=call.now)
    except UniqueConflict:
        raise WAREHOUSE_CODE_TAKEN(code=request.code) from None
    call.add_audit_subjects("warehouse", id)
    return await _load_warehouse(call, id)


@writes(
    "update_warehouse",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", WAREHOUSE_PATH), GraphQL("updateWarehouse")),
    errors=(NOT_FOUND,),
)
async def update_warehouse(call: Call, request: UpdateWarehouse) -> WarehouseAnswer:
    """Update a warehouse.

    Omitted fields keep their values.
    """
    values = request.model_dump(exclude={"warehouse_id"}, exclude_none=True)
    await store.update_warehouse_row(call.work, request.warehouse_id, values)
    call.add_audit_subjects("warehouse", request.warehouse_id)
    return await _load_warehouse(call, request.warehouse_id)


@reads(
    "list_locations",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", f"{WAREHOUSE_PATH}/locations"), GraphQL("warehouseLocations")),
    errors=(NOT_FOUND,),
)
async def list_locations(call: Call, request: ListLocations) -> LocationList:
    """List locations of a warehouse in walking order."""
    await get_warehouse(call, request.warehouse_id)
    rows, total = await list_location_page(call, request)
    shown = [record(WarehouseLocation, row) for row in rows]
    return LocationList(total=total, page=request.page, per_page=request.per_page, locations=shown)


@writes(
    "create_locations",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{WAREHOUSE_PATH}/locations"), GraphQL("createLocations")),
    errors=(NOT_FOUND, LOCATION_TAKEN),
)
async def create_locations(call: Call, request: CreateLocations) -> LocationsCreated:
    """Create locations in a warehouse.

    Creates up to 500 per call. All are created, or none.
    """
    warehouse = await get_warehouse(call, request.warehouse_id)
    rows = [
        location.model_dump()
        | {
            "warehouse_id": warehouse.id,
            "barcode": location.barcode or f"{warehouse.code}-{location.code}",
            "blocked": False,
        }
        for location in request.locations
    ]
    created = await store.insert_locations(call.work, rows)
    if len(created) < len(rows):
        new = {row.code for row in created}
        raise LOCATION_TAKEN(code=next(row["code"] for row in rows if row["code"] not in new))
    call.add_audit_subjects("warehouse", warehouse.id)
    return LocationsCreated(locations=[record(WarehouseLocation, row) for row in created])


@writes(
    "update_location",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", LOCATION_PATH), GraphQL("updateLocation")),
    errors=(NOT_FOUND, LOCATION_TAKEN),
)
async def update_location(call: Call, request: UpdateLocation) -> LocationAnswer:
    """Update a location.

    Omitted fields keep their values.
    """
    values = request.model_dump(exclude={"location_id"}, exclude_none=True)
    try:
        async with call.work.savepoint():
            await store.update_location_row(call.work, request.location_id, values)
    except UniqueConflict:
        raise LOCATION_TAKEN(code=request.barcode) from None
    row = await get_location(call, request.location_id)
    call.add_audit_subjects("warehouse", row.warehouse_id)
    return LocationAnswer(location=record(WarehouseLocation, row))


async def _load_warehouse(call: Call, warehouse_id: int) -> WarehouseAnswer:
    return WarehouseAnswer(warehouse=record(Warehouse, await get_warehouse(call, warehouse_id)))
