"""A grant ends, and with it its access tokens and all that was issued with them."""

from datetime import datetime

from haulier.contexts.identity.public import end_tokens
from haulier.contexts.oauth.grants.store import grants as store
from haulier.kernel.data.unit_of_work import UnitOfWork


async def end_grant(work: UnitOfWork, grant_id: int, *, at: datetime, why: str) -> int:
    """End a grant of any client and revoke its access tokens. Returns 0 when it had ended before, else 1."""
    wide = work.without_tenant_filter("a grant may end before anybody has signed in")
    await end_tokens(wide, await store.list_access_token_ids(work, grant_id), at)
    return await store.set_grant_ended(work, grant_id, at=at, why=why)
