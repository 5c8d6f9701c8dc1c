"""Operations on passwords."""

from msgspec import Struct

from haulier.contexts.identity.accounts import actions
from haulier.contexts.identity.accounts.actions import clear_failures, set_password_hash, sign_out_user
from haulier.contexts.identity.accounts.contract import UserDetail
from haulier.contexts.identity.accounts.notifications import CredentialChange, enqueue_security_notice
from haulier.contexts.identity.accounts.queries import find_business_names, require_user, require_user_grantable
from haulier.contexts.identity.accounts.rules import OWN_PASSWORD, WRONG_PASSWORD, failure_keys, require_strong_password
from haulier.contexts.identity.accounts.serializers import to_user_record
from haulier.contexts.identity.passwords import store
from haulier.contexts.identity.passwords.contract import (
    ChangePassword,
    RequestPasswordReset,
    ResetPassword,
    SetUserPassword,
)
from haulier.contexts.identity.passwords.notifications import RESET_MAIL_JOB, SendResetLink
from haulier.contexts.identity.passwords.rules import RESET_LINK_INVALID
from haulier.contexts.identity.passwords.store import PasswordResetRow
from haulier.contexts.identity.sessions.contract import RevokedTokens
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token


class CheckedPasswordChange(Struct, frozen=True):
    """The verified hash of the old password, and the hash of the new one."""

    old_hash: str
    new_hash: str


async def check_and_hash_passwords(context: RequestContext, request: ChangePassword) -> CheckedPasswordChange:
    """Verify the old password and hash the new one, outside the writer.

    Raises `WRONG_PASSWORD` or `INVALID_REQUEST`.
    """
    principal, new = context.principal, request.new_password.get_secret_value()
    async with context.app.database.read(principal.client_id) as work:
        user = await require_user(work, principal.user_id or 0)
        business = await find_business_names(work, principal.client_id or 0)
    require_strong_password(new, user.email, user.name, field="new_password", business=business)
    matches, _ = await actions.check_password_hash(request.current_password.get_secret_value(), user.password_hash)
    if not matches or user.password_hash is None:
        raise WRONG_PASSWORD()
    return CheckedPasswordChange(user.password_hash, await actions.hash_password(new))


@writes(
    "change_password",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", "/v1/user/password"), GraphQL("changePassword")),
    limits=(RateLimit(5, 60, ("user",)),),
    errors=(WRONG_PASSWORD,),
    prepare=check_and_hash_passwords,
)
async def change_password(call: Call, request: ChangePassword) -> RevokedTokens:
    """Change your password.

    Every other session is signed out, and an email confirms the change.
    """
    change: CheckedPasswordChange = call.prepared
    user = await require_user(call.work, call.actor or 0, lock=True)
    if user.password_hash != change.old_hash:  # it was changed after the check
        raise WRONG_PASSWORD()
    await set_password_hash(call.work, user.id, change.new_hash)
    revoked = await sign_out_user(call.work, user.id, call.now, keep=call.principal.token_id)
    await enqueue_security_notice(
        call, CredentialChange.PASSWORD, client_id=call.client_id, user_id=user.id, to=user.email
    )
    call.add_audit_subjects("user", user.id)
    return RevokedTokens(revoked=revoked, message=call.translate("password_changed"))


async def hash_admin_given_password(context: RequestContext, request: SetUserPassword) -> str:
    """Hash the given password, outside the writer."""
    return await actions.hash_password(request.password.get_secret_value())


@writes(
    "set_user_password",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/users/{user_id}/password"), GraphQL("setUserPassword")),
    errors=(NOT_FOUND, OWN_PASSWORD, SCOPES_EXCEEDED),
    prepare=hash_admin_given_password,
)
async def set_user_password(call: Call, request: SetUserPassword) -> UserDetail:
    """Set the password of a user.

    Use this for a user who lost the password. Every session of the user is signed out. The rights of the user must be
    within the scopes of the caller's token. Change your own password with the old one instead.
    """
    user = await require_user(call.work, request.user_id, lock=True)
    await require_user_grantable(call, user)
    if user.id == call.actor:
        raise OWN_PASSWORD()
    password, business = request.password.get_secret_value(), await find_business_names(call.work, call.client_id)
    require_strong_password(password, user.email, user.name, field="password", business=business)
    await set_password_hash(call.work, user.id, call.prepared)
    await sign_out_user(call.work, user.id, call.now)
    await enqueue_security_notice(
        call, CredentialChange.PASSWORD_BY_ADMIN, client_id=call.client_id, user_id=user.id, to=user.email
    )
    call.add_audit_subjects("user", user.id)
    return UserDetail(user=to_user_record(await require_user(call.work, user.id)))


_TENANCY_REASON = "a lost password is set by a link alone"


@writes(
    "request_password_reset",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/user/password/forgotten"), GraphQL("requestPasswordReset")),
    limits=(RateLimit(3, 900, ("email",)), RateLimit(20, 3600, ("address",))),
)
async def request_password_reset(call: Call, request: RequestPasswordReset) -> Done:
    """Request a password reset link.

    An unknown address gets the same answer in the same time. The link works once, for 30 minutes.
    """
    await call.enqueue(RESET_MAIL_JOB, SendResetLink(email=request.email))
    return Done(message=call.translate("reset_requested"))


async def check_link_and_hash_password(context: RequestContext, request: ResetPassword) -> tuple[PasswordResetRow, str]:
    """Return the owner of the link, and the hash of the new password.

    Raises `RESET_LINK_INVALID`, or `INVALID_REQUEST` if the password is weak.
    """
    async with context.app.database.read(None) as work:
        reset = await store.get_password_reset(
            work.without_tenant_filter(_TENANCY_REASON), _reset_token_digest(request), context.app.clock()
        )
        if reset is None:
            raise RESET_LINK_INVALID()
        business = await find_business_names(work, reset.client_id)
    password = request.new_password.get_secret_value()
    require_strong_password(password, reset.email, reset.name, field="new_password", business=business)
    return reset, await actions.hash_password(password)


@writes(
    "reset_password",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/user/password/reset"), GraphQL("resetPassword")),
    limits=(RateLimit(30, 60, ("address",)),),
    errors=(RESET_LINK_INVALID,),
    prepare=check_link_and_hash_password,
)
async def reset_password(call: Call, request: ResetPassword) -> Done:
    """Reset a password by its emailed link.

    Every session of the user ends, and an email confirms the change.
    """
    reset, password_hash = call.prepared
    work = call.work.without_tenant_filter(_TENANCY_REASON)
    if not await store.use_password_reset(work, _reset_token_digest(request), call.now):
        raise RESET_LINK_INVALID()
    await store.end_other_password_resets(work, reset.user_id, call.now)
    await set_password_hash(work, reset.user_id, password_hash)
    await sign_out_user(work, reset.user_id, call.now)
    await clear_failures(work, failure_keys(reset.email, call.network).keys())
    await enqueue_security_notice(
        call, CredentialChange.PASSWORD, client_id=reset.client_id, user_id=reset.user_id, to=reset.email
    )
    call.set_signed_in(reset.client_id, reset.user_id, Account(reset.account))
    call.add_audit_subjects("user", reset.user_id)
    return Done(message=call.translate("password_reset"))


def _reset_token_digest(request: ResetPassword) -> bytes:
    return hash_token(request.token.get_secret_value())
