"""The driver's own sheet."""

from typing import Annotated, Any

from haulier.contexts.access.public import users
from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.drivers.contract import Driver
from haulier.contexts.dispatch.drivers.operations import driver_record
from haulier.contexts.dispatch.drivers.papers.asking import policy_of, standings_of
from haulier.contexts.dispatch.drivers.papers.contract import PaperStanding
from haulier.contexts.dispatch.drivers.papers.rules import missing_for_a_route
from haulier.contexts.dispatch.drivers.papers.showing import standing_record
from haulier.contexts.dispatch.drivers.skills import store as skill_store
from haulier.contexts.dispatch.drivers.visibility import visible_driver
from haulier.contexts.dispatch.fields import RecordId
from haulier.kernel.answers import Answer, doc
from haulier.kernel.call import Call
from haulier.kernel.declarations import STAFF, Account, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Request, Rest, reads


class ShowDriverInfo(Request):
    """Whose sheet."""

    driver_id: RecordId | None = None
    """The driver. A driver leaves it out and gets their own."""


class NamedSkill(Answer):
    """Something that a driver can do."""

    code: str
    name: Annotated[str, doc("What people call it; the code, where the catalogue has no name.")]


class DriverContact(Answer):
    """Somebody whom a driver may turn to."""

    name: str
    email: str


class DriverBusiness(Answer):
    """For whom they drive."""

    code: str
    time_zone: str
    currency: str


class DriverInfo(Answer):
    """Everything about one driver at a glance."""

    result: bool = True
    driver: Driver
    business: DriverBusiness
    contractor: Annotated[
        DriverContact | None, doc("The contractor they drive for; null for the client's own drivers.")
    ]
    skills: list[NamedSkill]
    documents: Annotated[list[PaperStanding], doc("Each kind of paper that they have or should have.")]
    documents_in_order: Annotated[bool, doc("Whether every paper that is required holds today.")]
    may_start_routes: Annotated[bool, doc("False while a required paper does not hold and the business insists on it.")]


@reads(
    "get_driver_info",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", "/v1/driver-info", tag="DriverInfo"), GraphQL("driverInfo")),
)
async def get_driver_info(call: Call, request: ShowDriverInfo) -> DriverInfo:
    """Show a driver with their skills and how their papers stand: what expired, what ends soon, what is missing."""
    row = await _asked_for(call, request)
    policy = await policy_of(call.work)
    papers = (await standings_of(call, [row.id], policy))[row.id]
    skills: list[str] = row.skills
    names = await skill_store.names(call.work, skills)
    contractor = (await users(call, [row.contractor_id])).get(row.contractor_id) if row.contractor_id else None
    business = call.business
    return DriverInfo(
        driver=driver_record(call, row),
        business=DriverBusiness(code=business.code, time_zone=business.time_zone, currency=business.currency),
        contractor=contractor and DriverContact(name=contractor.name, email=contractor.email),
        skills=[NamedSkill(code=code, name=names.get(code, code)) for code in skills],
        documents=list(map(standing_record, papers)),
        documents_in_order=not any(each.in_the_way for each in papers),
        may_start_routes=bool(row.active) and not missing_for_a_route(papers, policy),
    )


async def _asked_for(call: Call, request: ShowDriverInfo) -> Any:
    if request.driver_id is not None:
        return await visible_driver(call, request.driver_id)
    if call.principal.account is not Account.DRIVER or call.actor is None:
        raise INVALID_REQUEST.at(Fault("driver_id", "field.missing"))
    row = await driver_store.by_user(call.work, call.actor)
    if row is None:
        raise NOT_FOUND()
    return row
