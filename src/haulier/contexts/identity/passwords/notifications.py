"""Password reset emails.

Only this job checks if an address exists, so that neither the response nor its time reveals it.
"""

from msgspec import Struct

from haulier.contexts.identity.accounts.notifications import send_mail
from haulier.contexts.identity.accounts.queries import find_user_by_email, get_user_language, require_client
from haulier.contexts.identity.passwords import store
from haulier.contexts.identity.passwords.rules import EXPIRED_RESET_LINKS_KEPT, RESET_LINK_LIFETIME
from haulier.contexts.identity.ports import MailMessage
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.values.ids import hash_token, make_opaque_token

RESET_MAIL_JOB = "password.reset_mail"


class SendResetLink(Struct, frozen=True, kw_only=True):
    """Job arguments: the entered address, which may be unknown."""

    email: str


@job(RESET_MAIL_JOB, SendResetLink, max_attempts=4)
async def send_reset_link(run: JobRun, args: SendResetLink) -> None:
    """Send a reset link to the active user with an address, if there is one."""
    async with run.app.database.write(None) as work:
        mail = await _compose_reset_mail(
            run.app, work.without_tenant_filter("a lost password is reported by e-mail alone"), args.email
        )
    if mail:
        await send_mail(run.app, mail)


async def _compose_reset_mail(app: Application, work: UnitOfWork, email: str) -> MailMessage | None:
    user, now = await find_user_by_email(work, email), app.clock()
    if user is None or not user.active or user.account == Account.PROVIDER:
        return None
    token = make_opaque_token("hlreset")
    await store.delete_expired_password_resets(work, user.id, now - EXPIRED_RESET_LINKS_KEPT)
    await store.insert_password_reset(
        work,
        client_id=user.client_id,
        user_id=user.id,
        sent_to=user.email,
        token_sha256=hash_token(token),
        created_at=now,
        expires_at=now + RESET_LINK_LIFETIME,
    )
    client = await require_client(work, user.client_id)
    language, translate = await get_user_language(work, user.id, client), app.catalogues.translate
    params = {
        "name": user.name,
        "client": client.name,
        "link": f"{app.base_url}/reset-password#{token}",
        "minutes": int(RESET_LINK_LIFETIME.total_seconds() // 60),
    }
    return MailMessage(
        to=user.email,
        subject=translate(language, "reset_subject", **params),
        text=translate(language, "reset_text", **params),
        client_id=user.client_id,
        language=language,
        action=translate(language, "reset_action"),
    )
