"""Scans of parcels by drivers."""

from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY, RIDER_ROUTE_PATH
from haulier.contexts.driver_app.scans.actions import record_scan
from haulier.contexts.driver_app.scans.contract import RoutePieces, ScanCode, ScanCodeResult
from haulier.contexts.driver_app.scans.queries import list_pieces_of_route
from haulier.contexts.routes.public import correct_device_time, get_visible_route
from haulier.contexts.routes.routes.contract import RouteRef
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import STAFF, Area, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "scan_on_route",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD),
    interfaces=(Rest("POST", f"{RIDER_ROUTE_PATH}/scans"), GraphQL("scanOnRoute")),
)
async def scan_on_route(call: Call, request: ScanCode) -> ScanCodeResult:
    """Identify a scanned code.

    Works while loading and at a stop. Returns one of: expected here, scanned before, another stop, another route, on no
    route, or unknown. Scans are never refused and always stored.
    """
    driver = await get_calling_driver(call)
    return await record_scan(call, driver, await correct_device_time(call, request))


@reads(
    "get_route_pieces",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/routes/{route_id}/pieces", area=Area.DISPATCH), GraphQL("routePieces")),
)
async def get_route_pieces(call: Call, request: RouteRef) -> RoutePieces:
    """List the packages of a route.

    Includes the times of the loading and delivery scans, and the outcome of each package.
    """
    route = await get_visible_route(call, request.route_id)
    pieces = await list_pieces_of_route(call, route.id)
    loaded = sum(piece.loaded_at is not None for piece in pieces)
    return RoutePieces(route_id=route.id, expected=len(pieces), loaded=loaded, pieces=pieces)
