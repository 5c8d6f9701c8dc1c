"""At the door: scan, hand in files, pick up, deliver and give up, each with what proves it."""

from haulier.contexts.dispatch.riders.acting import NO_DRIVER_RECORD, fail_at_door, hand_over_at_door, myself
from haulier.contexts.dispatch.riders.contract.doorstep import (
    FailAtDoor,
    HandOverAtDoor,
    ScanCode,
    ScannedCode,
    UploadAnswer,
)
from haulier.contexts.dispatch.riders.operations.day import DRIVER, ROUTE, TAG
from haulier.contexts.dispatch.riders.rules.policy import PROOF_INCOMPLETE, TOO_FAR_FROM_STOP
from haulier.contexts.dispatch.riders.scanning import scan
from haulier.contexts.dispatch.riders.uploading import UPLOAD_MISSING, UploadProof, take_in
from haulier.contexts.dispatch.routes.contract import StopAnswer
from haulier.contexts.dispatch.routes.rules.machine import ROUTE_CANNOT
from haulier.contexts.dispatch.routes.visits import NOT_PICKED_UP_YET, STOP_CANNOT
from haulier.contexts.dispatch.stops.rules import StopAct
from haulier.contexts.documents.public import BODY_LIMIT_BYTES
from haulier.contexts.orders.public import ORDER_STEP_REFUSED
from haulier.kernel.call import Call
from haulier.kernel.declarations import Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, writes

STOP = f"{ROUTE}/stops/{{stop_id}}"
REFUSALS = (NOT_FOUND, NO_DRIVER_RECORD, ROUTE_CANNOT, STOP_CANNOT, UPLOAD_MISSING)
HANDING_OVER = (*REFUSALS, ORDER_STEP_REFUSED)


@writes(
    "scan_on_route",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD),
    doors=(Rest("POST", f"{ROUTE}/scans", tag=TAG), GraphQL("scanOnRoute")),
)
async def scan_on_route(call: Call, request: ScanCode) -> ScannedCode:
    """Say what a scanned code is, while loading or at a stop: belongs here, was scanned before, another stop's, another
    route's, on no route, or unknown.

    Nothing is refused over it; the scan is kept whatever it turns out to be.
    """
    return await scan(call, (await myself(call)).id, request)


@writes(
    "upload_proof",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD),
    body_limit_bytes=BODY_LIMIT_BYTES,
    doors=(Rest("POST", "/v1/rider/uploads", tag=TAG), GraphQL("uploadProof")),
)
async def upload_proof(call: Call, request: UploadProof) -> UploadAnswer:
    """Hand in a signature or a photo for a stop, under a name that the device chose. Handing it in again changes nothing.

    At the door it is named by that name; in the offline queue also before it is uploaded.
    """
    file_id, duplicate = await take_in(call, await myself(call), request)
    return UploadAnswer(upload_id=request.upload_id, file_id=file_id, duplicate=duplicate)


@writes(
    "rider_pick_up",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=HANDING_OVER,
    doors=(Rest("POST", f"{STOP}/pick-up", tag=TAG), GraphQL("riderPickUp")),
)
async def rider_pick_up(call: Call, request: HandOverAtDoor) -> StopAnswer:
    """Complete a pickup stop, with what proves it. Saying it again changes nothing."""
    return await hand_over_at_door(call, await myself(call), request, StopAct.PICK_UP)


@writes(
    "rider_deliver",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*HANDING_OVER, PROOF_INCOMPLETE, NOT_PICKED_UP_YET, TOO_FAR_FROM_STOP),
    doors=(Rest("POST", f"{STOP}/deliver", tag=TAG), GraphQL("riderDeliver")),
)
async def rider_deliver(call: Call, request: HandOverAtDoor) -> StopAnswer:
    """Complete a delivery stop with the proof that the client asks for. Saying it again changes nothing.

    How far the device was from the stop is noted; it is refused only where the client set a maximum.
    """
    return await hand_over_at_door(call, await myself(call), request, StopAct.DELIVER)


@writes(
    "rider_fail",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*REFUSALS, PROOF_INCOMPLETE),
    doors=(Rest("POST", f"{STOP}/fail", tag=TAG), GraphQL("riderFail")),
)
async def rider_fail(call: Call, request: FailAtDoor) -> StopAnswer:
    """Give a stop up for a reason of the client's list, which says what must be shown and what comes next.

    Saying it again changes nothing.
    """
    return await fail_at_door(call, await myself(call), request)
