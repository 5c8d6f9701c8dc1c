"""Emails about attacks on the sign-in of a business."""

from msgspec import Struct

from haulier.contexts.identity.accounts.notifications import load_mail_recipient, send_mail_to
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

SPRAY_JOB = "sign_in_spray.mail"


class SendSprayNotice(Struct, frozen=True, kw_only=True):
    """Job arguments: an admin to notify of failed sign-ins for many users."""

    user_id: int
    users: int


@job(SPRAY_JOB, SendSprayNotice, max_attempts=4)
async def send_spray_notice(run: JobRun, args: SendSprayNotice) -> None:
    """Send the email, in the language of its recipient."""
    assert run.client_id is not None
    async with run.app.database.read(run.client_id) as work:
        to = await load_mail_recipient(work, run.client_id, args.user_id)
    if to:
        await send_mail_to(run.app, to, "sign_in_spray", users=args.users)
