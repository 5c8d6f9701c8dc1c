"""Sign in with a link from staff."""

from haulier.contexts.identity.accounts import actions
from haulier.contexts.identity.sessions.contract import LoginSession, SessionClient, SessionUser
from haulier.contexts.identity.sign_in_links import store
from haulier.contexts.identity.sign_in_links.contract import SignInWithLink
from haulier.contexts.identity.sign_in_links.rules import SIGN_IN_LINK_INVALID
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.values.ids import hash_token


@writes(
    "sign_in_with_link",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/user/login/link"), GraphQL("signInWithLink")),
    limits=(RateLimit(30, 60, ("address",)),),
    errors=(SIGN_IN_LINK_INVALID,),
)
async def sign_in_with_link(call: Call, request: SignInWithLink) -> LoginSession:
    """Sign in with a link from staff.

    Returns a bearer token. The link works once.
    """
    work = call.work.without_tenant_filter("the link says who signs in")
    digest = hash_token(request.token.get_secret_value())
    owner = await store.get_link_owner(work, digest, call.now)
    if owner is None or not await store.use_sign_in_link(work, digest, call.now):
        raise SIGN_IN_LINK_INVALID()
    call.set_signed_in(owner.client_id, owner.user_id, Account(owner.account))
    call.add_audit_subjects("user", owner.user_id)
    issued = await actions.issue_access_token(
        call.work, client_id=owner.client_id, user_id=owner.user_id, now=call.now, name=request.device
    )
    return LoginSession(
        access_token=issued.token,
        expires_at=issued.expires_at,
        user=SessionUser(id=owner.user_id, name=owner.name, email=owner.email, account=owner.account),
        client=SessionClient(code=owner.code, name=owner.client_name),
    )
