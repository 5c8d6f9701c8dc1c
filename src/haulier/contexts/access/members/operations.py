"""Who may do what, and how people like to be addressed."""

from typing import Any

from haulier.contexts.access.accounts.contract.client import ThisCustomer
from haulier.contexts.access.accounts.contract.users import ThisUser
from haulier.contexts.access.accounts.operations.client import a_customer
from haulier.contexts.access.accounts.rules.scopes import GRANTED, permitted
from haulier.contexts.access.accounts.rules.users import NOT_A_CUSTOMER
from haulier.contexts.access.accounts.store import members as store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.members.contract import (
    CustomerSettings,
    Permissions,
    Preferences,
    RoleList,
    RoleRecord,
    SetPermissions,
    UpdateCustomerSettings,
    UpdateMe,
)
from haulier.contexts.access.members.rules import (
    ADMIN_UNLIMITED,
    CUSTOMER_CODE_TAKEN,
    ROLES,
    SCOPES_BEYOND_ACCOUNT,
    chosen,
)
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import OFFICE, SIGNED_IN, Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Nothing, Rest, reads, writes


@reads(
    "list_roles",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/roles"), GraphQL("roles")),
)
async def list_roles(call: Call, request: Nothing) -> RoleList:
    """The roles that users can be given."""
    return RoleList(roles=[RoleRecord(name=name, scopes=sorted(scopes)) for name, scopes in ROLES.items()])


@reads(
    "get_permissions",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/users/{user_id}/permissions"), GraphQL("permissions")),
    errors=(NOT_FOUND,),
)
async def get_permissions(call: Call, request: ThisUser) -> Permissions:
    """What a user may do."""
    return await _permissions(call, await _user(call, request.user_id))


@writes(
    "set_permissions",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", "/v1/users/{user_id}/permissions"), GraphQL("setPermissions")),
    errors=(NOT_FOUND, ADMIN_UNLIMITED, SCOPES_BEYOND_ACCOUNT),
)
async def set_permissions(call: Call, request: SetPermissions) -> Permissions:
    """Choose what a user may do: a role, single scopes, or everything that their account may.

    It counts from their next call, for sessions and for tokens that were issued before. One's own account stays open to
    everyone.
    """
    user = await _user(call, request.user_id, lock=True)
    scopes = chosen(Account(user.account), request.role, request.scopes)
    await store.put(call.work, user.id, scopes=None if scopes is None else sorted(scopes), role=request.role)
    call.concerns("user", user.id)
    return await _permissions(call, user)


async def _user(call: Call, user_id: int, *, lock: bool = False) -> Any:
    user = await user_store.one(call.work, user_id, lock=lock)
    if user is None:
        raise NOT_FOUND()
    return user


async def _permissions(call: Call, user: Any) -> Permissions:
    account, member = Account(user.account), await store.of(call.work, user.id)
    return Permissions(
        user_id=user.id,
        role=member and member.role,
        scopes=sorted(permitted(account, member and member.scopes)),
        possible=sorted(GRANTED[account]),
    )


@writes(
    "update_me",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("PATCH", "/v1/user/me"), GraphQL("updateMe")),
)
async def update_me(call: Call, request: UpdateMe) -> Preferences:
    """Change one's own name, language or time zone."""
    me = call.actor or 0
    if request.name:
        await user_store.change(call.work, me, name=request.name)
    await store.put(call.work, me, **request.model_dump(exclude={"name"}, exclude_none=True))
    call.concerns("user", me)
    user, member = await _user(call, me), await store.of(call.work, me)
    return Preferences(name=user.name, language=member and member.language, time_zone=member and member.time_zone)


@reads(
    "get_customer_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/customers/{customer_id}/settings"), GraphQL("customerSettings")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def get_customer_settings(call: Call, request: ThisCustomer) -> CustomerSettings:
    """What the business set about a customer."""
    return await _settings(call, await a_customer(call, request.customer_id))


@writes(
    "update_customer_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/customers/{customer_id}/settings"), GraphQL("updateCustomerSettings")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER, CUSTOMER_CODE_TAKEN),
)
async def update_customer_settings(call: Call, request: UpdateCustomerSettings) -> CustomerSettings:
    """Change what the business knows a customer by, and how it writes to them."""
    customer = await a_customer(call, request.customer_id, lock=True)
    if request.name:
        await user_store.change(call.work, customer.id, name=request.name)
    try:
        given = request.model_dump(exclude={"customer_id", "name"}, exclude_none=True)
        await store.put(call.work, customer.id, **given)
    except Conflict:
        raise CUSTOMER_CODE_TAKEN(customer_code=request.customer_code) from None
    call.concerns("user", customer.id)
    return await _settings(call, await a_customer(call, customer.id))


async def _settings(call: Call, user: Any) -> CustomerSettings:
    member = await store.of(call.work, user.id)
    return CustomerSettings(
        customer_id=user.id,
        name=user.name,
        email=user.email,
        active=user.active,
        hidden_prices=user.hidden_prices,
        customer_code=member and member.customer_code,
        phone=member and member.phone,
        note=member and member.note,
        language=member and member.language,
        time_zone=member and member.time_zone,
    )
