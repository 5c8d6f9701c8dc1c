"""Invite people, invite them again, withdraw it; look at an invitation and accept it."""

from datetime import datetime
from typing import Any

from haulier.contexts.access.accounts.contract.users import CreateUser
from haulier.contexts.access.accounts.operations.users import create_user
from haulier.contexts.access.accounts.rules.users import EMAIL_TAKEN
from haulier.contexts.access.accounts.store import members as member_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.invitations import store
from haulier.contexts.access.invitations.contract import (
    InvitationList,
    InvitationRecord,
    InviteUser,
    ListInvitations,
    OneInvitation,
    ThisInvitation,
)
from haulier.contexts.access.invitations.letter import LETTER, SendInvitation
from haulier.contexts.access.invitations.rules import INVITATION_ACCEPTED, LIFETIME, demand_open, status
from haulier.contexts.access.members.rules import ADMIN_UNLIMITED, chosen
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Limit, Rest, reads, writes


@writes(
    "invite_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/invitations", status=201), GraphQL("inviteUser")),
    limits=(Limit(60, 3600, ("user",)),),
    errors=(EMAIL_TAKEN, ADMIN_UNLIMITED),
)
async def invite_user(call: Call, request: InviteUser) -> OneInvitation:
    """Invite somebody by e-mail. The user exists from now on; they can sign in once they chose a password.

    The link in the letter works once, for seven days.
    """
    created = await create_user(call, CreateUser(name=request.name, email=request.email, account=request.account))
    chose: dict[str, Any] = {"language": request.language} if request.language else {}
    if request.role:
        scopes = chosen(request.account, request.role, frozenset())
        chose |= {"role": request.role, "scopes": sorted(scopes or ())}
    await member_store.put(call.work, created.user.id, **chose)
    until = call.now + LIFETIME
    id = await store.add(
        call.work, user_id=created.user.id, invited_by=call.actor, invited_at=call.now, expires_at=until
    )
    await call.post(LETTER, SendInvitation(invitation_id=id))
    call.concerns("invitation", id)
    return await _answer(call, id)


@reads(
    "list_invitations",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/invitations"), GraphQL("invitations")),
)
async def list_invitations(call: Call, request: ListInvitations) -> InvitationList:
    """The invitations of the business, newest first."""
    rows, total = await store.page(call.work, request.status, call.now, limit=request.per_page, offset=request.offset)
    records = [_record(row, call.now) for row in rows]
    return InvitationList(total=total, page=request.page, per_page=request.per_page, invitations=records)


@writes(
    "resend_invitation",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/invitations/{invitation_id}/resend"), GraphQL("resendInvitation")),
    limits=(Limit(60, 3600, ("user",)), Limit(5, 3600, ("user", "invitation_id"))),
    errors=(NOT_FOUND, INVITATION_ACCEPTED),
)
async def resend_invitation(call: Call, request: ThisInvitation) -> OneInvitation:
    """Send an invitation once more, also one that expired or was withdrawn. The link sent before ends."""
    invitation = await _open(call, request.invitation_id)
    await store.renew(call.work, invitation.id, call.now, call.now + LIFETIME)
    await user_store.change(call.work, invitation.user_id, active=True)
    await call.post(LETTER, SendInvitation(invitation_id=invitation.id))
    call.concerns("invitation", invitation.id)
    return await _answer(call, invitation.id)


@writes(
    "withdraw_invitation",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("DELETE", "/v1/invitations/{invitation_id}"), GraphQL("withdrawInvitation")),
    errors=(NOT_FOUND, INVITATION_ACCEPTED),
)
async def withdraw_invitation(call: Call, request: ThisInvitation) -> OneInvitation:
    """Withdraw an invitation: its link ends, and the user is disabled."""
    invitation = await _open(call, request.invitation_id)
    await store.withdraw(call.work, invitation.id, call.now)
    await user_store.change(call.work, invitation.user_id, active=False)
    call.concerns("invitation", invitation.id)
    return await _answer(call, invitation.id)


async def _open(call: Call, id: int) -> Any:
    invitation = await store.one(call.work, id, lock=True)
    if invitation is None:
        raise NOT_FOUND()
    demand_open(invitation)
    return invitation


async def _answer(call: Call, id: int) -> OneInvitation:
    return OneInvitation(invitation=_record(await store.one(call.work, id), call.now))


def _record(row: Any, now: datetime) -> InvitationRecord:
    return InvitationRecord(
        id=row.id,
        user_id=row.user_id,
        name=row.name,
        email=row.email,
        account=row.account,
        status=status(row, now).value,
        invited_by=row.invited_by,
        invited_at=row.invited_at,
        expires_at=row.expires_at,
        sent_at=row.sent_at,
        accepted_at=row.accepted_at,
    )
