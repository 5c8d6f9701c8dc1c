"""Counting failed sign-ins, for other families and contexts."""

from collections.abc import Collection
from datetime import datetime

from haulier.contexts.identity.accounts.store import failed_sign_ins as store
from haulier.kernel.data.unit_of_work import UnitOfWork


async def count_failure(work: UnitOfWork, digests: Collection[str], at: datetime) -> None:
    """Count one more failure for each digest."""
    await store.count_failed_sign_ins(work, digests, at)


async def clear_failures(work: UnitOfWork, digests: Collection[str]) -> None:
    """Set the counts of digests back to zero, after a success."""
    await store.reset_failed_sign_ins(work, digests)
