"""Operations at a stop: scan, upload files, pick up, deliver and fail, with proof."""

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES
from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY, RIDER_ROUTE_PATH
from haulier.contexts.driver_app.proof.actions import (
    UPLOAD_ID_TAKEN,
    UPLOAD_MISSING,
    UploadProof,
    complete_stop_with_proof,
    count_wrong_pin_first,
    fail_stop_with_proof,
    store_proof_upload,
)
from haulier.contexts.driver_app.proof.contract import CompleteRiderStop, FailRiderStop, ProofUploadResult
from haulier.contexts.driver_app.proof.rules import TOO_FAR_FROM_STOP
from haulier.contexts.orders.public import ORDER_STEP_REFUSED, PIN_BLOCKED, PIN_WRONG
from haulier.contexts.routes.public import (
    NOT_LOADED_YET,
    NOT_PICKED_UP_YET,
    STOP_CANCELLED,
    STOP_HANDED_OVER,
    correct_device_time,
)
from haulier.contexts.routes.routes.contract import StopAnswer
from haulier.contexts.routes.routes.rules.progress import ROUTE_CANNOT
from haulier.contexts.routes.stops.rules import PROOF_INCOMPLETE, STOP_CANNOT, StopAction
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

RIDER_STOP_PATH = f"{RIDER_ROUTE_PATH}/stops/{{stop_id}}"
RIDER_STOP_ERRORS = (
    NOT_FOUND,
    NO_DRIVER_RECORD,
    ROUTE_CANNOT,
    STOP_CANNOT,
    STOP_HANDED_OVER,
    NOT_LOADED_YET,
    UPLOAD_MISSING,
)
RIDER_COMPLETION_ERRORS = (*RIDER_STOP_ERRORS, ORDER_STEP_REFUSED, STOP_CANCELLED)


@writes(
    "upload_proof",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, UPLOAD_ID_TAKEN),
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    interfaces=(Rest("POST", "/v1/rider/uploads"), GraphQL("uploadProof")),
)
async def upload_proof(call: Call, request: UploadProof) -> ProofUploadResult:
    """Upload a signature or photo for a stop.

    The device chooses its name. The stop and the offline queue refer to it by that name, in the offline queue also
    before the upload. Repeating it changes nothing.
    """
    file_id, duplicate = await store_proof_upload(call, await get_calling_driver(call), request)
    return ProofUploadResult(upload_id=request.upload_id, file_id=file_id, duplicate=duplicate)


@writes(
    "rider_pick_up",
    available_when={"allowed_actions": "visit_stops"},
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=RIDER_COMPLETION_ERRORS,
    interfaces=(Rest("POST", f"{RIDER_STOP_PATH}/pick-up"), GraphQL("riderPickUp")),
)
async def rider_pick_up(call: Call, request: CompleteRiderStop) -> StopAnswer:
    """Complete a pickup stop.

    Takes the proof of pickup. Repeating it changes nothing.
    """
    driver = await get_calling_driver(call)
    request = await correct_device_time(call, request)
    return await complete_stop_with_proof(call, driver, request, StopAction.PICK_UP)


@writes(
    "rider_deliver",
    available_when={"allowed_actions": "visit_stops"},
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(
        *RIDER_COMPLETION_ERRORS,
        PROOF_INCOMPLETE,
        PIN_WRONG,
        PIN_BLOCKED,
        NOT_PICKED_UP_YET,
        TOO_FAR_FROM_STOP,
    ),
    prepare=count_wrong_pin_first,
    interfaces=(Rest("POST", f"{RIDER_STOP_PATH}/deliver"), GraphQL("riderDeliver")),
)
async def rider_deliver(call: Call, request: CompleteRiderStop) -> StopAnswer:
    """Complete a delivery stop.

    Takes the proof that the business and the order require. The distance between device and stop is recorded, and
    refused only above the maximum that the business sets. Repeating it changes nothing.
    """
    driver = await get_calling_driver(call)
    request = await correct_device_time(call, request)
    return await complete_stop_with_proof(call, driver, request, StopAction.DELIVER)


@writes(
    "rider_fail",
    available_when={"allowed_actions": "visit_stops"},
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*RIDER_STOP_ERRORS, PROOF_INCOMPLETE),
    interfaces=(Rest("POST", f"{RIDER_STOP_PATH}/fail"), GraphQL("riderFail")),
)
async def rider_fail(call: Call, request: FailRiderStop) -> StopAnswer:
    """Report a stop as failed.

    Takes a failure reason of the business, which defines the required proof and the next step. Repeating it changes
    nothing.
    """
    driver = await get_calling_driver(call)
    return await fail_stop_with_proof(call, driver, await correct_device_time(call, request))
