"""The setup code, for the command line and the pages."""

from datetime import datetime

from haulier.contexts.identity.server_setup import store
from haulier.contexts.identity.server_setup.rules import SETUP_CODE_PREFIX, SETUP_PAGE
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.ids import hash_token, make_opaque_token


async def has_accounts(work: UnitOfWork) -> bool:
    """Return True if the server has accounts; without any, it waits for setup."""
    return await store.has_users(work.without_tenant_filter("a server is set up before it has any business"))


async def make_setup_link(work: UnitOfWork, base_url: str, now: datetime) -> str | None:
    """Return a setup link, or None if the server has accounts.

    Only the newest link works. The code is in the fragment of the address, which browsers do not send; only its digest
    is stored.
    """
    if await has_accounts(work):
        return None
    code = make_opaque_token(SETUP_CODE_PREFIX)
    await store.insert_setup_code(work, hash_token(code), now)
    return f"{base_url}{SETUP_PAGE}#{code}"
