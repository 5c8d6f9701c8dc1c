"""Scans of parcels by drivers."""

from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY, RIDER_ROUTE_PATH
from haulier.contexts.driver_app.scans.actions import record_scan
from haulier.contexts.driver_app.scans.contract import ScanCode, ScanCodeResult
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "scan_on_route",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD),
    doors=(Rest("POST", f"{RIDER_ROUTE_PATH}/scans"), GraphQL("scanOnRoute")),
)
async def scan_on_route(call: Call, request: ScanCode) -> ScanCodeResult:
    """Say what a scanned code is, while loading or at a stop: belongs here, was scanned before, another stop's, another
    route's, on no route, or unknown.

    Nothing is refused over it; the scan is kept whatever it turns out to be.
    """
    return await record_scan(call, await get_calling_driver(call), request)
