"""Applications to drive, for the business: list, show, admit, reject."""

from typing import Any

from haulier.contexts.access.public import EMAIL_TAKEN, invite, user_of_kind
from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.drivers.papers import store as paper_store
from haulier.contexts.dispatch.drivers.papers.rules import Verdict
from haulier.contexts.dispatch.drivers.registration import store
from haulier.contexts.dispatch.drivers.registration.contract import (
    ApproveRegistration,
    DriverRegistrationRecord,
    DriverRegistrations,
    ListRegistrations,
    OneDriverRegistration,
    RejectRegistration,
    TheRegistration,
)
from haulier.contexts.dispatch.drivers.registration.rules import (
    REGISTRATION_DECIDED,
    RegistrationStatus,
    dated,
    demand_open,
)
from haulier.contexts.dispatch.events import DriverAdmitted
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Rest, reads, writes

TAG = "Driver"
PATH = "/v1/driver-registrations"


@reads(
    "list_driver_registrations",
    audience=OFFICE,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("driverRegistrations")),
)
async def list_driver_registrations(call: Call, request: ListRegistrations) -> DriverRegistrations:
    """List who applied to drive for the business, newest first."""
    rows, total = await store.page(call.work, request.status, limit=request.per_page, offset=request.offset)
    records = [_record(call, row) for row in rows]
    return DriverRegistrations(total=total, page=request.page, per_page=request.per_page, registrations=records)


@reads(
    "get_driver_registration",
    audience=OFFICE,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", f"{PATH}/{{registration_id}}", tag=TAG), GraphQL("driverRegistration")),
)
async def get_driver_registration(call: Call, request: TheRegistration) -> OneDriverRegistration:
    """Show one application to drive."""
    return await _shown(call, request.registration_id)


@writes(
    "approve_driver_registration",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE, Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, REGISTRATION_DECIDED, EMAIL_TAKEN),
    doors=(Rest("POST", f"{PATH}/{{registration_id}}/approve", tag=TAG), GraphQL("approveDriverRegistration")),
)
async def approve_driver_registration(call: Call, request: ApproveRegistration) -> OneDriverRegistration:
    """Admit somebody: they become a driver with an account, and are invited by e-mail to choose their password.

    The papers they told of wait for a review.
    """
    row = await _open(call, request.registration_id)
    contractor_id = request.contractor_id
    if contractor_id and not await user_of_kind(call, contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.at(Fault("contractor_id", "field.contractor_unknown"))
    user_id = await invite(call, name=row.name, email=row.email, account=Account.DRIVER, language=row.language)
    driver_id = await driver_store.add(
        call.work,
        name=row.name,
        phone=row.phone,
        vehicle=row.vehicle,
        skills=request.skills,
        user_id=user_id,
        contractor_id=contractor_id,
        active=True,
        created_at=call.now,
    )
    handed = {"driver_id": driver_id, "verdict": Verdict.PENDING.value, "uploaded_by": user_id, "uploaded_at": call.now}
    await paper_store.add_many(call.work, [{**dated(paper), **handed} for paper in row.documents])
    await _decide(call, row.id, RegistrationStatus.APPROVED, driver_id=driver_id, user_id=user_id)
    call.concerns("driver", driver_id)
    await call.announce(DriverAdmitted(registration_id=row.id, driver_id=driver_id, user_id=user_id))
    return await _shown(call, row.id)


@writes(
    "reject_driver_registration",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, REGISTRATION_DECIDED),
    doors=(Rest("POST", f"{PATH}/{{registration_id}}/reject", tag=TAG), GraphQL("rejectDriverRegistration")),
)
async def reject_driver_registration(call: Call, request: RejectRegistration) -> OneDriverRegistration:
    """Say no to an application. The applicant sees the reason where they see its status."""
    row = await _open(call, request.registration_id)
    await _decide(call, row.id, RegistrationStatus.REJECTED, reason=request.reason)
    return await _shown(call, row.id)


async def _open(call: Call, registration_id: int) -> Any:
    row = await store.one(call.work, registration_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    demand_open(row.status)
    return row


async def _decide(call: Call, registration_id: int, status: RegistrationStatus, **values: Any) -> None:
    decided = {"status": status.value, "decided_at": call.now, "decided_by": call.actor}
    await store.decide(call.work, registration_id, **decided, **values)
    call.concerns("driver_registration", registration_id)


async def _shown(call: Call, registration_id: int) -> OneDriverRegistration:
    row = await store.one(call.work, registration_id)
    if row is None:
        raise NOT_FOUND()
    return OneDriverRegistration(registration=_record(call, row))


def _record(call: Call, row: Any) -> DriverRegistrationRecord:
    return DriverRegistrationRecord(
        id=row.id,
        name=row.name,
        email=row.email,
        phone=row.phone,
        vehicle=row.vehicle,
        note=row.note,
        language=row.language,
        documents=row.documents,
        status=row.status,
        reason=row.reason,
        submitted_at=row.submitted_at.astimezone(call.time_zone),
        decided_at=row.decided_at and row.decided_at.astimezone(call.time_zone),
        decided_by=row.decided_by,
        driver_id=row.driver_id,
        user_id=row.user_id,
    )
