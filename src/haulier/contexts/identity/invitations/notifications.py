"""Invitation emails. The link is created on sending, so no table or outbox has it."""

from msgspec import Struct

from haulier.contexts.identity.accounts.notifications import send_mail
from haulier.contexts.identity.accounts.queries import get_user_language, require_client
from haulier.contexts.identity.invitations import store
from haulier.contexts.identity.invitations.rules import INVITATION_LIFETIME, InvitationStatus, invitation_status
from haulier.contexts.identity.ports import MailMessage
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.ids import hash_token, make_opaque_token

INVITATION_MAIL_JOB = "invitation.mail"


class SendInvitation(Struct, frozen=True, kw_only=True):
    """Job arguments: an invitation to send."""

    invitation_id: int


@job(INVITATION_MAIL_JOB, SendInvitation)
async def send_invitation(run: JobRun, args: SendInvitation) -> None:
    """Send a pending invitation.

    Each attempt creates a new link; only the newest works.
    """
    async with run.call() as call:
        mail = await _compose_invitation(call, args.invitation_id)
    if mail:
        await send_mail(run.app, mail)


async def _compose_invitation(call: Call, invitation_id: int) -> MailMessage | None:
    invitation = await store.get_invitation(call.work, invitation_id, lock=True)
    if invitation is None or invitation_status(invitation, call.now) is not InvitationStatus.PENDING:
        return None
    token = make_opaque_token("hlinvitation")
    await store.set_invitation_token(call.work, invitation.id, hash_token(token), invitation.email, call.now)
    client = await require_client(call.work, call.client_id)
    language = await get_user_language(call.work, invitation.user_id, client)
    translate = call.app.catalogues.translate
    params = {
        "name": invitation.name,
        "client": client.name,
        "link": f"{call.app.base_url}/invitation#{token}",
        "days": INVITATION_LIFETIME.days,
    }
    return MailMessage(
        to=invitation.email,
        subject=translate(language, "invitation_subject", **params),
        text=translate(language, "invitation_text", **params),
        client_id=call.client_id,
        language=language,
        action=translate(language, "invitation_action"),
    )
