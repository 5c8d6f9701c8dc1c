"""Writing clients, for the command line and the seed."""

from typing import Any

from haulier.contexts.identity.accounts.store import clients as store
from haulier.kernel.data.unit_of_work import UnitOfWork


async def add_client(work: UnitOfWork, **values: Any) -> int:
    """Write a client. Returns the id. Raises `UniqueConflict` when the code is taken."""
    return await store.insert_client(work, **values)


async def set_client_settings(work: UnitOfWork, client_id: int, settings: dict[str, Any]) -> None:
    """Replace the settings of a client."""
    await store.update_client_row(work, client_id, settings=settings)
