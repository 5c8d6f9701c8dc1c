"""In which language to write to somebody."""

from typing import Any

from haulier.contexts.identity.accounts.store import members as member_store
from haulier.contexts.identity.accounts.store.clients import LANGUAGE_SETTING
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE


async def get_user_language(work: UnitOfWork, user_id: int, client: Any) -> str:
    """The language that a user chose, else the one of their business, else English."""
    member = await member_store.get_member(work, user_id)
    return (member and member.language) or client.settings.get(LANGUAGE_SETTING) or DEFAULT_LANGUAGE
