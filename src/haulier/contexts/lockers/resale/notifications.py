"""Emails to customers about their rentals. None contains a price."""

from zoneinfo import ZoneInfo

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.identity.public import get_mail_recipient, require_client, send_mail_to_address
from haulier.contexts.lockers.resale.actions import ENDING, LEASE_LETTER_JOB, LeaseEmail
from haulier.contexts.lockers.resale.rules import WARNED_BEFORE, LeaseStatus
from haulier.contexts.lockers.resale.store import leases as leases_store
from haulier.contexts.lockers.resale.store.tables import LockerLeaseRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun


class LeaseEmailContent(Struct, frozen=True, kw_only=True):
    """A rendered email."""

    to: str
    subject: str
    text: str


@job(LEASE_LETTER_JOB, LeaseEmail, max_attempts=6)
async def send_lease_email(run: JobRun, args: LeaseEmail) -> None:
    """Email a customer about a rental. Customers without an address get none."""
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is not None:
        await send_mail_to_address(run.app, run.client_id, to=letter.to, subject=letter.subject, text=letter.text)


def _is_news(call: Call, row: LockerLeaseRow, occasion: str) -> bool:
    """Return True if the email is still relevant: an extended term does not end soon."""
    if occasion != ENDING:
        return True
    running = row.status in (LeaseStatus.ACTIVE, LeaseStatus.SUSPENDED)
    return running and row.ends_at is not None and row.ends_at - WARNED_BEFORE <= call.now


async def _write(call: Call, args: LeaseEmail) -> LeaseEmailContent | None:
    row = await leases_store.get_lease_row(call.work, args.lease_id)
    to = await get_mail_recipient(call.work, call.client_id, row.customer_id) if row else None
    if row is None or to is None or not _is_news(call, row, args.occasion):
        return None
    client, site = await require_client(call.work, call.client_id), await get_site(call, row.site_id)
    locale = to.language.replace("-", "_")
    ends = row.ends_at and format_datetime(row.ends_at, "long", tzinfo=ZoneInfo(client.time_zone), locale=locale)
    said = {
        "name": to.name,
        "client": to.client,
        "lease": row.lease_ref or row.id,
        "boxes": row.boxes,
        "site": site.name,
        "ends": ends or "",
        "reason": row.reason or "",
    }
    translate = call.app.catalogues.translate
    return LeaseEmailContent(
        to=to.email,
        subject=translate(to.language, f"lease_letter_{args.occasion}_subject", **said),
        text=translate(to.language, f"lease_letter_{args.occasion}_text", **said),
    )
