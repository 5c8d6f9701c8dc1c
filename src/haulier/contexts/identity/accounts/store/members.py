"""What was set about a user beyond the account: permissions, language, time zone, what a business knows a customer by."""

from typing import Any

from sqlalchemy import bindparam, select

from haulier.contexts.custom_fields.public import Document
from haulier.contexts.identity.accounts.store.tables import members
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class MemberRow(Row):
    """What was set about a user; null where nothing was."""

    user_id: int
    scopes: list[str] | None
    role: str | None
    language: str | None
    time_zone: str | None
    phone: str | None
    customer_code: str | None
    note: str | None
    custom_fields: Document | None


_of = select(members).where(members.c.user_id == bindparam("user"))


async def get_member(work: UnitOfWork, user_id: int) -> MemberRow | None:
    """What was set about a user of this client, or None."""
    return await work.first(_of, MemberRow, user=user_id)


async def upsert_member(work: UnitOfWork, user_id: int, *, client_id: int | None = None, **values: Any) -> None:
    """Set something about a user of this client; what is not named stays.

    `client_id` names the client in a unit of work without the tenant filter. Raises `UniqueConflict` when
    another customer of the client has the code.
    """
    if values:
        owner = {} if client_id is None else {"client_id": client_id}
        await work.upsert(members, ("user_id",), user_id=user_id, **owner, **values)
