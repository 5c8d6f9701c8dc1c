"""Letters that other contexts write to people of a client: they say what, here it is said to whom, and in which language."""

from typing import Any

from msgspec import Struct

from haulier.contexts.access.accounts.addressing import language_of
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.ports import Mail, Post
from haulier.kernel.data.work import Work
from haulier.kernel.declarations import Account
from haulier.kernel.house import House

ADMINS_MOST = 50
"""So many admins are written to; nobody should have more."""


class Reader(Struct, frozen=True, kw_only=True):
    """Somebody to write to. `language` is the one that they read."""

    name: str
    email: str
    client: str
    language: str


async def admins(work: Work) -> list[int]:
    """The active admins of the client of a unit of work."""
    rows, _ = await user_store.page(
        work, account=Account.CLIENT_ADMIN.value, active=True, text=None, limit=ADMINS_MOST, offset=0
    )
    return [row.id for row in rows]


async def reader(work: Work, client_id: int, user_id: int) -> Reader | None:
    """Somebody of a client as a reader, or None for one who has no account here any more."""
    user, client = await user_store.one(work, user_id), await client_store.one(work, client_id)
    if user is None or not user.active:
        return None
    language = await language_of(work, user.id, client)
    return Reader(name=user.name, email=user.email, client=client.name, language=language)


async def write_to(house: House, to: Reader, message: str, **words: Any) -> None:
    """Hand a letter to the post: the messages `<message>_subject` and `<message>_text`, which know {name} and {client}.

    For errands. Raises `OSError` when nobody takes it now.
    """
    words = {"name": to.name, "client": to.client, **words}
    said = {part: house.catalogues.say(to.language, f"{message}_{part}", **words) for part in ("subject", "text")}
    await house.adapter(Post).send(Mail(to=to.email, **said))
