"""The business looks at registrations that wait for it."""

from typing import Any

from haulier.contexts.access.accounts.rules.users import EMAIL_TAKEN
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.apps.contract.fields import TAG
from haulier.contexts.access.identities.rules import IDENTITY_CONFLICT
from haulier.contexts.access.registration import store
from haulier.contexts.access.registration.admission import Applicant, admit
from haulier.contexts.access.registration.contract import (
    ListRegistrations,
    OneRegistration,
    RegistrationList,
    RegistrationRecord,
    RejectRegistration,
    ThisRegistration,
)
from haulier.contexts.access.registration.errands import TellApproved
from haulier.contexts.access.registration.rules.steps import PHONE_TAKEN, REGISTRATION_DECIDED, Step, demand_may_decide
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes

PATH = "/v1/app-registrations"


@reads(
    "list_app_registrations",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("appRegistrations")),
)
async def list_app_registrations(call: Call, request: ListRegistrations) -> RegistrationList:
    """People who registered themselves, newest first; those who wait for the business unless asked otherwise."""
    rows, total = await store.page(call.work, request.status, limit=request.per_page, offset=request.offset)
    records = [_record(row) for row in rows]
    return RegistrationList(total=total, page=request.page, per_page=request.per_page, registrations=records)


@writes(
    "approve_app_registration",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PATH}/{{registration_id}}/approve", tag=TAG), GraphQL("approveAppRegistration")),
    errors=(NOT_FOUND, REGISTRATION_DECIDED, EMAIL_TAKEN, PHONE_TAKEN, IDENTITY_CONFLICT),
)
async def approve_app_registration(call: Call, request: ThisRegistration) -> OneRegistration:
    """Agree to a registration: the person becomes a customer, is told by text message, and can sign in."""
    row = await _waiting(call, request.registration_id)
    user = await admit(call, _applicant(row))
    await _decide(call, row.id, Step.DONE, user_id=user.id)
    business = (await client_store.one(call.work, call.client_id)).name
    await call.post("registration.tell_approved", TellApproved(row.id, business))
    return await _answer(call, row.id)


@writes(
    "reject_app_registration",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PATH}/{{registration_id}}/reject", tag=TAG), GraphQL("rejectAppRegistration")),
    errors=(NOT_FOUND, REGISTRATION_DECIDED),
)
async def reject_app_registration(call: Call, request: RejectRegistration) -> OneRegistration:
    """Refuse a registration: no user comes of it, and the phone may register again."""
    row = await _waiting(call, request.registration_id)
    await _decide(call, row.id, Step.REJECTED, reason=request.reason)
    return await _answer(call, row.id)


async def _waiting(call: Call, registration_id: int) -> Any:
    row = await store.one(call.work, registration_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    demand_may_decide(row.step)
    call.concerns("app_registration", row.id)
    return row


async def _decide(call: Call, id: int, step: Step, **more: Any) -> None:
    decided = {"decided_at": call.now, "decided_by": call.actor}
    await store.change(call.work, id, step=step.value, password_hash=None, **decided, **more)


def _applicant(row: Any) -> Applicant:
    return Applicant(
        client_id=row.client_id,
        phone=row.phone,
        name=row.name,
        email=row.email,
        password_hash=row.password_hash,
        issuer=row.issuer,
        subject=row.subject,
    )


async def _answer(call: Call, registration_id: int) -> OneRegistration:
    return OneRegistration(registration=_record(await store.one(call.work, registration_id)))


def _record(row: Any) -> RegistrationRecord:
    return RegistrationRecord(
        id=row.id,
        app_code=row.app_code,
        status=row.step,
        phone=row.phone,
        name=row.name,
        email=row.email,
        user_id=row.user_id,
        completed_at=row.completed_at,
        decided_at=row.decided_at,
        decided_by=row.decided_by,
        reason=row.reason,
    )
