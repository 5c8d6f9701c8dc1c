"""Operations on invitations."""

from datetime import datetime

from haulier.contexts.identity.accounts import actions
from haulier.contexts.identity.accounts.actions import set_user_active
from haulier.contexts.identity.accounts.queries import find_business_names, require_user, require_user_grantable
from haulier.contexts.identity.accounts.rules import EMAIL_TAKEN, require_strong_password
from haulier.contexts.identity.invitations import store
from haulier.contexts.identity.invitations.actions import send_first_invitation
from haulier.contexts.identity.invitations.contract import (
    AcceptInvitation,
    InvitationDetail,
    InvitationList,
    InvitationPreview,
    InvitationRecord,
    InvitationRef,
    InviteUser,
    ListInvitations,
    ReadInvitation,
)
from haulier.contexts.identity.invitations.notifications import INVITATION_MAIL_JOB, SendInvitation
from haulier.contexts.identity.invitations.rules import (
    ALREADY_INVITED,
    INVITATION_ACCEPTED,
    INVITATION_INVALID,
    INVITATION_LIFETIME,
    InvitationStatus,
    invitation_status,
    require_invitation_open,
)
from haulier.contexts.identity.invitations.store import InvitationLinkRow, InvitationRow
from haulier.contexts.identity.members.rules import ADMIN_UNLIMITED, chosen_scopes
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token

LINK_LIMITS = (RateLimit(30, 60, ("address",)),)


@reads(
    "read_invitation",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/invitations/read"), GraphQL("readInvitation")),
    limits=LINK_LIMITS,
    errors=(INVITATION_INVALID,),
)
async def read_invitation(call: Call, request: ReadInvitation) -> InvitationPreview:
    """Get an invitation by its link.

    Returns the invited user and the business, for the page that the link opens.
    """
    invitation = await _pending_invitation(call.app, call.work, request)
    return record(InvitationPreview, invitation)


async def check_invitation_and_hash_password(
    context: RequestContext, request: AcceptInvitation
) -> tuple[InvitationLinkRow, str]:
    """Return the invitation, and the hash of the chosen password.

    Raises `INVITATION_INVALID`, or `INVALID_REQUEST` if the password is weak.
    """
    async with context.app.database.read(None) as work:
        invitation = await _pending_invitation(context.app, work, request)
        business = await find_business_names(work, invitation.client_id)
    password, name = request.password.get_secret_value(), request.name or invitation.name
    require_strong_password(password, invitation.email, name, field="password", business=business)
    return invitation, await actions.hash_password(password)


@writes(
    "accept_invitation",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/invitations/accept"), GraphQL("acceptInvitation")),
    limits=LINK_LIMITS,
    errors=(INVITATION_INVALID,),
    prepare=check_invitation_and_hash_password,
)
async def accept_invitation(call: Call, request: AcceptInvitation) -> Done:
    """Accept an invitation by choosing a password.

    The link in the email works once. Sign in afterwards.
    """
    invitation, password_hash = call.prepared
    if not await store.set_invitation_accepted(call.work, _invitation_token_digest(request), call.now):
        raise INVITATION_INVALID()
    work = call.work.without_tenant_filter("the link says who is invited")
    await actions.set_password_hash(work, invitation.user_id, password_hash, name=request.name)
    chosen = request.model_dump(include={"language", "time_zone"}, exclude_none=True)
    await actions.set_member(work, invitation.user_id, client_id=invitation.client_id, **chosen)
    call.set_signed_in(invitation.client_id, invitation.user_id, Account(invitation.account))
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


@writes(
    "invite_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/invitations", status=201), GraphQL("inviteUser")),
    limits=(RateLimit(60, 3600, ("user",)),),
    errors=(EMAIL_TAKEN, ALREADY_INVITED, ADMIN_UNLIMITED, SCOPES_EXCEEDED),
)
async def invite_user(call: Call, request: InviteUser) -> InvitationDetail:
    """Invite a user by email.

    The user is created now, and can sign in after choosing a password. The link in the email works once, for seven
    days. Use `resend_invitation` for a user whose invitation is still open. The rights of the user must be within the
    scopes of the caller's token.
    """
    granted = chosen_scopes(request.account, request.role, frozenset()) if request.role else None
    invitation = await send_first_invitation(call, request, granted)
    return InvitationDetail(invitation=_invitation_record(invitation, call.now))


@reads(
    "list_invitations",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/invitations"), GraphQL("invitations")),
)
async def list_invitations(call: Call, request: ListInvitations) -> InvitationList:
    """List invitations, newest first."""
    rows, total = await store.list_invitation_rows(
        call.work, request.status, call.now, limit=request.per_page, offset=request.offset
    )
    records = [_invitation_record(row, call.now) for row in rows]
    return InvitationList(total=total, page=request.page, per_page=request.per_page, invitations=records)


@writes(
    "resend_invitation",
    available_when={"status": frozenset(InvitationStatus) - {InvitationStatus.ACCEPTED}},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", "/v1/invitations/{invitation_id}/resend"), GraphQL("resendInvitation")),
    limits=(RateLimit(60, 3600, ("user",)), RateLimit(5, 3600, ("user", "invitation_id"))),
    errors=(NOT_FOUND, INVITATION_ACCEPTED, SCOPES_EXCEEDED),
)
async def resend_invitation(call: Call, request: InvitationRef) -> InvitationDetail:
    """Send an invitation again.

    Also works for expired or withdrawn invitations. The earlier link ends. The rights of the user must be within the
    scopes of the caller's token.
    """
    invitation = await _lock_open_invitation(call, request.invitation_id)
    await require_user_grantable(call, await require_user(call.work, invitation.user_id))
    await store.reopen_invitation(call.work, invitation.id, call.now, call.now + INVITATION_LIFETIME)
    await set_user_active(call.work, invitation.user_id, active=True)
    await call.enqueue(INVITATION_MAIL_JOB, SendInvitation(invitation_id=invitation.id))
    call.add_audit_subjects("invitation", invitation.id)
    return await _invitation_detail(call, invitation.id)


@writes(
    "withdraw_invitation",
    available_when={"status": frozenset(InvitationStatus) - {InvitationStatus.ACCEPTED}},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("DELETE", "/v1/invitations/{invitation_id}"), GraphQL("withdrawInvitation")),
    errors=(NOT_FOUND, INVITATION_ACCEPTED),
)
async def withdraw_invitation(call: Call, request: InvitationRef) -> InvitationDetail:
    """Withdraw an invitation.

    Its link ends, and the user is disabled.
    """
    invitation = await _lock_open_invitation(call, request.invitation_id)
    await store.set_invitation_withdrawn(call.work, invitation.id, call.now)
    await set_user_active(call.work, invitation.user_id, active=False)
    call.add_audit_subjects("invitation", invitation.id)
    return await _invitation_detail(call, invitation.id)


async def _lock_open_invitation(call: Call, invitation_id: int) -> InvitationRow:
    invitation = await store.get_invitation(call.work, invitation_id, lock=True)
    if invitation is None:
        raise NOT_FOUND()
    require_invitation_open(invitation)
    return invitation


async def _invitation_detail(call: Call, invitation_id: int) -> InvitationDetail:
    row = await store.get_invitation(call.work, invitation_id)
    if row is None:
        raise NOT_FOUND()
    return InvitationDetail(invitation=_invitation_record(row, call.now))


def _invitation_record(row: InvitationRow, now: datetime) -> InvitationRecord:
    return record(InvitationRecord, row, status=invitation_status(row, now).value)
