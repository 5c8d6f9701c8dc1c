"""Operations on permissions, preferences and customer settings."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.custom_fields.public import (
    ResourceKind,
    changed_custom_fields,
    get_field_set,
    index_record,
    list_shown_fields,
    read_custom_field_filters,
    show_custom_fields,
)
from haulier.contexts.identity.accounts.actions import rename_user, set_member, sync_test_user
from haulier.contexts.identity.accounts.contract import CustomerRef, UserRef
from haulier.contexts.identity.accounts.queries import (
    CustomerRow,
    MemberRow,
    UserRow,
    find_granted_scopes,
    find_member,
    list_customers_after,
    reach_of_account,
    require_account_grantable,
    require_customer,
    require_user,
)
from haulier.contexts.identity.accounts.queries import find_customers as find_customers_by_text
from haulier.contexts.identity.accounts.rules import (
    NOT_A_CUSTOMER,
    OWN_ACCOUNT_SCOPES,
    SCOPES_BY_ACCOUNT,
    permitted_scopes,
)
from haulier.contexts.identity.members.contract import (
    CustomerList,
    CustomerRecord,
    CustomerSettings,
    ExportCustomers,
    FindCustomers,
    RoleList,
    RoleRecord,
    SetPermissions,
    UpdateCustomerSettings,
    UpdateMe,
    UserPermissions,
    UserPreferences,
)
from haulier.contexts.identity.members.rules import (
    ADMIN_UNLIMITED,
    CUSTOMER_CODE_TAKEN,
    MEMBER_ROLES,
    SCOPES_BEYOND_ACCOUNT,
    chosen_scopes,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor
from haulier.kernel.values.table_exports import TABLE_FORMS, TableExport, table_export

_CHOSEN_BY_OFFICE = MemberRow.column_names() & frozenset(CustomerSettings.__struct_fields__) - {"custom_fields"}
"""Customer settings outside the account; null if unset."""
EXPORTED = ("customer_id", "name", "email", "phone", "customer_code", "active")
"""The columns of an export, before those of custom fields."""


@reads(
    "list_roles",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/roles"), GraphQL("roles")),
)
async def list_roles(call: Call, request: EmptyRequest) -> RoleList:
    """List the roles for users."""
    return RoleList(roles=[RoleRecord(name=name, scopes=sorted(scopes)) for name, scopes in MEMBER_ROLES.items()])


@reads(
    "get_permissions",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/users/{user_id}/permissions"), GraphQL("permissions")),
    errors=(NOT_FOUND,),
)
async def get_permissions(call: Call, request: UserRef) -> UserPermissions:
    """Get the permissions of a user."""
    return await _user_permissions(call, await require_user(call.work, request.user_id))


@writes(
    "set_permissions",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", "/v1/users/{user_id}/permissions"), GraphQL("setPermissions")),
    errors=(NOT_FOUND, ADMIN_UNLIMITED, SCOPES_BEYOND_ACCOUNT, SCOPES_EXCEEDED),
)
async def set_permissions(call: Call, request: SetPermissions) -> UserPermissions:
    """Set the permissions of a user.

    A role, single scopes, or everything that their account has. Takes effect with their next call, for sessions and for
    existing tokens. Everyone keeps access to their own account. Added rights must be within the scopes of the caller's
    token.
    """
    user = await require_user(call.work, request.user_id, lock=True)
    scopes = chosen_scopes(Account(user.account), request.role, request.scopes)
    account = Account(user.account)
    before = reach_of_account(call, account, await find_granted_scopes(call.work, user.id))
    require_account_grantable(call, account, scopes, before=before)
    await set_member(call.work, user.id, scopes=None if scopes is None else sorted(scopes), role=request.role)
    await sync_test_user(call, user.id)
    call.add_audit_subjects("user", user.id)
    return await _user_permissions(call, user)


async def _user_permissions(call: Call, user: UserRow) -> UserPermissions:
    account, member = Account(user.account), await find_member(call.work, user.id)
    return UserPermissions(
        user_id=user.id,
        role=member and member.role,
        scopes=sorted(permitted_scopes(account, member and member.scopes)),
        always=sorted(OWN_ACCOUNT_SCOPES & SCOPES_BY_ACCOUNT[account]),
        possible=sorted(SCOPES_BY_ACCOUNT[account]),
    )


@writes(
    "update_me",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("PATCH", "/v1/user/me"), GraphQL("updateMe")),
)
async def update_me(call: Call, request: UpdateMe) -> UserPreferences:
    """Update your name, language or time zone."""
    me = call.actor or 0
    if request.name:
        await rename_user(call.work, me, request.name)
    await set_member(call.work, me, **request.model_dump(exclude={"name"}, exclude_none=True))
    call.add_audit_subjects("user", me)
    user, member = await require_user(call.work, me), await find_member(call.work, me)
    return UserPreferences(name=user.name, language=member and member.language, time_zone=member and member.time_zone)


@reads(
    "get_customer_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/customers/{customer_id}/settings"), GraphQL("customerSettings")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def get_customer_settings(call: Call, request: CustomerRef) -> CustomerSettings:
    """Get the settings of a customer."""
    return await _customer_settings(call, await require_customer(call.work, request.customer_id))


@writes(
    "update_customer_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/customers/{customer_id}/settings"), GraphQL("updateCustomerSettings")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER, CUSTOMER_CODE_TAKEN),
)
async def update_customer_settings(call: Call, request: UpdateCustomerSettings) -> CustomerSettings:
    """Update the settings of a customer.

    Name, code, phone, note, language, time zone and custom fields.
    """
    customer = await require_customer(call.work, request.customer_id, lock=True)
    if request.name:
        await rename_user(call.work, customer.id, request.name)
    try:
        changes = request.model_dump(exclude={"customer_id", "name", "custom_fields"}, exclude_none=True)
        changes |= await _changed_custom_fields(call, request)
        await set_member(call.work, customer.id, **changes)
    except UniqueConflict:
        raise CUSTOMER_CODE_TAKEN(customer_code=request.customer_code) from None
    call.add_audit_subjects("user", customer.id)
    return await _customer_settings(call, await require_customer(call.work, customer.id))


async def _changed_custom_fields(call: Call, request: UpdateCustomerSettings) -> dict[str, Any]:
    """Return the changed custom fields column, or nothing."""
    if not request.custom_fields:
        return {}
    member, fields = await find_member(call.work, request.customer_id), await get_field_set(call, ResourceKind.CUSTOMER)
    document = changed_custom_fields(call, fields, member and member.custom_fields, request.custom_fields)
    await index_record(call, ResourceKind.CUSTOMER, fields, request.customer_id, document)
    return {"custom_fields": document}


async def _customer_settings(call: Call, user: UserRow) -> CustomerSettings:
    member = await find_member(call.work, user.id)
    chosen: dict[str, Any] = {name: member and getattr(member, name) for name in _CHOSEN_BY_OFFICE}
    (shown,) = await show_custom_fields(call, ResourceKind.CUSTOMER, [member and member.custom_fields])
    return record(CustomerSettings, user, customer_id=user.id, custom_fields=shown, **chosen)


@reads(
    "find_customers",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/customers"), GraphQL("customers"), Mcp("find_customers", title="Find customers")),
)
async def find_customers(call: Call, request: FindCustomers) -> CustomerList:
    """Find customers.

    Searches by name, email, telephone number, code and id. Includes disabled accounts.
    """
    by_fields = await read_custom_field_filters(call, ResourceKind.CUSTOMER, request.custom_fields)
    total, rows = await find_customers_by_text(
        call, request.search, limit=request.per_page, offset=request.offset, by_fields=by_fields
    )
    customers = await _customer_records(call, rows)
    return CustomerList(total=total, page=request.page, per_page=request.per_page, customers=customers)


@reads(
    "export_customers",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/customer-export", representations=TABLE_FORMS), GraphQL("exportCustomers")),
)
async def export_customers(call: Call, request: ExportCustomers) -> TableExport:
    """Export customers as CSV or XLSX.

    Ordered by id, including custom fields, up to 5,000 customers per page.
    """
    (after,) = parse_cursor(request.cursor, tuple[int]) if request.cursor else (0,)
    by_fields = await read_custom_field_filters(call, ResourceKind.CUSTOMER, request.custom_fields)
    rows = await list_customers_after(call, request.search, after=after, limit=request.limit + 1, by_fields=by_fields)
    page = rows[: request.limit]
    return table_export(
        await _customer_records(call, page),
        EXPORTED,
        await list_shown_fields(call, ResourceKind.CUSTOMER),
        request.format,
        make_cursor(page[-1].id) if len(rows) > len(page) else None,
    )


async def _customer_records(call: Call, rows: Sequence[CustomerRow]) -> list[CustomerRecord]:
    shown = await show_custom_fields(call, ResourceKind.CUSTOMER, [row.custom_fields for row in rows])
    return [
        record(CustomerRecord, row, customer_id=row.id, custom_fields=values)
        for row, values in zip(rows, shown, strict=True)
    ]
