"""The users of a client: create, look up, change, disable."""

from haulier.contexts.identity.accounts.actions import passwords, users
from haulier.contexts.identity.accounts.actions.tokens import require_session
from haulier.contexts.identity.accounts.contract.users import (
    CreateUser,
    DisabledUser,
    ListUsers,
    UpdateUser,
    UserDetail,
    UserList,
    UserRef,
)
from haulier.contexts.identity.accounts.notifications.security_notices import CredentialChange, enqueue_security_notice
from haulier.contexts.identity.accounts.queries.clients import find_business_names
from haulier.contexts.identity.accounts.queries.rights import (
    find_granted_scopes,
    reach_of_account,
    require_account_grantable,
    require_user_grantable,
)
from haulier.contexts.identity.accounts.queries.users import require_user
from haulier.contexts.identity.accounts.rules.passwords import require_strong_password
from haulier.contexts.identity.accounts.rules.users import (
    ACCOUNT_FIXED,
    EMAIL_TAKEN,
    LAST_ADMIN,
    SESSION_REQUIRED,
    require_account_changeable,
)
from haulier.contexts.identity.accounts.serializers import to_user_record
from haulier.contexts.identity.accounts.store import users as store
from haulier.contexts.identity.accounts.store.users import UserRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED
from haulier.kernel.pipeline.reach import NOTHING
from haulier.kernel.request_context import RequestContext


async def hash_first_password(context: RequestContext, request: CreateUser) -> str | None:
    """Hash the password of a new user, outside the writer. Raises `INVALID_REQUEST` for a weak one."""
    if request.password is None:
        return None
    password = request.password.get_secret_value()
    async with context.app.database.read(context.principal.client_id) as work:
        business = await find_business_names(work, context.principal.client_id or 0)
    require_strong_password(password, request.email, request.name, field="password", business=business)
    return await passwords.hash_password(password)


@writes(
    "create_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/users", status=201), GraphQL("createUser")),
    errors=(EMAIL_TAKEN, SCOPES_EXCEEDED),
    prepare=hash_first_password,
)
async def create_user(call: Call, request: CreateUser) -> UserDetail:
    """Create a user of the client: an employee, contractor, driver, customer, provider or another admin.

    What an account of the kind may do has to be within the scopes of the caller's token.
    """
    user_id = await users.create_user_within(
        call, email=request.email, name=request.name, account=request.account, password_hash=call.prepared
    )
    return await _user_detail(call, user_id)


@reads(
    "list_users",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/users"), GraphQL("users")),
)
async def list_users(call: Call, request: ListUsers) -> UserList:
    """The client's users, by name."""
    rows, total = await store.list_user_rows(
        call.work,
        account=request.account,
        active=request.active,
        text=request.search,
        limit=request.per_page,
        offset=request.offset,
    )
    return UserList(
        total=total, page=request.page, per_page=request.per_page, users=[to_user_record(row) for row in rows]
    )


@reads(
    "get_user",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/users/{user_id}"), GraphQL("user")),
    errors=(NOT_FOUND,),
)
async def get_user(call: Call, request: UserRef) -> UserDetail:
    """One user of the client."""
    return await _user_detail(call, request.user_id)


@writes(
    "update_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/users/{user_id}"), GraphQL("updateUser")),
    errors=(NOT_FOUND, EMAIL_TAKEN, ACCOUNT_FIXED, LAST_ADMIN, SCOPES_EXCEEDED, SESSION_REQUIRED),
)
async def update_user(call: Call, request: UpdateUser) -> UserDetail:
    """Change a user's name, e-mail address, or whether they are client admin or employee.

    The address is what they sign in with, so changing it needs all the rights that the user has. Another kind of account
    needs the rights that it adds, and a signed-in admin: API tokens cannot change it.
    """
    user = await require_user(call.work, request.user_id, lock=True)
    if request.account:
        require_account_changeable(Account(user.account), request.account)
        if request.account is not Account.CLIENT_ADMIN:
            await users.require_other_admin(call.work, user)
        if request.account != user.account:
            await require_session(call.work, call.principal.token_id, call.now)
    await _require_change_grantable(call, user, request)
    values = request.model_dump(exclude={"user_id"}, exclude_none=True)
    try:
        if values:
            await store.update_user_row(call.work, user.id, **values)
    except UniqueConflict:
        raise EMAIL_TAKEN(email=request.email) from None
    if request.email and request.email != user.email:
        for address in (user.email, request.email):  # also to the old address, so that its owner notices
            await enqueue_security_notice(
                call,
                CredentialChange.EMAIL,
                client_id=call.client_id,
                user_id=user.id,
                to=address,
                detail=request.email,
            )
    call.add_audit_subjects("user", user.id)
    return await _user_detail(call, user.id)


@writes(
    "disable_user",
    allowed_where={"active": True},
    undone_by="enable_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/users/{user_id}/disable"), GraphQL("disableUser")),
    errors=(NOT_FOUND, LAST_ADMIN),
)
async def disable_user(call: Call, request: UserRef) -> DisabledUser:
    """Disable a user: every session and token of theirs stops working at once. Their records stay.

    Orders and routes that wait for a contractor or driver are given back; the answer, also that of a dry run, names them.
    """
    left_behind = await users.disable_user_account(call, request.user_id)
    return DisabledUser(user=(await _user_detail(call, request.user_id)).user, left_behind=left_behind)


@writes(
    "enable_user",
    allowed_where={"active": False},
    undone_by="disable_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/users/{user_id}/enable"), GraphQL("enableUser")),
    errors=(NOT_FOUND, SCOPES_EXCEEDED),
)
async def enable_user(call: Call, request: UserRef) -> UserDetail:
    """Enable a disabled user again. Tokens that were revoked stay revoked.

    What the user may do has to be within the scopes of the caller's token.
    """
    user = await require_user(call.work, request.user_id, lock=True)
    if not user.active:
        await require_user_grantable(call, user)
    await store.update_user_row(call.work, user.id, active=True)
    call.add_audit_subjects("user", user.id)
    return await _user_detail(call, user.id)


async def _require_change_grantable(call: Call, user: UserRow, request: UpdateUser) -> None:
    """Check that what a change gives is within the caller's reach. Raises `SCOPES_EXCEEDED`."""
    account, granted = Account(user.account), await find_granted_scopes(call.work, user.id)
    before = reach_of_account(call, account, granted) if request.email in {None, user.email} else NOTHING
    require_account_grantable(call, request.account or account, granted, before=before)


async def _user_detail(call: Call, user_id: int) -> UserDetail:
    return UserDetail(user=to_user_record(await require_user(call.work, user_id)))
