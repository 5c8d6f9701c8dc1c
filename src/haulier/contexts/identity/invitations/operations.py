"""Invite users, list invitations, send them again and withdraw them."""

from datetime import datetime

from haulier.contexts.identity.accounts.actions.users import set_user_active
from haulier.contexts.identity.accounts.queries.rights import require_user_grantable
from haulier.contexts.identity.accounts.queries.users import require_user
from haulier.contexts.identity.accounts.rules.users import EMAIL_TAKEN
from haulier.contexts.identity.invitations import store
from haulier.contexts.identity.invitations.actions import send_first_invitation
from haulier.contexts.identity.invitations.contract import (
    InvitationDetail,
    InvitationList,
    InvitationRecord,
    InvitationRef,
    InviteUser,
    ListInvitations,
)
from haulier.contexts.identity.invitations.notifications import INVITATION_MAIL_JOB, SendInvitation
from haulier.contexts.identity.invitations.rules import (
    ALREADY_INVITED,
    INVITATION_ACCEPTED,
    INVITATION_LIFETIME,
    InvitationStatus,
    invitation_status,
    require_invitation_open,
)
from haulier.contexts.identity.invitations.store import InvitationRow
from haulier.contexts.identity.members.rules import ADMIN_UNLIMITED, chosen_scopes
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED
from haulier.kernel.operations.records import record


@writes(
    "invite_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/invitations", status=201), GraphQL("inviteUser")),
    limits=(RateLimit(60, 3600, ("user",)),),
    errors=(EMAIL_TAKEN, ALREADY_INVITED, ADMIN_UNLIMITED, SCOPES_EXCEEDED),
)
async def invite_user(call: Call, request: InviteUser) -> InvitationDetail:
    """Invite a person by e-mail. The user is created now, and can sign in once they have chosen a password.

    The link in the e-mail works once, for seven days. For somebody who was invited before and has not accepted, there is
    `resend_invitation`. What the person will be able to do has to be within the scopes of the caller's token.
    """
    granted = chosen_scopes(request.account, request.role, frozenset()) if request.role else None
    invitation = await send_first_invitation(call, request, granted)
    return InvitationDetail(invitation=_invitation_record(invitation, call.now))


@reads(
    "list_invitations",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/invitations"), GraphQL("invitations")),
)
async def list_invitations(call: Call, request: ListInvitations) -> InvitationList:
    """The invitations of the business, newest first."""
    rows, total = await store.list_invitation_rows(
        call.work, request.status, call.now, limit=request.per_page, offset=request.offset
    )
    records = [_invitation_record(row, call.now) for row in rows]
    return InvitationList(total=total, page=request.page, per_page=request.per_page, invitations=records)


@writes(
    "resend_invitation",
    allowed_where={"status": frozenset(InvitationStatus) - {InvitationStatus.ACCEPTED}},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/invitations/{invitation_id}/resend"), GraphQL("resendInvitation")),
    limits=(RateLimit(60, 3600, ("user",)), RateLimit(5, 3600, ("user", "invitation_id"))),
    errors=(NOT_FOUND, INVITATION_ACCEPTED, SCOPES_EXCEEDED),
)
async def resend_invitation(call: Call, request: InvitationRef) -> InvitationDetail:
    """Send an invitation again, also one that expired or was withdrawn. The earlier link ends.

    What the invited person will be able to do has to be within the scopes of the caller's token.
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
    allowed_where={"status": frozenset(InvitationStatus) - {InvitationStatus.ACCEPTED}},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("DELETE", "/v1/invitations/{invitation_id}"), GraphQL("withdrawInvitation")),
    errors=(NOT_FOUND, INVITATION_ACCEPTED),
)
async def withdraw_invitation(call: Call, request: InvitationRef) -> InvitationDetail:
    """Withdraw an invitation: its link ends, and the user is disabled."""
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
