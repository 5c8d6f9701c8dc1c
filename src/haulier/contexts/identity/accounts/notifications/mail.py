"""E-mails that other contexts send to the users of a client, in the language of each user."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.identity.accounts.queries.clients import require_client
from haulier.contexts.identity.accounts.queries.languages import get_user_language
from haulier.contexts.identity.accounts.queries.users import find_active_users, find_user
from haulier.contexts.identity.ports import MailAttachment, Mailer, MailMessage
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account

MAX_ADMIN_RECIPIENTS = 50
"""An e-mail to the admins of a client goes to no more than this many."""


class MailRecipient(Struct, frozen=True, kw_only=True):
    """A user to write to, in their `language`."""

    name: str
    email: str
    client: str
    language: str


async def load_admin_ids(work: UnitOfWork) -> list[int]:
    """The active admins of the client of a unit of work."""
    admins = await find_active_users(work, Account.CLIENT_ADMIN, limit=MAX_ADMIN_RECIPIENTS)
    return [admin.id for admin in admins]


async def load_mail_recipient(work: UnitOfWork, client_id: int, user_id: int) -> MailRecipient | None:
    """A user of a client as a recipient, or None when there is no such user or they are disabled."""
    user, client = await find_user(work, user_id), await require_client(work, client_id)
    if user is None or not user.active:
        return None
    language = await get_user_language(work, user.id, client)
    return MailRecipient(name=user.name, email=user.email, client=client.name, language=language)


async def send_mail_to(app: Application, to: MailRecipient, message: str, **params: Any) -> None:
    """Send an e-mail made of the messages `<message>_subject` and `<message>_text`, which know {name} and {client}.

    For jobs. Raises `OSError` when the mail server does not take it now.
    """
    params = {"name": to.name, "client": to.client, **params}
    texts = {part: app.catalogues.translate(to.language, f"{message}_{part}", **params) for part in ("subject", "text")}
    await app.adapter(Mailer).send(MailMessage(to=to.email, subject=texts["subject"], text=texts["text"]))


async def send_mail_to_address(
    app: Application, *, to: str, subject: str, text: str, attachments: Sequence[MailAttachment] = ()
) -> None:
    """Send an e-mail to somebody who may have no account, with files.

    For jobs. Raises `OSError` when the mail server does not take it now.
    """
    await app.adapter(Mailer).send(MailMessage(to=to, subject=subject, text=text, attachments=tuple(attachments)))
