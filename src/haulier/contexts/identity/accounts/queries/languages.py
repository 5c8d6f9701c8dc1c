"""In which language to write to somebody."""

from haulier.contexts.identity.accounts.rules.languages import client_language
from haulier.contexts.identity.accounts.store import members as member_store
from haulier.contexts.identity.accounts.store.clients import ClientRow
from haulier.kernel.data.unit_of_work import UnitOfWork


async def get_user_language(work: UnitOfWork, user_id: int, client: ClientRow) -> str:
    """The language that a user chose, else the one of their business, else English."""
    member = await member_store.get_member(work, user_id)
    return (member and member.language) or client_language(client.settings)
