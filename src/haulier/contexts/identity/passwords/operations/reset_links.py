"""Ask for a link when the password is lost, and set a new password with the link."""

from haulier.contexts.identity.accounts.actions import passwords
from haulier.contexts.identity.accounts.actions.failed_sign_ins import clear_failures
from haulier.contexts.identity.accounts.actions.tokens import sign_out_user
from haulier.contexts.identity.accounts.actions.users import set_password_hash
from haulier.contexts.identity.accounts.notifications.security_notices import CredentialChange, enqueue_security_notice
from haulier.contexts.identity.accounts.queries.clients import find_business_names
from haulier.contexts.identity.accounts.rules.login_lockout import failure_keys
from haulier.contexts.identity.accounts.rules.passwords import require_strong_password
from haulier.contexts.identity.passwords import store
from haulier.contexts.identity.passwords.contract import RequestPasswordReset, ResetPassword
from haulier.contexts.identity.passwords.notifications import RESET_MAIL_JOB, SendResetLink
from haulier.contexts.identity.passwords.rules import RESET_LINK_INVALID
from haulier.contexts.identity.passwords.store import PasswordResetRow
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token

_TENANCY_REASON = "a lost password is set by a link alone"


@writes(
    "request_password_reset",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/user/password/forgotten"), GraphQL("requestPasswordReset")),
    limits=(RateLimit(3, 900, ("email",)), RateLimit(20, 3600, ("address",))),
)
async def request_password_reset(call: Call, request: RequestPasswordReset) -> Done:
    """Ask for a link to set a new password. An unknown address gets the same answer in the same time.

    The link works once, for 30 minutes.
    """
    await call.enqueue(RESET_MAIL_JOB, SendResetLink(email=request.email))
    return Done(message=call.translate("reset_requested"))


async def check_link_and_hash_password(context: RequestContext, request: ResetPassword) -> tuple[PasswordResetRow, str]:
    """The owner of the link, and the hash of the new password. Raises `RESET_LINK_INVALID`, or `INVALID_REQUEST` if weak."""
    async with context.app.database.read(None) as work:
        reset = await store.get_password_reset(
            work.without_tenant_filter(_TENANCY_REASON), _reset_token_digest(request), context.app.clock()
        )
        if reset is None:
            raise RESET_LINK_INVALID()
        business = await find_business_names(work, reset.client_id)
    password = request.new_password.get_secret_value()
    require_strong_password(password, reset.email, reset.name, field="new_password", business=business)
    return reset, await passwords.hash_password(password)


@writes(
    "reset_password",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/user/password/reset"), GraphQL("resetPassword")),
    limits=(RateLimit(30, 60, ("address",)),),
    errors=(RESET_LINK_INVALID,),
    prepare=check_link_and_hash_password,
)
async def reset_password(call: Call, request: ResetPassword) -> Done:
    """Set a new password with the link from the e-mail. Every session of the user ends, and an e-mail says so."""
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
    call.signed_in(reset.client_id, reset.user_id, Account(reset.account))
    call.add_audit_subjects("user", reset.user_id)
    return Done(message=call.translate("password_reset"))


def _reset_token_digest(request: ResetPassword) -> bytes:
    return hash_token(request.token.get_secret_value())
