"""Clients, for the families and contexts that must know one."""

from haulier.contexts.identity.accounts.store import clients as store
from haulier.contexts.identity.accounts.store.clients import ClientRow as ClientRow
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import NOT_FOUND


async def require_client(work: UnitOfWork, client_id: int, *, lock: bool = False) -> ClientRow:
    """A client. Raises `NOT_FOUND`."""
    client = await store.get_client_row(work, client_id, lock=lock)
    if client is None:
        raise NOT_FOUND()
    return client


async def find_business_names(work: UnitOfWork, client_id: int) -> tuple[str, str]:
    """What a client is called: its name and its code. Raises `NOT_FOUND`."""
    client = await require_client(work, client_id)
    return client.name, client.code


async def find_client_id(work: UnitOfWork, code: str) -> int | None:
    """The id of the client with a code, or None."""
    return await store.get_client_id(work, code)


async def find_all_client_ids(work: UnitOfWork) -> list[int]:
    """The ids of all clients."""
    return await store.list_client_ids(work)


async def find_all_client_codes(work: UnitOfWork) -> set[str]:
    """The codes of all clients."""
    return await store.list_all_client_codes(work)
