"""The letter with the link. Whether anyone has the address is found out here, out of the asker's sight and time."""

from msgspec import Struct

from haulier.contexts.access.accounts.addressing import language_of
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.passwords import store
from haulier.contexts.access.passwords.rules import EXPIRED_KEPT, LIFETIME
from haulier.contexts.access.ports import Mail, Post
from haulier.kernel.data.work import Work
from haulier.kernel.declarations import Account
from haulier.kernel.errands import errand
from haulier.kernel.house import House
from haulier.kernel.ids import opaque_token, token_digest
from haulier.kernel.run import Run

LETTER = "password.reset_letter"


class SendResetLink(Struct, frozen=True, kw_only=True):
    """The address that was typed in; perhaps nobody's."""

    email: str


@errand(LETTER, SendResetLink, max_attempts=4)
async def send_reset_link(run: Run, args: SendResetLink) -> None:
    """Send a link to the user with an address, when there is one who may come in."""
    async with run.house.database.write(None) as work:
        mail = await _written(run.house, work.unwalled("a lost password is reported by e-mail alone"), args.email)
    if mail:
        await run.house.adapter(Post).send(mail)


async def _written(house: House, work: Work, email: str) -> Mail | None:
    user, now = await user_store.by_email(work, email), house.clock()
    if user is None or not user.active or user.account == Account.PROVIDER:
        return None
    token = opaque_token("hlreset")
    await store.forget(work, user.id, now - EXPIRED_KEPT)
    await store.add(
        work,
        client_id=user.client_id,
        user_id=user.id,
        sent_to=user.email,
        token_sha256=token_digest(token),
        created_at=now,
        expires_at=now + LIFETIME,
    )
    client = await client_store.one(work, user.client_id)
    language, say = await language_of(work, user.id, client), house.catalogues.say
    words = {
        "name": user.name,
        "client": client.name,
        "link": f"{house.base_url}/reset-password#{token}",
        "minutes": int(LIFETIME.total_seconds() // 60),
    }
    return Mail(
        to=user.email,
        subject=say(language, "reset_subject", **words),
        text=say(language, "reset_text", **words),
    )
