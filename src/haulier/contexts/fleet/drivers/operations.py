"""Drivers: list, export, show, create, change."""

from typing import Any

from haulier.contexts.custom_fields.public import (
    ResourceKind,
    changed_custom_fields,
    get_field_set,
    index_record,
    list_shown_fields,
    new_custom_fields,
    read_custom_field_filters,
)
from haulier.contexts.fleet.drivers import store
from haulier.contexts.fleet.drivers.contract import (
    CreateDriver,
    DriverAnswer,
    DriverFilters,
    DriverList,
    DriverRef,
    ExportDrivers,
    InviteDriver,
    ListDrivers,
    UpdateDriver,
)
from haulier.contexts.fleet.drivers.queries import get_visible_driver, list_grantable_scopes, lock_drivers
from haulier.contexts.fleet.drivers.serializers import serialize_drivers
from haulier.contexts.fleet.events import DriverDisabled
from haulier.contexts.identity.public import (
    ALREADY_INVITED,
    EMAIL_TAKEN,
    disable_user_account,
    enable_user_account,
    get_user_of_account,
    invite_user_by_email,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, STAFF, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, SCOPES_EXCEEDED, FieldError, declare_error
from haulier.kernel.values.pagination import make_cursor, parse_cursor
from haulier.kernel.values.table_exports import TABLE_FORMS, TableExport, table_export

DRIVER_USER_TAKEN = declare_error("driver_user_taken", 409)
DRIVER_HAS_ACCOUNT = declare_error("driver_has_account", 409)

CLEARABLE = {"phone", "vehicle", "user_id"}
PLANNERS = OFFICE | {Account.CONTRACTOR}
EXPORTED = ("id", "name", "phone", "vehicle", "skills", "active", "user_id", "contractor_id", "created_at")
"""The columns of an export, before those of custom fields."""


@reads(
    "get_drivers",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", "/v1/drivers"), GraphQL("drivers"), Mcp("get_drivers", title="List drivers")),
)
async def get_drivers(call: Call, request: ListDrivers) -> DriverList:
    """List drivers, by name.

    Contractors see only their own drivers. Drivers see only themselves.
    """
    rows, total = await store.list_driver_rows(
        call.work,
        _present_filters(call, request),
        limit=request.per_page,
        offset=request.offset,
        by_fields=await read_custom_field_filters(call, ResourceKind.DRIVER, request.custom_fields),
    )
    drivers = await serialize_drivers(call, rows)
    return DriverList(total=total, page=request.page, per_page=request.per_page, drivers=drivers)


@reads(
    "export_drivers",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", "/v1/driver-export", representations=TABLE_FORMS), GraphQL("exportDrivers")),
)
async def export_drivers(call: Call, request: ExportDrivers) -> TableExport:
    """Export drivers as CSV or XLSX.

    Up to 5,000 per page, ordered by id, including custom fields. Contractors get only their own drivers. Drivers get
    only themselves.
    """
    (after,) = parse_cursor(request.cursor, tuple[int]) if request.cursor else (0,)
    rows = await store.list_driver_rows_after(
        call.work,
        _present_filters(call, request),
        after=after,
        limit=request.limit + 1,
        by_fields=await read_custom_field_filters(call, ResourceKind.DRIVER, request.custom_fields),
    )
    page = rows[: request.limit]
    return table_export(
        await serialize_drivers(call, page),
        EXPORTED,
        await list_shown_fields(call, ResourceKind.DRIVER),
        request.format,
        make_cursor(page[-1].id) if len(rows) > len(page) else None,
    )


def _present_filters(call: Call, request: DriverFilters) -> dict[str, Any]:
    """The filters that are given, and those that keep a caller to what they may see."""
    contractor = call.principal.account is Account.CONTRACTOR
    filters = {
        "contractor": call.actor if contractor else request.contractor_id,
        "own": True if request.own and not contractor else None,
        "enabled": request.active,
        "skill": request.skill,
        "search": request.search,
        "user": call.actor if call.principal.account is Account.DRIVER else None,
    }
    return {name: value for name, value in filters.items() if value is not None}


@reads(
    "get_driver",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/drivers/{driver_id}"), GraphQL("driver")),
)
async def get_driver(call: Call, request: DriverRef) -> DriverAnswer:
    """Get a driver.

    Drivers see only themselves. Contractors see only their own drivers.
    """
    return await _load_driver(call, request.driver_id)


@writes(
    "create_driver",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(DRIVER_USER_TAKEN,),
    interfaces=(Rest("POST", "/v1/drivers"), GraphQL("createDriver")),
)
async def create_driver(call: Call, request: CreateDriver) -> DriverAnswer:
    """Create a driver.

    The driver belongs to the business or to a contractor.
    """
    contractor_id = call.actor if call.principal.account is Account.CONTRACTOR else request.contractor_id
    if contractor_id and not await get_user_of_account(call, contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.for_fields(FieldError("contractor_id", "field.contractor_unknown"))
    if request.user_id is not None:
        await _check_user_link(call, request.user_id)
    fields = await get_field_set(call, ResourceKind.DRIVER)
    custom_fields = new_custom_fields(call, fields, request.custom_fields)
    values: dict[str, Any] = request.model_dump(exclude={"contractor_id"}) | {"custom_fields": custom_fields}
    try:
        driver_id = await store.insert_driver(
            call.work, **values, contractor_id=contractor_id, active=True, created_at=call.now
        )
    except UniqueConflict:
        raise DRIVER_USER_TAKEN(user_id=request.user_id) from None
    await index_record(call, ResourceKind.DRIVER, fields, driver_id, custom_fields)
    call.add_audit_subjects("driver", driver_id)
    return await _load_driver(call, driver_id)


@writes(
    "update_driver",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, DRIVER_USER_TAKEN),
    interfaces=(Rest("PATCH", "/v1/drivers/{driver_id}"), GraphQL("updateDriver")),
)
async def update_driver(call: Call, request: UpdateDriver) -> DriverAnswer:
    """Update a driver.

    Omitted fields are unchanged. An inactive driver gets no new routes.
    """
    row = await get_visible_driver(call, request.driver_id)
    named = request.model_dump(include=request.model_fields_set - {"driver_id", "custom_fields"})
    changed = {name: value for name, value in named.items() if value is not None or name in CLEARABLE}
    if request.custom_fields:
        # Two concurrent changes may name different fields, and each keeps those that it does not name.
        await lock_drivers(call, [row.id])
        row = await get_visible_driver(call, row.id)
        fields = await get_field_set(call, ResourceKind.DRIVER)
        document = changed_custom_fields(call, fields, row.custom_fields, request.custom_fields)
        await index_record(call, ResourceKind.DRIVER, fields, row.id, document)
        changed["custom_fields"] = document
    if changed.get("active") is False:
        await call.publish(DriverDisabled(driver_id=request.driver_id))
    if "user_id" in changed:
        await _check_user_link(call, request.user_id)
    try:
        await store.update_driver_row(call.work, request.driver_id, changed)
    except UniqueConflict:
        raise DRIVER_USER_TAKEN(user_id=request.user_id) from None
    call.add_audit_subjects("driver", request.driver_id)
    return await _load_driver(call, request.driver_id)


@writes(
    "invite_driver",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE, Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, DRIVER_HAS_ACCOUNT, EMAIL_TAKEN, ALREADY_INVITED, SCOPES_EXCEEDED),
    interfaces=(Rest("POST", "/v1/drivers/{driver_id}/invitation"), GraphQL("inviteDriver")),
)
async def invite_driver(call: Call, request: InviteDriver) -> DriverAnswer:
    """Invite a driver to sign in.

    Sends an email link for choosing a password. Contractors invite their own drivers. The driver gets the permissions
    of drivers, limited to those of the caller.
    """
    driver = await get_visible_driver(call, request.driver_id)
    if driver.user_id is not None:
        raise DRIVER_HAS_ACCOUNT()
    user_id = await invite_user_by_email(
        call,
        name=driver.name,
        email=request.email,
        account=Account.DRIVER,
        language=request.language,
        granted=list_grantable_scopes(call),
    )
    await store.update_driver_row(call.work, driver.id, {"user_id": user_id})
    call.add_audit_subjects("driver", driver.id)
    return await _load_driver(call, driver.id)


@writes(
    "disable_driver",
    available_when={"active": True},
    reversed_by="enable_driver",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE, Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", "/v1/drivers/{driver_id}/disable"), GraphQL("disableDriver")),
)
async def disable_driver(call: Call, request: DriverRef) -> DriverAnswer:
    """Disable a driver.

    The driver gets no more routes and is signed out at once. Contractors disable their own drivers. Routes that have
    not started lose their driver; a route under way keeps its driver until staff reassign it.
    """
    driver = await get_visible_driver(call, request.driver_id)
    await store.update_driver_row(call.work, driver.id, {"active": False})
    if driver.user_id is not None:
        await disable_user_account(call, driver.user_id)
    await call.publish(DriverDisabled(driver_id=driver.id))
    call.add_audit_subjects("driver", driver.id)
    return await _load_driver(call, driver.id)


@writes(
    "enable_driver",
    available_when={"active": False},
    reversed_by="disable_driver",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE, Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, SCOPES_EXCEEDED),
    interfaces=(Rest("POST", "/v1/drivers/{driver_id}/enable"), GraphQL("enableDriver")),
)
async def enable_driver(call: Call, request: DriverRef) -> DriverAnswer:
    """Enable a driver.

    The driver can drive and sign in again. The scopes of the driver must be within those of the caller's token.
    """
    driver = await get_visible_driver(call, request.driver_id)
    await store.update_driver_row(call.work, driver.id, {"active": True})
    if driver.user_id is not None:
        await enable_user_account(call, driver.user_id)
    call.add_audit_subjects("driver", driver.id)
    return await _load_driver(call, driver.id)


async def _load_driver(call: Call, driver_id: int) -> DriverAnswer:
    (driver,) = await serialize_drivers(call, [await get_visible_driver(call, driver_id)])
    return DriverAnswer(driver=driver)


async def _check_user_link(call: Call, user_id: int | None) -> None:
    if call.principal.account is Account.CONTRACTOR:
        raise INVALID_REQUEST.for_fields(FieldError("user_id", "field.office_links_accounts"))
    if user_id is not None and not await get_user_of_account(call, user_id, Account.DRIVER):
        raise INVALID_REQUEST.for_fields(FieldError("user_id", "field.driver_account_unknown"))
