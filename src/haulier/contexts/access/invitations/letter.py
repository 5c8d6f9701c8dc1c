"""The letter that invites somebody. Its link is made when it is sent, so that no table and no outbox ever holds it."""

from msgspec import Struct

from haulier.contexts.access.accounts.addressing import language_of
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.invitations import store
from haulier.contexts.access.invitations.rules import LIFETIME, Status, status
from haulier.contexts.access.ports import Mail, Post
from haulier.kernel.call import Call
from haulier.kernel.errands import errand
from haulier.kernel.ids import opaque_token, token_digest
from haulier.kernel.run import Run

LETTER = "invitation.letter"


class SendInvitation(Struct, frozen=True, kw_only=True):
    """Which invitation to send."""

    invitation_id: int


@errand(LETTER, SendInvitation)
async def send_invitation(run: Run, args: SendInvitation) -> None:
    """Send an invitation that is still open. Each attempt makes a new link; the newest works."""
    async with run.call() as call:
        mail = await _written(call, args.invitation_id)
    if mail:
        await run.house.adapter(Post).send(mail)


async def _written(call: Call, invitation_id: int) -> Mail | None:
    invitation = await store.one(call.work, invitation_id, lock=True)
    if invitation is None or status(invitation, call.now) is not Status.PENDING:
        return None
    token = opaque_token("hlinvitation")
    await store.seal(call.work, invitation.id, token_digest(token), invitation.email, call.now)
    client = await client_store.one(call.work, call.client_id)
    language = await language_of(call.work, invitation.user_id, client)
    say = call.house.catalogues.say
    words = {
        "name": invitation.name,
        "client": client.name,
        "link": f"{call.house.base_url}/invitation#{token}",
        "days": LIFETIME.days,
    }
    return Mail(
        to=invitation.email,
        subject=say(language, "invitation_subject", **words),
        text=say(language, "invitation_text", **words),
    )
