"""Driver info in the driver app."""

from haulier.contexts.fleet.driver_documents.queries import load_document_kind_statuses, load_document_policy
from haulier.contexts.fleet.driver_documents.rules import missing_route_documents
from haulier.contexts.fleet.driver_documents.serializers import serialize_document_kind_status
from haulier.contexts.fleet.driver_info.contract import (
    DriverBusiness,
    DriverContact,
    DriverInfo,
    DriverSkillName,
    GetDriverInfo,
)
from haulier.contexts.fleet.driver_skills.queries import get_skill_names
from haulier.contexts.fleet.drivers.queries import DriverRow, get_driver_row_by_user, get_visible_driver
from haulier.contexts.fleet.drivers.serializers import serialize_drivers
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import STAFF, Account, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError


@reads(
    "get_driver_info",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/driver-info"), GraphQL("driverInfo")),
)
async def get_driver_info(call: Call, request: GetDriverInfo) -> DriverInfo:
    """Get a driver with skills and document status.

    Document status covers expired, expiring and missing documents.
    """
    row = await _get_requested_driver(call, request)
    policy = await load_document_policy(call.work)
    documents = (await load_document_kind_statuses(call, [row.id], policy))[row.id]
    names = await get_skill_names(call, row.skills)
    contractor = (
        (await get_users_by_id(call, [row.contractor_id])).get(row.contractor_id) if row.contractor_id else None
    )
    business = call.business
    (driver,) = await serialize_drivers(call, [row])
    return DriverInfo(
        driver=driver,
        business=DriverBusiness(code=business.code, time_zone=business.time_zone, currency=business.currency),
        contractor=contractor and DriverContact(name=contractor.name, email=contractor.email),
        skills=[DriverSkillName(code=code, name=names.get(code, code)) for code in row.skills],
        documents=list(map(serialize_document_kind_status, documents)),
        documents_in_order=not any(status.is_blocking for status in documents),
        may_start_routes=bool(row.active) and not missing_route_documents(documents, policy),
    )


async def _get_requested_driver(call: Call, request: GetDriverInfo) -> DriverRow:
    if request.driver_id is not None:
        return await get_visible_driver(call, request.driver_id)
    if call.principal.account is not Account.DRIVER or call.actor is None:
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.missing"))
    row = await get_driver_row_by_user(call, call.actor)
    if row is None:
        raise NOT_FOUND()
    return row
