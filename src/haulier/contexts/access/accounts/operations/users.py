"""The users of a client: create, look up, change, disable."""

from typing import Any

from haulier.contexts.access.accounts import passwords
from haulier.contexts.access.accounts.contract.users import (
    CreateUser,
    ListUsers,
    OneUser,
    SetUserPassword,
    ThisUser,
    UpdateUser,
    UserList,
    UserRecord,
)
from haulier.contexts.access.accounts.notices import Changed, tell
from haulier.contexts.access.accounts.rules.passwords import demand_strength
from haulier.contexts.access.accounts.rules.users import (
    ACCOUNT_FIXED,
    EMAIL_TAKEN,
    LAST_ADMIN,
    demand_an_admin_stays,
    demand_may_become,
)
from haulier.contexts.access.accounts.store import tokens as token_store
from haulier.contexts.access.accounts.store import users as store
from haulier.contexts.access.events import UserCreated, UserDisabled
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes


async def hash_first_password(doorstep: Doorstep, request: CreateUser) -> str | None:
    """Hash the password of a new user, outside the writer. Raises `INVALID_REQUEST` for a weak one."""
    if request.password is None:
        return None
    password = request.password.get_secret_value()
    demand_strength(password, request.email, request.name, field="password")
    return await passwords.hashed(password)


@writes(
    "create_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/users", status=201), GraphQL("createUser")),
    errors=(EMAIL_TAKEN,),
    prepare=hash_first_password,
)
async def create_user(call: Call, request: CreateUser) -> OneUser:
    """Create a user of the client: an employee, contractor, driver, customer, provider or another admin."""
    try:
        id = await store.add(
            call.work,
            email=request.email,
            name=request.name,
            account=request.account.value,
            password_hash=call.prepared,
            active=True,
            hidden_prices=[],
            created_at=call.now,
        )
    except Conflict:
        raise EMAIL_TAKEN(email=request.email) from None
    call.concerns("user", id)
    await call.announce(UserCreated(user_id=id, account=request.account))
    return await _answer(call, id)


@reads(
    "list_users",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/users"), GraphQL("users")),
)
async def list_users(call: Call, request: ListUsers) -> UserList:
    """The client's users, by name."""
    rows, total = await store.page(
        call.work,
        account=request.account,
        active=request.active,
        text=request.search,
        limit=request.per_page,
        offset=request.offset,
    )
    return UserList(total=total, page=request.page, per_page=request.per_page, users=[user_record(row) for row in rows])


@reads(
    "get_user",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/users/{user_id}"), GraphQL("user")),
    errors=(NOT_FOUND,),
)
async def get_user(call: Call, request: ThisUser) -> OneUser:
    """One user of the client."""
    return await _answer(call, request.user_id)


@writes(
    "update_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/users/{user_id}"), GraphQL("updateUser")),
    errors=(NOT_FOUND, EMAIL_TAKEN, ACCOUNT_FIXED, LAST_ADMIN),
)
async def update_user(call: Call, request: UpdateUser) -> OneUser:
    """Change a user's name, e-mail address, or standing among client admins and employees."""
    user = await _locked(call, request.user_id)
    if request.account:
        demand_may_become(Account(user.account), request.account)
        if request.account is not Account.CLIENT_ADMIN:
            await _demand_an_admin_besides(call, user)
    values = request.model_dump(exclude={"user_id"}, exclude_none=True)
    try:
        if values:
            await store.change(call.work, user.id, **values)
    except Conflict:
        raise EMAIL_TAKEN(email=request.email) from None
    if request.email and request.email != user.email:
        for address in (user.email, request.email):  # the owner of the old one shall notice, too
            await tell(call, Changed.EMAIL, client_id=call.client_id, user_id=user.id, to=address, detail=request.email)
    call.concerns("user", user.id)
    return await _answer(call, user.id)


@writes(
    "disable_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/users/{user_id}/disable"), GraphQL("disableUser")),
    errors=(NOT_FOUND, LAST_ADMIN),
)
async def disable_user(call: Call, request: ThisUser) -> OneUser:
    """Keep a user out: every session and token of theirs stops working at once. Their records stay."""
    user = await _locked(call, request.user_id)
    await _demand_an_admin_besides(call, user)
    await store.change(call.work, user.id, active=False)
    await token_store.revoke_all(call.work, user.id, call.now)
    call.concerns("user", user.id)
    await call.announce(UserDisabled(user_id=user.id, account=Account(user.account)))
    return await _answer(call, user.id)


@writes(
    "enable_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/users/{user_id}/enable"), GraphQL("enableUser")),
    errors=(NOT_FOUND,),
)
async def enable_user(call: Call, request: ThisUser) -> OneUser:
    """Let a disabled user in again. Tokens that were revoked stay revoked."""
    user = await _locked(call, request.user_id)
    await store.change(call.work, user.id, active=True)
    call.concerns("user", user.id)
    return await _answer(call, user.id)


async def hash_given_password(doorstep: Doorstep, request: SetUserPassword) -> str:
    """Hash the given password, outside the writer."""
    return await passwords.hashed(request.password.get_secret_value())


@writes(
    "set_user_password",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", "/v1/users/{user_id}/password"), GraphQL("setUserPassword")),
    errors=(NOT_FOUND,),
    prepare=hash_given_password,
)
async def set_user_password(call: Call, request: SetUserPassword) -> OneUser:
    """Give a user who lost theirs a new password. Every session of theirs is signed out."""
    user = await _locked(call, request.user_id)
    demand_strength(request.password.get_secret_value(), user.email, user.name, field="password")
    await store.change(call.work, user.id, password_hash=call.prepared)
    await token_store.revoke_sessions(call.work, user.id, call.now)
    await tell(call, Changed.PASSWORD_BY_ADMIN, client_id=call.client_id, user_id=user.id, to=user.email)
    call.concerns("user", user.id)
    return await _answer(call, user.id)


async def _locked(call: Call, user_id: int) -> Any:
    user = await store.one(call.work, user_id, lock=True)
    if user is None:
        raise NOT_FOUND()
    return user


async def _demand_an_admin_besides(call: Call, user: Any) -> None:
    if user.account == Account.CLIENT_ADMIN:
        demand_an_admin_stays(user.id, await store.active_admins(call.work, Account.CLIENT_ADMIN.value))


async def _answer(call: Call, user_id: int) -> OneUser:
    row = await store.one(call.work, user_id)
    if row is None:
        raise NOT_FOUND()
    return OneUser(user=user_record(row))


def user_record(row: Any) -> UserRecord:
    """A user as the client sees one."""
    return UserRecord(
        id=row.id,
        name=row.name,
        email=row.email,
        account=row.account,
        active=row.active,
        hidden_prices=row.hidden_prices,
        created_at=row.created_at,
    )
