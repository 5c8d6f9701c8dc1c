"""Emails about disabled endpoints."""

from datetime import datetime

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.identity.public import get_mail_recipient, send_mail_to
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

NOTIFY_JOB = "webhooks.notify"


class NotifyEndpointDisabled(Struct, frozen=True, kw_only=True):
    """Job arguments: a disabled endpoint, the reason, and a user to notify."""

    user_id: int
    url: str
    why: str
    since: datetime


@job(NOTIFY_JOB, NotifyEndpointDisabled, max_attempts=4)
async def notify_endpoint_disabled(run: JobRun, args: NotifyEndpointDisabled) -> None:
    """Send an e-mail in its reader's language."""
    assert run.client_id is not None
    async with run.app.database.read(run.client_id) as work:
        to = await get_mail_recipient(work, run.client_id, args.user_id)
    if to:
        since = format_datetime(args.since, "medium", locale=to.language.replace("-", "_"))
        await send_mail_to(run.app, to, f"webhook_{args.why}", url=args.url, since=since)
