"""Apply to drive, see how it stands, take it back: for people who have no account yet."""

from haulier.contexts.fleet.driver_documents.queries import load_document_policy_of_client
from haulier.contexts.fleet.driver_registration import store
from haulier.contexts.fleet.driver_registration.contract import (
    ApplicantToken,
    ApplyToDrive,
    DriverApplicationReceipt,
    DriverApplicationStatus,
)
from haulier.contexts.fleet.driver_registration.rules import (
    DRIVER_APPLICANT_UNKNOWN,
    DRIVER_REGISTRATION_CLOSED,
    DRIVER_REGISTRATION_DECIDED,
    DriverRegistrationStatus,
    require_open_registration,
)
from haulier.contexts.identity.public import get_client_id_by_code
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.values.ids import hash_token, make_opaque_token

STATUS_LIMITS = (RateLimit(60, 60, ("address",)),)


@writes(
    "apply_to_drive",
    audience={Account.PUBLIC},
    replayable=False,
    body_limit_bytes=32_768,
    limits=(RateLimit(5, 3600, ("address",)), RateLimit(200, 3600, ("client_code",))),
    errors=(NOT_FOUND, DRIVER_REGISTRATION_CLOSED),
    doors=(
        Rest("POST", "/v1/clients/{clientCode}/driver-registrations", status=201),
        GraphQL("applyToDrive"),
    ),
)
async def apply_to_drive(call: Call, request: ApplyToDrive) -> DriverApplicationReceipt:
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
    doors=(Rest("POST", "/v1/driver-applications/status"), GraphQL("driverApplication")),
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
    doors=(Rest("POST", "/v1/driver-applications/withdraw"), GraphQL("withdrawDriverApplication")),
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
