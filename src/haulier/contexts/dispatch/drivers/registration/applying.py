"""Apply to drive, see how it stands, take it back: for people who have no account yet."""

from typing import Any

from haulier.contexts.access.public import client_by_code
from haulier.contexts.dispatch.drivers.papers.asking import policy_at
from haulier.contexts.dispatch.drivers.registration import store
from haulier.contexts.dispatch.drivers.registration.contract import (
    ApplicantToken,
    AppliedToDrive,
    ApplyToDrive,
    DriverApplicationStatus,
)
from haulier.contexts.dispatch.drivers.registration.rules import (
    APPLICANT_UNKNOWN,
    REGISTRATION_CLOSED,
    REGISTRATION_DECIDED,
    RegistrationStatus,
    demand_open,
)
from haulier.kernel.call import Arrival, Call
from haulier.kernel.declarations import Account
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.ids import opaque_token, token_digest
from haulier.kernel.operation import GraphQL, Limit, Rest, reads, writes

TAG = "Driver"
LOOKS = (Limit(60, 60, ("address",)),)


@writes(
    "apply_to_drive",
    audience={Account.PUBLIC},
    keeps_answer=False,
    body_limit_bytes=32_768,
    limits=(Limit(5, 3600, ("address",)), Limit(200, 3600, ("client_code",))),
    errors=(NOT_FOUND, REGISTRATION_CLOSED),
    doors=(
        Rest("POST", "/v1/clients/{clientCode}/driver-registrations", status=201, tag=TAG),
        GraphQL("applyToDrive"),
    ),
)
async def apply_to_drive(call: Call, request: ApplyToDrive) -> AppliedToDrive:
    """Apply to drive for a business. Somebody there looks at it; who is admitted is invited by e-mail.

    The answer does not tell whether anybody is known with the address or the phone. Nothing is sent to either before a human
    has agreed.
    """
    client_id = await client_by_code(call.work, request.client_code)
    if client_id is None:
        raise NOT_FOUND()
    if not (await policy_at(call.work, client_id)).registration_open:
        raise REGISTRATION_CLOSED()
    token = opaque_token("hlapplicant")
    said = request.model_dump(mode="json", exclude={"client_code"})
    registration_id = await store.add(
        call.work,
        client_id,
        **said,
        token_sha256=token_digest(token),
        status=RegistrationStatus.SUBMITTED.value,
        submitted_at=call.now,
    )
    call.arrival = Arrival(client_id, None, Account.PUBLIC)
    call.concerns("driver_registration", registration_id)
    return AppliedToDrive(
        status=RegistrationStatus.SUBMITTED.value, token=token, message=call.say("driver_application_taken")
    )


@reads(
    "get_driver_application",
    audience={Account.PUBLIC},
    limits=LOOKS,
    errors=(APPLICANT_UNKNOWN,),
    doors=(Rest("POST", "/v1/driver-applications/status", tag=TAG), GraphQL("driverApplication")),
)
async def get_driver_application(call: Call, request: ApplicantToken) -> DriverApplicationStatus:
    """How one's own application stands, by the token that it was answered with."""
    return _status(await _behind(call, request))


@writes(
    "withdraw_driver_application",
    audience={Account.PUBLIC},
    limits=LOOKS,
    errors=(APPLICANT_UNKNOWN, REGISTRATION_DECIDED),
    doors=(Rest("POST", "/v1/driver-applications/withdraw", tag=TAG), GraphQL("withdrawDriverApplication")),
)
async def withdraw_driver_application(call: Call, request: ApplicantToken) -> DriverApplicationStatus:
    """Take one's own application back, while nobody has decided it."""
    if not await store.withdraw(call.work, _digest(request), call.now):
        demand_open((await _behind(call, request)).status)
    found = await _behind(call, request)
    call.arrival = Arrival(found.client_id, None, Account.PUBLIC)
    call.concerns("driver_registration", found.id)
    return _status(found)


async def _behind(call: Call, request: ApplicantToken) -> Any:
    found = await store.behind(call.work, _digest(request))
    if found is None:
        raise APPLICANT_UNKNOWN()
    return found


def _digest(request: ApplicantToken) -> bytes:
    return token_digest(request.token.get_secret_value())


def _status(row: Any) -> DriverApplicationStatus:
    return DriverApplicationStatus(
        status=row.status, reason=row.reason, submitted_at=row.submitted_at, decided_at=row.decided_at
    )
