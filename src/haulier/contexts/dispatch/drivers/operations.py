"""Drivers: list, show, create, change."""

from typing import Any

from haulier.contexts.access.public import user_of_kind
from haulier.contexts.dispatch.drivers import store
from haulier.contexts.dispatch.drivers.contract import (
    CreateDriver,
    Driver,
    DriverAnswer,
    Drivers,
    ListDrivers,
    TheDriver,
    UpdateDriver,
)
from haulier.contexts.dispatch.drivers.visibility import visible_driver
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import OFFICE, STAFF, Account, Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault, problem
from haulier.kernel.operation import GraphQL, Mcp, Rest, reads, writes

TAG = "Driver"
DRIVER_USER_TAKEN = problem("driver_user_taken", 409)

CLEARABLE = {"phone", "vehicle", "user_id"}
PLANNERS = OFFICE | {Account.CONTRACTOR}


@reads(
    "get_drivers",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", "/v1/drivers", tag=TAG), GraphQL("drivers"), Mcp("get_drivers", title="List drivers")),
)
async def get_drivers(call: Call, request: ListDrivers) -> Drivers:
    """List drivers, by name. A contractor sees only their own, a driver only themselves."""
    contractor = call.principal.account is Account.CONTRACTOR
    filters = {
        "contractor": call.actor if contractor else request.contractor_id,
        "own": True if request.own and not contractor else None,
        "enabled": request.active,
        "skill": request.skill,
        "text": request.search,
        "user": call.actor if call.principal.account is Account.DRIVER else None,
    }
    given = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.page(call.work, given, limit=request.per_page, offset=request.offset)
    return Drivers(
        total=total, page=request.page, per_page=request.per_page, drivers=[driver_record(call, row) for row in rows]
    )


@reads(
    "get_driver",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", "/v1/drivers/{driver_id}", tag=TAG), GraphQL("driver")),
)
async def get_driver(call: Call, request: TheDriver) -> DriverAnswer:
    """Show one driver. A driver sees only themselves, a contractor only their own."""
    return DriverAnswer(driver=driver_record(call, await visible_driver(call, request.driver_id)))


@writes(
    "create_driver",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(DRIVER_USER_TAKEN,),
    doors=(Rest("POST", "/v1/drivers", tag=TAG), GraphQL("createDriver")),
)
async def create_driver(call: Call, request: CreateDriver) -> DriverAnswer:
    """Add a driver: the client's own, or a contractor's."""
    contractor_id = call.actor if call.principal.account is Account.CONTRACTOR else request.contractor_id
    if contractor_id and not await user_of_kind(call, contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.at(Fault("contractor_id", "field.contractor_unknown"))
    if request.user_id is not None:
        await _check_link(call, request.user_id)
    values = request.model_dump(exclude={"contractor_id"})
    try:
        driver_id = await store.add(call.work, **values, contractor_id=contractor_id, active=True, created_at=call.now)
    except Conflict:
        raise DRIVER_USER_TAKEN(user_id=request.user_id) from None
    call.concerns("driver", driver_id)
    return DriverAnswer(driver=driver_record(call, await store.one(call.work, driver_id)))


@writes(
    "update_driver",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, DRIVER_USER_TAKEN),
    doors=(Rest("PATCH", "/v1/drivers/{driver_id}", tag=TAG), GraphQL("updateDriver")),
)
async def update_driver(call: Call, request: UpdateDriver) -> DriverAnswer:
    """Change what is named of a driver; the rest stays. An inactive driver is given no more routes."""
    await visible_driver(call, request.driver_id)
    named = request.model_dump(include=request.model_fields_set - {"driver_id"})
    changed = {name: value for name, value in named.items() if value is not None or name in CLEARABLE}
    if "user_id" in changed:
        await _check_link(call, request.user_id)
    try:
        await store.change(call.work, request.driver_id, changed)
    except Conflict:
        raise DRIVER_USER_TAKEN(user_id=request.user_id) from None
    call.concerns("driver", request.driver_id)
    return DriverAnswer(driver=driver_record(call, await store.one(call.work, request.driver_id)))


async def _check_link(call: Call, user_id: int | None) -> None:
    if call.principal.account is Account.CONTRACTOR:
        raise INVALID_REQUEST.at(Fault("user_id", "field.office_links_accounts"))
    if user_id is not None and not await user_of_kind(call, user_id, Account.DRIVER):
        raise INVALID_REQUEST.at(Fault("user_id", "field.driver_account_unknown"))


def driver_record(call: Call, row: Any) -> Driver:
    """A driver as people see one."""
    return Driver(
        id=row.id,
        name=row.name,
        phone=row.phone,
        vehicle=row.vehicle,
        skills=row.skills,
        active=bool(row.active),
        user_id=row.user_id,
        contractor_id=row.contractor_id,
        created_at=row.created_at.astimezone(call.time_zone),
    )
