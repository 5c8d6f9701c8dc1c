"""The business decides on registrations that wait for approval."""

from typing import Any

from haulier.contexts.customer_apps.identities.rules import IDENTITY_CONFLICT
from haulier.contexts.customer_apps.registration import store
from haulier.contexts.customer_apps.registration.actions import Applicant, create_registered_customer
from haulier.contexts.customer_apps.registration.contract import (
    AppRegistrationDetail,
    AppRegistrationList,
    AppRegistrationRecord,
    AppRegistrationRef,
    ListAppRegistrations,
    RejectAppRegistration,
)
from haulier.contexts.customer_apps.registration.notifications import SendRegistrationApproved
from haulier.contexts.customer_apps.registration.rules.lifecycle import (
    PHONE_TAKEN,
    REGISTRATION_DECIDED,
    AppRegistrationStep,
    require_decidable,
)
from haulier.contexts.customer_apps.registration.store import RegistrationRow
from haulier.contexts.identity.accounts.rules.users import EMAIL_TAKEN
from haulier.contexts.identity.public import require_account_grantable, require_client
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED
from haulier.kernel.operations.records import record

PATH = "/v1/app-registrations"


@reads(
    "list_app_registrations",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", PATH), GraphQL("appRegistrations")),
)
async def list_app_registrations(call: Call, request: ListAppRegistrations) -> AppRegistrationList:
    """People who registered themselves, newest first; by default those who wait for approval."""
    rows, total = await store.list_app_registration_rows(
        call.work, request.status, limit=request.per_page, offset=request.offset
    )
    records = [_registration_record(row) for row in rows]
    return AppRegistrationList(total=total, page=request.page, per_page=request.per_page, registrations=records)


@writes(
    "approve_app_registration",
    allowed_where={"status": AppRegistrationStep.WAITING.value},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PATH}/{{registration_id}}/approve"), GraphQL("approveAppRegistration")),
    errors=(NOT_FOUND, REGISTRATION_DECIDED, EMAIL_TAKEN, PHONE_TAKEN, IDENTITY_CONFLICT, SCOPES_EXCEEDED),
)
async def approve_app_registration(call: Call, request: AppRegistrationRef) -> AppRegistrationDetail:
    """Approve a registration: the person becomes a customer, gets a text message, and can sign in.

    What a customer may do has to be within the scopes of the caller's token.
    """
    row = await _lock_waiting_registration(call, request.registration_id)
    require_account_grantable(call, Account.CUSTOMER)
    user = await create_registered_customer(call, _applicant_of_registration(row))
    await _decide_registration(call, row.id, AppRegistrationStep.DONE, user_id=user.id)
    business = (await require_client(call.work, call.client_id)).name
    await call.enqueue("registration.tell_approved", SendRegistrationApproved(row.id, business))
    return await _registration_detail(call, row.id)


@writes(
    "reject_app_registration",
    allowed_where={"status": AppRegistrationStep.WAITING.value},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PATH}/{{registration_id}}/reject"), GraphQL("rejectAppRegistration")),
    errors=(NOT_FOUND, REGISTRATION_DECIDED),
)
async def reject_app_registration(call: Call, request: RejectAppRegistration) -> AppRegistrationDetail:
    """Reject a registration: no user is created, and the phone may register again."""
    row = await _lock_waiting_registration(call, request.registration_id)
    await _decide_registration(call, row.id, AppRegistrationStep.REJECTED, reason=request.reason)
    return await _registration_detail(call, row.id)


async def _lock_waiting_registration(call: Call, registration_id: int) -> RegistrationRow:
    row = await store.get_app_registration(call.work, registration_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    require_decidable(row.step)
    call.add_audit_subjects("app_registration", row.id)
    return row


async def _decide_registration(call: Call, registration_id: int, step: AppRegistrationStep, **values: Any) -> None:
    decided = {"decided_at": call.now, "decided_by": call.actor}
    await store.update_app_registration(
        call.work, registration_id, step=step.value, password_hash=None, **decided, **values
    )


def _applicant_of_registration(row: RegistrationRow) -> Applicant:
    return Applicant(
        client_id=row.client_id,
        phone=row.phone,
        name=row.name or "",
        email=row.email or "",
        password_hash=row.password_hash,
        issuer=row.issuer,
        subject=row.subject,
    )


async def _registration_detail(call: Call, registration_id: int) -> AppRegistrationDetail:
    row = await store.get_app_registration(call.work, registration_id)
    if row is None:
        raise NOT_FOUND()
    return AppRegistrationDetail(registration=_registration_record(row))


def _registration_record(row: RegistrationRow) -> AppRegistrationRecord:
    return record(AppRegistrationRecord, row, status=row.step)
