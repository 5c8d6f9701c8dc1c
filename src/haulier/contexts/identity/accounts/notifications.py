"""Emails and notices about accounts.

They have no link, so that a forged one cannot copy a link from them.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_datetime
from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.identity.accounts.queries import (
    find_active_users,
    find_member,
    find_user,
    get_user_language,
    require_client,
)
from haulier.contexts.identity.accounts.rules import has_email
from haulier.contexts.identity.ports import MailAttachment, MailBrands, Mailer, MailMessage
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.rendering.mail import MailBrand, render_mail

HAULIER = "Haulier"
"""Sender of emails that belong to no business."""
MAX_ADMIN_RECIPIENTS = 50
"""Maximum number of recipients of an email to admins."""


class MailRecipient(Struct, frozen=True, kw_only=True):
    """A recipient with a `language`."""

    name: str
    email: str
    client: str
    language: str
    client_id: int | None = None


async def load_admin_ids(work: UnitOfWork) -> list[int]:
    """Return the ids of the client's active admins."""
    admins = await find_active_users(work, Account.CLIENT_ADMIN, limit=MAX_ADMIN_RECIPIENTS)
    return [admin.id for admin in admins]


async def load_mail_recipient(work: UnitOfWork, client_id: int, user_id: int) -> MailRecipient | None:
    """Return a user as a recipient, or None if unknown, disabled or without email."""
    user, client = await find_user(work, user_id), await require_client(work, client_id)
    if user is None or not user.active or not has_email(user.email):
        return None
    language = await get_user_language(work, user.id, client)
    return MailRecipient(name=user.name, email=user.email, client=client.name, language=language, client_id=client_id)


def can_send_mail(app: Application) -> bool:
    """Return True if emails leave this server."""
    mailer: Mailer | None = app.adapters.get(Mailer)
    return mailer is not None and getattr(mailer, "sends", True)


async def send_mail(app: Application, mail: MailMessage) -> None:
    """Send an email in the brand of its business.

    For jobs. Raises `OSError` if the mail server does not accept it now.
    """
    brands: MailBrands | None = app.adapters.get(MailBrands)
    brand = await brands.find(app, mail.client_id) if brands and mail.client_id else MailBrand(name=HAULIER)
    html = render_mail(mail.subject, mail.text, brand, language=mail.language, action=mail.action, facts=mail.facts)
    await app.adapter(Mailer).send(replace(mail, html=html))


async def send_mail_to(app: Application, to: MailRecipient, message: str, **params: Any) -> None:
    """Send an email from the messages `<message>_subject` and `<message>_text`.

    They can use {name} and {client}. For jobs. Raises `OSError` if the mail server does not accept it now.
    """
    params = {"name": to.name, "client": to.client, **params}
    texts = {part: app.catalogues.translate(to.language, f"{message}_{part}", **params) for part in ("subject", "text")}
    await send_mail(
        app,
        MailMessage(
            to=to.email,
            subject=texts["subject"],
            text=texts["text"],
            client_id=to.client_id,
            language=to.language,
        ),
    )


async def send_mail_to_address(
    app: Application,
    client_id: int | None,
    *,
    to: str,
    subject: str,
    text: str,
    attachments: Sequence[MailAttachment] = (),
    **look: Any,
) -> None:
    """Send an email with files to an address, with or without an account.

    `look` can hold `language`, `action` and `facts`. For jobs. Raises `OSError` if the mail server does not accept it now.
    """
    mail = MailMessage(to=to, subject=subject, text=text, attachments=tuple(attachments), client_id=client_id, **look)
    await send_mail(app, mail)


NOTICE_JOB = "notice.mail"


class CredentialChange(StrEnum):
    """Kinds of credential changes; values are prefixes of the email's message ids."""

    PASSWORD = "password_was_changed"
    PASSWORD_BY_ADMIN = "password_was_set"
    EMAIL = "email_was_changed"
    IDENTITY = "identity_was_added"


class SendSecurityNotice(Struct, frozen=True, kw_only=True):
    """Job arguments: a change, and the address to notify.

    `detail` is a new address, or an identity provider.
    """

    client_id: int
    user_id: int
    to: str
    changed: CredentialChange
    at: datetime
    detail: str = ""


async def enqueue_security_notice(
    call: Call, changed: CredentialChange, *, client_id: int, user_id: int, to: str, detail: str = ""
) -> None:
    """Enqueue the email in the transaction of the change."""
    if not has_email(to):
        return
    notice = SendSecurityNotice(
        client_id=client_id, user_id=user_id, to=to, changed=changed, at=call.now, detail=detail
    )
    await call.enqueue(NOTICE_JOB, notice)


@job(NOTICE_JOB, SendSecurityNotice, max_attempts=4)
async def send_security_notice(run: JobRun, args: SendSecurityNotice) -> None:
    """Send the e-mail, in the language of its recipient."""
    async with run.app.database.read(args.client_id) as work:
        mail = await _compose_notice(run.app, work, args)
    if mail:
        await send_mail(run.app, mail)


async def _compose_notice(app: Application, work: UnitOfWork, args: SendSecurityNotice) -> MailMessage | None:
    user, client = await find_user(work, args.user_id), await require_client(work, args.client_id)
    if user is None:
        return None
    member = await find_member(work, user.id)
    language, translate = await get_user_language(work, user.id, client), app.catalogues.translate
    zone = ZoneInfo((member and member.time_zone) or client.time_zone)
    params = {
        "name": user.name,
        "client": client.name,
        "at": format_datetime(args.at, "long", tzinfo=zone, locale=language.replace("-", "_")),
        "detail": args.detail,
    }
    return MailMessage(
        to=args.to,
        subject=translate(language, f"{args.changed}_subject", **params),
        text=translate(language, f"{args.changed}_text", **params),
        client_id=args.client_id,
        language=language,
    )
