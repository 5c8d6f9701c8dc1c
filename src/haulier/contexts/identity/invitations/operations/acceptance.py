"""Look at an invitation by its link, and accept it."""

from haulier.contexts.identity.accounts.actions import passwords, users
from haulier.contexts.identity.accounts.queries.clients import find_business_names
from haulier.contexts.identity.accounts.rules.passwords import require_strong_password
from haulier.contexts.identity.invitations import store
from haulier.contexts.identity.invitations.contract import AcceptInvitation, InvitationPreview, ReadInvitation
from haulier.contexts.identity.invitations.rules import INVITATION_INVALID, InvitationStatus, invitation_status
from haulier.contexts.identity.invitations.store import InvitationLinkRow
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token

LINK_LIMITS = (RateLimit(30, 60, ("address",)),)


@reads(
    "read_invitation",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/invitations/read"), GraphQL("readInvitation")),
    limits=LINK_LIMITS,
    errors=(INVITATION_INVALID,),
)
async def read_invitation(call: Call, request: ReadInvitation) -> InvitationPreview:
    """Who is invited, and by which business: for the page that the link in the e-mail opens."""
    invitation = await _pending_invitation(call.app, call.work, request)
    return record(InvitationPreview, invitation)


async def check_invitation_and_hash_password(
    context: RequestContext, request: AcceptInvitation
) -> tuple[InvitationLinkRow, str]:
    """The invitation, and the hash of the chosen password. Raises `INVITATION_INVALID`, or `INVALID_REQUEST` if weak."""
    async with context.app.database.read(None) as work:
        invitation = await _pending_invitation(context.app, work, request)
        business = await find_business_names(work, invitation.client_id)
    password, name = request.password.get_secret_value(), request.name or invitation.name
    require_strong_password(password, invitation.email, name, field="password", business=business)
    return invitation, await passwords.hash_password(password)


@writes(
    "accept_invitation",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/invitations/accept"), GraphQL("acceptInvitation")),
    limits=LINK_LIMITS,
    errors=(INVITATION_INVALID,),
    prepare=check_invitation_and_hash_password,
)
async def accept_invitation(call: Call, request: AcceptInvitation) -> Done:
    """Accept an invitation by choosing a password. The link in the e-mail works once; sign in afterwards."""
    invitation, password_hash = call.prepared
    if not await store.set_invitation_accepted(call.work, _invitation_token_digest(request), call.now):
        raise INVITATION_INVALID()
    work = call.work.without_tenant_filter("the link says who is invited")
    await users.set_password_hash(work, invitation.user_id, password_hash, name=request.name)
    chosen = request.model_dump(include={"language", "time_zone"}, exclude_none=True)
    await users.set_member(work, invitation.user_id, client_id=invitation.client_id, **chosen)
    call.signed_in(invitation.client_id, invitation.user_id, Account(invitation.account))
    call.add_audit_subjects("user", invitation.user_id)
    return Done(message=call.translate("invitation_accepted_by_you"))


def _invitation_token_digest(request: ReadInvitation) -> bytes:
    return hash_token(request.token.get_secret_value())


async def _pending_invitation(app: Application, work: UnitOfWork, request: ReadInvitation) -> InvitationLinkRow:
    invitation = await store.get_invitation_by_token(work, _invitation_token_digest(request))
    if (
        invitation is None
        or not invitation.active
        or invitation_status(invitation, app.clock()) is not InvitationStatus.PENDING
    ):
        raise INVITATION_INVALID()
    return invitation
