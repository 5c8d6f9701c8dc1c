"""Emails to customers about visits and waiting lists. None contains a price."""

from zoneinfo import ZoneInfo

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.booking.reservations.actions import (
    BOOKED,
    CLOSED,
    EMAIL_JOB,
    LAPSED,
    MISSED,
    OFFERED,
    ReservationEmail,
    status_of,
)
from haulier.contexts.booking.reservations.rules import ReservationStatus, WaitingStatus
from haulier.contexts.booking.reservations.store import (
    BookingWindowRow,
    BookingZoneRow,
    ReservationRow,
    WaitingEntryRow,
)
from haulier.contexts.identity.public import get_mail_recipient, require_client, send_mail_to_address
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

NEWS: dict[str, str] = {
    BOOKED: ReservationStatus.CONFIRMED,
    MISSED: ReservationStatus.NO_SHOW,
    OFFERED: WaitingStatus.OFFERED,
    LAPSED: WaitingStatus.LAPSED,
    CLOSED: WaitingStatus.CLOSED,
}
"""Status in which an email is still news. Outdated emails are not sent."""


class VisitEmail(Struct, frozen=True, kw_only=True):
    """Email that is ready to send."""

    to: str
    subject: str
    text: str


@job(EMAIL_JOB, ReservationEmail, max_attempts=6)
async def send_reservation_email(run: JobRun, args: ReservationEmail) -> None:
    """Send an email about a visit or a waiting list, if the customer has an address."""
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is not None:
        await send_mail_to_address(run.app, run.client_id, to=letter.to, subject=letter.subject, text=letter.text)


async def _write(call: Call, args: ReservationEmail) -> VisitEmail | None:
    about_visit = args.occasion in (BOOKED, MISSED)
    reservation = await ReservationRow.get(call.work, args.subject_id) if about_visit else None
    entry = None if about_visit else await WaitingEntryRow.get(call.work, args.subject_id)
    customer_id = reservation.customer_id if reservation else entry.customer_id if entry else None
    status = status_of(reservation, call.now) if reservation else entry.status if entry else None
    if customer_id is None or status != NEWS[args.occasion]:
        return None
    to = await get_mail_recipient(call.work, call.client_id, customer_id)
    window_id = reservation.window_id if reservation else entry.window_id if entry else 0
    window = await BookingWindowRow.get(call.work, window_id)
    zone = await BookingZoneRow.get(call.work, window.zone_id) if window else None
    if to is None or window is None or zone is None:
        return None
    client = await require_client(call.work, call.client_id)
    time_zone, locale = ZoneInfo(client.time_zone), to.language.replace("-", "_")
    until = entry.offered_until if entry else None
    said = {
        "name": to.name,
        "client": to.client,
        "place": zone.name,
        "address": zone.address or "",
        "starts": format_datetime(window.starts_at, "long", tzinfo=time_zone, locale=locale),
        "until": format_datetime(until, "long", tzinfo=time_zone, locale=locale) if until else "",
        "code": (reservation.code if reservation else None) or "",
    }
    translate = call.app.catalogues.translate
    return VisitEmail(
        to=to.email,
        subject=translate(to.language, f"reservation_letter_{args.occasion}_subject", **said),
        text=translate(to.language, f"reservation_letter_{args.occasion}_text", **said),
    )
