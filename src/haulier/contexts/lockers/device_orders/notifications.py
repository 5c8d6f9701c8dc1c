"""Emails to customers about shipped, unpaid and returned devices.

None contains a price.
"""

from msgspec import Struct

from haulier.contexts.identity.public import get_mail_recipient, send_mail_to_address
from haulier.contexts.lockers.device_orders import store
from haulier.contexts.lockers.device_orders.actions import DEVICE_LETTER_JOB, DeviceEmail
from haulier.contexts.lockers.device_orders.store import DeviceOrderRow
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun


class DeviceEmailContent(Struct, frozen=True, kw_only=True):
    """A rendered email."""

    to: str
    subject: str
    text: str


@job(DEVICE_LETTER_JOB, DeviceEmail, max_attempts=6)
async def send_device_email(run: JobRun, args: DeviceEmail) -> None:
    """Email a customer about their device order.

    Customers without an address get none.
    """
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is not None:
        await send_mail_to_address(run.app, run.client_id, to=letter.to, subject=letter.subject, text=letter.text)


async def _write(call: Call, args: DeviceEmail) -> DeviceEmailContent | None:
    row = await DeviceOrderRow.get(call.work, args.device_order_id)
    to = await get_mail_recipient(call.work, call.client_id, row.customer_id) if row else None
    if row is None or to is None:
        return None
    lines = await store.list_line_rows(call.work, row.id)
    said = {
        "name": to.name,
        "client": to.client,
        "order": row.order_ref or row.id,
        "carrier": row.carrier or to.client,
        "tracking_number": row.tracking_number or "",
        "devices": "\n".join(f"{line.quantity} × {line.name}" for line in lines),
        "return": args.device_return_id or "",
    }
    translate = call.app.catalogues.translate
    return DeviceEmailContent(
        to=to.email,
        subject=translate(to.language, f"device_letter_{args.occasion}_subject", **said),
        text=translate(to.language, f"device_letter_{args.occasion}_text", **said),
    )
