"""Creation of first invitations."""

from collections.abc import Collection

from haulier.contexts.identity.accounts.actions import create_user_within, set_member
from haulier.contexts.identity.invitations import store
from haulier.contexts.identity.invitations.contract import InviteUser
from haulier.contexts.identity.invitations.notifications import INVITATION_MAIL_JOB, SendInvitation
from haulier.contexts.identity.invitations.rules import ALREADY_INVITED, INVITATION_LIFETIME
from haulier.contexts.identity.invitations.store import InvitationRow
from haulier.kernel.call import Call


async def send_first_invitation(call: Call, request: InviteUser, granted: Collection[str] | None) -> InvitationRow:
    """Create a user with no more rights than the caller, and email an invitation.

    `granted` limits the rights of their account. Raises `ALREADY_INVITED`, `EMAIL_TAKEN` or `SCOPES_EXCEEDED`.
    """
    if waiting := await store.find_waiting_invitation(call.work, request.email):
        raise ALREADY_INVITED(email=request.email, id=waiting.id)
    user_id = await create_user_within(
        call, name=request.name, email=request.email, account=request.account, granted=granted
    )
    await set_member(call.work, user_id, **request.model_dump(include={"role", "language"}, exclude_none=True))
    until = call.now + INVITATION_LIFETIME
    invitation_id = await store.insert_invitation(
        call.work, user_id=user_id, invited_by=call.actor, invited_at=call.now, expires_at=until
    )
    await call.enqueue(INVITATION_MAIL_JOB, SendInvitation(invitation_id=invitation_id))
    call.add_audit_subjects("invitation", invitation_id)
    row = await store.get_invitation(call.work, invitation_id)
    assert row is not None  # it was just written
    return row
