"""Operations on driver registration."""

from typing import Any

from haulier.contexts.fleet.driver_documents.actions import add_driver_documents
from haulier.contexts.fleet.driver_documents.queries import load_document_policy_of_client
from haulier.contexts.fleet.driver_registration import store
from haulier.contexts.fleet.driver_registration.contract import (
    ApplicantToken,
    ApproveDriverRegistration,
    DriverApplicationReceipt,
    DriverApplicationStatus,
    DriverRegistrationAnswer,
    DriverRegistrationDetail,
    DriverRegistrationList,
    DriverRegistrationRef,
    ListDriverRegistrations,
    RejectDriverRegistration,
    SubmitDriverApplication,
)
from haulier.contexts.fleet.driver_registration.rules import (
    DRIVER_APPLICANT_UNKNOWN,
    DRIVER_REGISTRATION_CLOSED,
    DRIVER_REGISTRATION_DECIDED,
    DriverRegistrationStatus,
    parse_document_dates,
    require_open_registration,
)
from haulier.contexts.fleet.drivers.actions import add_driver
from haulier.contexts.fleet.events import DriverApproved
from haulier.contexts.identity.public import (
    EMAIL_TAKEN,
    get_client_id_by_code,
    get_user_of_account,
    invite_user_by_email,
)
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, SCOPES_EXCEEDED, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.values.ids import hash_token, make_opaque_token

STATUS_LIMITS = (RateLimit(60, 60, ("address",)),)


@writes(
    "submit_driver_application",
    audience={Account.PUBLIC},
    replayable=False,
    body_limit_bytes=32_768,
    limits=(RateLimit(5, 3600, ("address",)), RateLimit(200, 3600, ("client_code",))),
    errors=(NOT_FOUND, DRIVER_REGISTRATION_CLOSED),
    interfaces=(
        Rest("POST", "/v1/clients/{clientCode}/driver-registrations", status=201),
        GraphQL("submitDriverApplication"),
    ),
)
async def submit_driver_application(call: Call, request: SubmitDriverApplication) -> DriverApplicationReceipt:
    """Apply to drive for a business.

    Staff review the application and invite accepted applicants by email. The answer does not reveal whether the email
    address or phone number is already known. Nothing is sent to either before staff approve.
    """
    client_id = await get_client_id_by_code(call.work, request.client_code)
    if client_id is None:
        raise NOT_FOUND()
    if not (await load_document_policy_of_client(call.work, client_id)).registration_open:
        raise DRIVER_REGISTRATION_CLOSED()
    token = make_opaque_token("hlapplicant")
    registration_id = await store.insert_driver_registration(
        call.work,
        client_id,
        **request.model_dump(mode="json", exclude={"client_code"}),
        token_sha256=hash_token(token),
        status=DriverRegistrationStatus.SUBMITTED.value,
        submitted_at=call.now,
    )
    call.signed_in_as = SignedInActor(client_id, None, Account.PUBLIC)
    call.add_audit_subjects("driver_registration", registration_id)
    return DriverApplicationReceipt(
        status=DriverRegistrationStatus.SUBMITTED.value, token=token, message=call.translate("driver_application_taken")
    )


@reads(
    "get_driver_application",
    audience={Account.PUBLIC},
    limits=STATUS_LIMITS,
    errors=(DRIVER_APPLICANT_UNKNOWN,),
    interfaces=(Rest("POST", "/v1/driver-applications/status"), GraphQL("driverApplication")),
)
async def get_driver_application(call: Call, request: ApplicantToken) -> DriverApplicationStatus:
    """Get the status of your application.

    Requires the token returned when you applied.
    """
    return _serialize_application_status(await _get_application(call, request))


@writes(
    "withdraw_driver_application",
    audience={Account.PUBLIC},
    limits=STATUS_LIMITS,
    errors=(DRIVER_APPLICANT_UNKNOWN, DRIVER_REGISTRATION_DECIDED),
    interfaces=(Rest("POST", "/v1/driver-applications/withdraw"), GraphQL("withdrawDriverApplication")),
)
async def withdraw_driver_application(call: Call, request: ApplicantToken) -> DriverApplicationStatus:
    """Withdraw your application.

    The application must not be decided yet.
    """
    if not await store.withdraw_driver_registration(call.work, _digest_token(request), call.now):
        require_open_registration((await _get_application(call, request)).status)
    row = await _get_application(call, request)
    call.signed_in_as = SignedInActor(row.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("driver_registration", row.id)
    return _serialize_application_status(row)


async def _get_application(call: Call, request: ApplicantToken) -> store.DriverRegistrationRow:
    row = await store.get_driver_registration_by_token(call.work, _digest_token(request))
    if row is None:
        raise DRIVER_APPLICANT_UNKNOWN()
    return row


def _digest_token(request: ApplicantToken) -> bytes:
    return hash_token(request.token.get_secret_value())


def _serialize_application_status(row: store.DriverRegistrationRow) -> DriverApplicationStatus:
    return record(DriverApplicationStatus, row)


PATH = "/v1/driver-registrations"


@reads(
    "list_driver_registrations",
    audience=OFFICE,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("driverRegistrations")),
)
async def list_driver_registrations(call: Call, request: ListDriverRegistrations) -> DriverRegistrationList:
    """List driver applications, newest first."""
    rows, total = await store.list_driver_registration_rows(
        call.work, request.status, limit=request.per_page, offset=request.offset
    )
    records = [_serialize_driver_registration(call, row) for row in rows]
    return DriverRegistrationList(total=total, page=request.page, per_page=request.per_page, registrations=records)


@reads(
    "get_driver_registration",
    audience=OFFICE,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", f"{PATH}/{{registration_id}}"), GraphQL("driverRegistration")),
)
async def get_driver_registration(call: Call, request: DriverRegistrationRef) -> DriverRegistrationAnswer:
    """Get a driver application."""
    return await _load_driver_registration(call, request.registration_id)


@writes(
    "approve_driver_registration",
    available_when={"status": DriverRegistrationStatus.SUBMITTED.value},
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE, Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, DRIVER_REGISTRATION_DECIDED, EMAIL_TAKEN, SCOPES_EXCEEDED),
    interfaces=(Rest("POST", f"{PATH}/{{registration_id}}/approve"), GraphQL("approveDriverRegistration")),
)
async def approve_driver_registration(call: Call, request: ApproveDriverRegistration) -> DriverRegistrationAnswer:
    """Approve a driver application.

    Creates a driver with an account and sends an email invitation to choose a password. Listed documents wait for
    review. The scopes of drivers must be within those of the caller's token.
    """
    row = await _lock_open_registration(call, request.registration_id)
    contractor_id = request.contractor_id
    if contractor_id and not await get_user_of_account(call, contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.for_fields(FieldError("contractor_id", "field.contractor_unknown"))
    user_id = await invite_user_by_email(
        call, name=row.name, email=row.email, account=Account.DRIVER, language=row.language
    )
    driver_id = await add_driver(
        call,
        name=row.name,
        phone=row.phone,
        vehicle=row.vehicle,
        skills=request.skills,
        user_id=user_id,
        contractor_id=contractor_id,
    )
    await add_driver_documents(
        call, driver_id, [parse_document_dates(document) for document in row.documents], uploaded_by=user_id
    )
    await _write_decision(call, row.id, DriverRegistrationStatus.APPROVED, driver_id=driver_id, user_id=user_id)
    call.add_audit_subjects("driver", driver_id)
    await call.publish(DriverApproved(registration_id=row.id, driver_id=driver_id, user_id=user_id))
    return await _load_driver_registration(call, row.id)


@writes(
    "reject_driver_registration",
    available_when={"status": DriverRegistrationStatus.SUBMITTED.value},
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, DRIVER_REGISTRATION_DECIDED),
    interfaces=(Rest("POST", f"{PATH}/{{registration_id}}/reject"), GraphQL("rejectDriverRegistration")),
)
async def reject_driver_registration(call: Call, request: RejectDriverRegistration) -> DriverRegistrationAnswer:
    """Reject a driver application.

    The applicant sees the reason with the application status.
    """
    row = await _lock_open_registration(call, request.registration_id)
    await _write_decision(call, row.id, DriverRegistrationStatus.REJECTED, reason=request.reason)
    return await _load_driver_registration(call, row.id)


async def _lock_open_registration(call: Call, registration_id: int) -> store.DriverRegistrationRow:
    row = await store.get_driver_registration_row(call.work, registration_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    require_open_registration(row.status)
    return row


async def _write_decision(call: Call, registration_id: int, status: DriverRegistrationStatus, **values: Any) -> None:
    decided = {"status": status.value, "decided_at": call.now, "decided_by": call.actor}
    await store.update_driver_registration(call.work, registration_id, **decided, **values)
    call.add_audit_subjects("driver_registration", registration_id)


async def _load_driver_registration(call: Call, registration_id: int) -> DriverRegistrationAnswer:
    row = await store.get_driver_registration_row(call.work, registration_id)
    if row is None:
        raise NOT_FOUND()
    return DriverRegistrationAnswer(registration=_serialize_driver_registration(call, row))


def _serialize_driver_registration(call: Call, row: store.DriverRegistrationRow) -> DriverRegistrationDetail:
    return record(
        DriverRegistrationDetail,
        row,
        submitted_at=call.local_time(row.submitted_at),
        decided_at=call.local_time(row.decided_at),
    )
