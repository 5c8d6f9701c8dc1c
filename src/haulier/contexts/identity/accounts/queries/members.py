"""What was set about users beyond their accounts, for other families."""

from haulier.contexts.identity.accounts.store import members as store
from haulier.contexts.identity.accounts.store.members import MemberRow as MemberRow
from haulier.kernel.data.unit_of_work import UnitOfWork


async def find_member(work: UnitOfWork, user_id: int) -> MemberRow | None:
    """What was set about a user of the client, or None when nothing was."""
    return await store.get_member(work, user_id)
