"""Operations on loading checks."""

from haulier.contexts.routes.public import get_visible_route
from haulier.contexts.warehouse.loading.actions import load_parcels, unload_parcels
from haulier.contexts.warehouse.loading.contract import (
    LoadCheckAnswer,
    LoadCheckRef,
    LoadScanned,
    LoadScansAnswer,
    ScanLoad,
)
from haulier.contexts.warehouse.loading.queries import check_load, get_load
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

LOAD_PATH = "/v1/wms/routes/{route_id}/load"


@reads(
    "get_load_check",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", LOAD_PATH), GraphQL("loadCheck")),
    errors=(NOT_FOUND,),
)
async def get_load_check(call: Call, request: LoadCheckRef) -> LoadCheckAnswer:
    """Get the loading check of a route.

    Returns the parcels that the route takes from the warehouse and those not in its vehicle yet.
    """
    await get_visible_route(call, request.route_id)
    return LoadCheckAnswer(load=await check_load(call, await get_load(call, request.route_id)))


@writes(
    "scan_load",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{LOAD_PATH}/scans"), GraphQL("scanLoad")),
    errors=(NOT_FOUND,),
)
async def scan_load(call: Call, request: ScanLoad) -> LoadScansAnswer:
    """Scan parcels into the vehicle of a route.

    With `take_off`, takes them off again. A repeated scan counts once.
    """
    route = await get_visible_route(call, request.route_id)
    load = await get_load(call, route.id)
    states = await (unload_parcels if request.take_off else load_parcels)(call, load, request.barcodes)
    call.add_audit_subjects("route", route.id)
    return LoadScansAnswer(
        scans=[LoadScanned(barcode=barcode, state=states[barcode]) for barcode in request.barcodes],
        load=await check_load(call, load),
    )
