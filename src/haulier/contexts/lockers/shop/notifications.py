"""Emails to buyers: the code that every page shows, and refunds."""

from zoneinfo import ZoneInfo

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.identity.public import (
    MailAttachment,
    get_client_language,
    get_user_of_account,
    require_client,
    send_mail_to_address,
)
from haulier.contexts.lockers.parcels.actions.codes import code_picture
from haulier.contexts.lockers.parcels.actions.steps import find_or_issue_code
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.shop.actions import CUSTOMER, EMAIL_JOB, READY, ShopEmail
from haulier.contexts.lockers.shop.queries import get_purchase
from haulier.contexts.lockers.shop.rules import ShopStatus
from haulier.contexts.lockers.shop.store import ShopPurchaseRow
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.values.money import Money


class BuyerEmail(Struct, frozen=True, kw_only=True):
    """A rendered email."""

    email: str
    subject: str
    text: str
    attachments: tuple[MailAttachment, ...]


@job(EMAIL_JOB, ShopEmail, max_attempts=6)
async def send_shop_email(run: JobRun, args: ShopEmail) -> None:
    """Email a buyer a code or a refund notice. Repeats send the same code."""
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is not None:
        await send_mail_to_address(
            run.app,
            run.client_id,
            to=letter.email,
            subject=letter.subject,
            text=letter.text,
            attachments=letter.attachments,
        )


async def _write(call: Call, args: ShopEmail) -> BuyerEmail | None:
    row = await get_purchase(call, args.purchase_id, lock=True)
    if row.status != (ShopStatus.READY if args.occasion == READY else ShopStatus.REFUNDED):
        return None
    email = await _email_of(call, row)
    if email is None:
        return None
    code = ""
    if args.occasion == READY:
        code = await find_or_issue_code(call, await get_parcel(call, row.parcel_id))
    return await _compose(call, row, email, args.occasion, code)


async def _email_of(call: Call, row: ShopPurchaseRow) -> str | None:
    if row.channel != CUSTOMER:
        return row.buyer_email
    user = await get_user_of_account(call, row.customer_id, Account.CUSTOMER)
    return user.email if user else None


async def _compose(call: Call, row: ShopPurchaseRow, email: str, occasion: str, code: str) -> BuyerEmail:
    client = await require_client(call.work, call.client_id)
    language = row.language or get_client_language(client)
    zone, locale = ZoneInfo(client.time_zone), language.replace("-", "_")
    said = {
        "client": client.name,
        "product": row.product_name,
        "price": str(Money(row.shelf_price_minor, row.shelf_currency)),
        "site": row.site_name,
        "address": row.site_address,
        "cabinet": row.cabinet or "",
        "box": row.box or "",
        "code": code,
        "until": format_datetime(row.pickup_until, "long", tzinfo=zone, locale=locale) if row.pickup_until else "",
    }
    translate = call.app.catalogues.translate
    note, attachments = code_picture(call, language, code)
    return BuyerEmail(
        email=email,
        subject=translate(language, f"shop_{occasion}_subject", **said),
        text=translate(language, f"shop_{occasion}_text", **said) + note,
        attachments=attachments,
    )
