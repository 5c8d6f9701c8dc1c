"""Failed sign-ins in a row, for other families and contexts."""

from collections.abc import Collection
from datetime import datetime

from haulier.contexts.identity.accounts.store import failed_sign_ins as store
from haulier.kernel.data.unit_of_work import UnitOfWork


async def find_failed_sign_ins(work: UnitOfWork, digests: Collection[str]) -> dict[str, tuple[int, datetime]]:
    """How many failures in a row there were and when the last was, by digest. Digests without failures are left out."""
    return await store.get_failed_sign_ins(work, digests)
