"""Emails to recipients about a started return, with the code shown on the page."""

from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from babel.dates import format_datetime

from haulier.contexts.identity.public import get_client_language, require_client
from haulier.contexts.lockers.drop_offs.actions import find_drop_off
from haulier.contexts.lockers.parcels.actions.codes import EmailContent, compose_email, enqueue_email
from haulier.contexts.lockers.parcels.actions.steps import find_code
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.contexts.lockers.recipient_returns.actions import EMAIL_JOB, ReturnEmail
from haulier.contexts.lockers.recipient_returns.rules import ReturnWay
from haulier.contexts.lockers.recipient_returns.store import RecipientReturnRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.messaging.public import can_send_sms
from haulier.contexts.orders.public import RecipientFacts, get_recipient_facts
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

PICKUP, LOCKER, LOCKER_WITHOUT_CODE = "return_pickup", "return_locker", "return_locker_no_code"
"""Names of the email templates."""


@job(EMAIL_JOB, ReturnEmail, max_attempts=6)
async def send_return_email(run: JobRun, args: ReturnEmail) -> None:
    """Email a recipient the instructions for a return that awaits its drop-off."""
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is not None:
        await enqueue_email(run, letter)


async def _write(call: Call, args: ReturnEmail) -> EmailContent | None:
    row = await RecipientReturnRow.find_by(call.work, return_order_id=args.return_order_id)
    if row is None or row.outcome is not None or row.handed_in_at is not None:
        return None
    orders = await get_recipient_facts(call, [row.order_id, row.return_order_id])
    delivered, back = orders.get(row.order_id), orders.get(row.return_order_id)
    if delivered is None or back is None:
        return None
    to = delivered.consignee or {}
    phone = to.get("phone") if await can_send_sms(call.app, call.work) else None
    if not to.get("email") and not phone:
        return None
    said, code = await _words(call, row)
    return await _compose(call, delivered, back, phone, said, code)


async def _words(call: Call, row: RecipientReturnRow) -> tuple[dict[str, Any], str]:
    """Return the words about the compartment of a return, and its code if still valid."""
    parcel = await find_drop_off(call, row.return_order_id) if row.way == ReturnWay.LOCKER else None
    if parcel is None:
        return {}, ""
    site = await get_site(call, parcel.site_id)
    code = await find_code(call, parcel) if parcel.status == LockerStatus.RESERVED else None
    return {"site": site.name, "address": site.address, "until": parcel.until}, code or ""


async def _compose(
    call: Call, delivered: RecipientFacts, back: RecipientFacts, phone: str | None, box: dict[str, Any], code: str
) -> EmailContent:
    client = await require_client(call.work, call.client_id)
    language = delivered.language or get_client_language(client)
    if box:
        zone, locale = ZoneInfo(client.time_zone), language.replace("-", "_")
        box["until"] = format_datetime(box["until"], "long", tzinfo=zone, locale=locale)
    said = {
        "client": client.name,
        "number": back.tracking_number,
        "code": code,
        "link": f"{call.app.base_url}/track/{quote(delivered.tracking_number, safe='')}",
        **box,
    }
    words = PICKUP if not box else LOCKER if code else LOCKER_WITHOUT_CODE
    messages = f"{LOCKER if box else PICKUP}_subject", f"{words}_text"
    email = (delivered.consignee or {}).get("email")
    return compose_email(call, language, messages, said, email=email, phone=phone)
