"""Clients: the businesses that run on the platform."""

from typing import Any

from sqlalchemy import bindparam, select, update

from haulier.contexts.identity.accounts.store.tables import clients
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class ClientRow(Row):
    """What the code reads of a client."""

    id: int
    code: str
    name: str
    time_zone: str
    currency: str
    country: str | None
    modules: list[str]
    features: list[str]
    settings: dict[str, Any]


_one = select(clients).where(clients.c.id == bindparam("client"))
_by_code = select(clients.c.id).where(clients.c.code == bindparam("sought"))
_codes = select(clients.c.code)
_ids = select(clients.c.id).order_by(clients.c.id)
_locked = _one.with_for_update()


async def list_all_client_codes(work: UnitOfWork) -> set[str]:
    """The codes of all clients."""
    return {row.code for row in await work.all(_codes)}


async def list_client_ids(work: UnitOfWork) -> list[int]:
    """The ids of all clients."""
    return [row.id for row in await work.all(_ids)]


async def get_client_row(work: UnitOfWork, client_id: int, *, lock: bool = False) -> ClientRow | None:
    """A client, or None."""
    return await work.first(_locked if lock else _one, ClientRow, client=client_id)


async def get_client_id(work: UnitOfWork, code: str) -> int | None:
    """The id of the client with a code, or None."""
    return await work.value(_by_code, sought=code)


async def insert_client(work: UnitOfWork, **values: Any) -> int:
    """Write a client. Returns the id. Raises `UniqueConflict` when the code is taken."""
    return await work.insert(clients, **values)


async def update_client_row(work: UnitOfWork, client_id: int, **values: Any) -> None:
    """Change columns of a client."""
    await work.run(update(clients).where(clients.c.id == bindparam("client")).values(**values), client=client_id)
