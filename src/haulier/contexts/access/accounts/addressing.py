"""In which language to write to somebody."""

from typing import Any

from haulier.contexts.access.accounts.store import members as member_store
from haulier.contexts.access.accounts.store.clients import LANGUAGE
from haulier.kernel.data.work import Work
from haulier.kernel.languages import DEFAULT


async def language_of(work: Work, user_id: int, client: Any) -> str:
    """The language that a user chose, else the one of their business, else English."""
    member = await member_store.of(work, user_id)
    return (member and member.language) or client.settings.get(LANGUAGE) or DEFAULT
