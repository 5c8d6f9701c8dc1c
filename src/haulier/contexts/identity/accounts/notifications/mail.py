"""Letters that other contexts write to people of a client: they say what, here it is said to whom, and in which language."""

from typing import Any

from msgspec import Struct

from haulier.contexts.identity.accounts.queries.languages import get_user_language
from haulier.contexts.identity.accounts.store import clients as client_store
from haulier.contexts.identity.accounts.store import users as user_store
from haulier.contexts.identity.ports import Mailer, MailMessage
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account

MAX_ADMIN_RECIPIENTS = 50
"""So many admins are written to; nobody should have more."""


class MailRecipient(Struct, frozen=True, kw_only=True):
    """Somebody to write to. `language` is the one that they read."""

    name: str
    email: str
    client: str
    language: str


async def load_admin_ids(work: UnitOfWork) -> list[int]:
    """The active admins of the client of a unit of work."""
    rows, _ = await user_store.list_user_rows(
        work, account=Account.CLIENT_ADMIN.value, active=True, text=None, limit=MAX_ADMIN_RECIPIENTS, offset=0
    )
    return [row.id for row in rows]


async def load_mail_recipient(work: UnitOfWork, client_id: int, user_id: int) -> MailRecipient | None:
    """Somebody of a client as a reader, or None for one who has no account here any more."""
    user, client = await user_store.get_user_row(work, user_id), await client_store.get_client_row(work, client_id)
    if user is None or not user.active:
        return None
    language = await get_user_language(work, user.id, client)
    return MailRecipient(name=user.name, email=user.email, client=client.name, language=language)


async def send_mail_to(app: Application, to: MailRecipient, message: str, **params: Any) -> None:
    """Hand a letter to the post: the messages `<message>_subject` and `<message>_text`, which know {name} and {client}.

    For errands. Raises `OSError` when nobody takes it now.
    """
    params = {"name": to.name, "client": to.client, **params}
    texts = {part: app.catalogues.translate(to.language, f"{message}_{part}", **params) for part in ("subject", "text")}
    await app.adapter(Mailer).send(MailMessage(to=to.email, **texts))
