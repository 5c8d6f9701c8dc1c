"""Emails and SMS to travellers, with the codes and PINs that every page shows."""

from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.identity.public import get_client_language, require_client, send_mail_to_address
from haulier.contexts.lockers.luggage.actions.bookings import (
    CLAIM,
    DROP,
    EMAIL_JOB,
    BoxCode,
    LuggageEmail,
    list_codes,
)
from haulier.contexts.lockers.luggage.actions.custody import find_or_issue_pin
from haulier.contexts.lockers.luggage.queries import get_claim, lock_luggage
from haulier.contexts.lockers.luggage.rules import BookingStatus
from haulier.contexts.lockers.luggage.store import LuggageRow
from haulier.contexts.messaging.public import SmsRefused, can_send_sms, send_sms
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

EXPECTED_STATUS = {
    "drop": frozenset({BookingStatus.BOOKED, BookingStatus.RECEIVED}),
    "arrived": frozenset({BookingStatus.AT_DESTINATION}),
    "overdue": frozenset({BookingStatus.OVERDUE}),
    "cancelled": frozenset({BookingStatus.CANCELLED}),
    "claim": frozenset(BookingStatus),
}
"""Statuses in which an email is still relevant."""


class TravellerEmail(Struct, frozen=True, kw_only=True):
    """A rendered message by email, SMS or both, depending on the known addresses."""

    email: str | None
    phone: str | None
    subject: str
    text: str


@job(EMAIL_JOB, LuggageEmail, max_attempts=6)
async def send_luggage_email(run: JobRun, args: LuggageEmail) -> None:
    """Notify a traveller about drop-off, arrival or outcome.

    Repeats send the same codes.
    """
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is None:
        return
    if letter.email:
        await send_mail_to_address(run.app, run.client_id, to=letter.email, subject=letter.subject, text=letter.text)
    if letter.phone:
        try:
            await send_sms(run.app, run.client_id or 0, letter.phone, letter.text)
        except SmsRefused:
            return


async def _write(call: Call, args: LuggageEmail) -> TravellerEmail | None:
    row, bags = await lock_luggage(call, args.booking_id)
    phone = row.traveller_phone if await can_send_sms(call.app, call.work) else None
    if BookingStatus(row.status) not in EXPECTED_STATUS[args.occasion] or not (row.traveller_email or phone):
        return None
    more: dict[str, Any] = {}
    occasion = args.occasion
    if occasion == DROP and row.from_site_id is not None:
        more["codes"] = "\n".join(map(_code_line, await list_codes(call, bags)))
    elif occasion in (DROP, "arrived"):
        occasion, more["pin"] = f"{occasion}_pin", await find_or_issue_pin(call, row)
    elif occasion == CLAIM:
        claim = await get_claim(call, args.claim_id or 0)
        more |= {"claim": claim.id, "reason": claim.reason or ""}
        occasion = f"claim_{claim.status}"
    return await _compose(call, row, occasion, phone, more)


def _code_line(code: BoxCode) -> str:
    return f"{code.tag}: {code.cabinet}-{code.box}, {code.code}"


async def _compose(
    call: Call, row: LuggageRow, occasion: str, phone: str | None, more: dict[str, Any]
) -> TravellerEmail:
    client = await require_client(call.work, call.client_id)
    language = row.language or get_client_language(client)
    zone, locale = ZoneInfo(client.time_zone), language.replace("-", "_")
    moments = {"drop_until": row.drop_until, "pick_until": row.pick_until or row.pick_from}
    said = {
        **{name: format_datetime(at, "long", tzinfo=zone, locale=locale) for name, at in moments.items()},
        "name": row.traveller_name,
        "client": client.name,
        "number": row.tracking_number,
        "bags": row.bag_count,
        "origin": _name_of(row.origin),
        "destination": _name_of(row.destination),
        **more,
    }
    translate = call.app.catalogues.translate
    return TravellerEmail(
        email=row.traveller_email,
        phone=phone,
        subject=translate(language, f"luggage_{occasion}_subject", **said),
        text=translate(language, f"luggage_{occasion}_text", **said),
    )


def _name_of(place: dict[str, Any]) -> str:
    return ", ".join(place[name] for name in ("name", "address", "city") if place.get(name))
