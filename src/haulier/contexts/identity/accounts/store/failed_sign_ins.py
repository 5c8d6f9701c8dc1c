"""Counts of failed sign-ins in a row, by digest."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert

from haulier.contexts.identity.accounts.store.tables import failures
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_of = select(failures.c.what_sha256, failures.c.times, failures.c.last_at).where(
    in_param(failures.c.what_sha256, "digests")
)
_first = insert(failures).values(
    what_sha256=bindparam("digest", type_=failures.c.what_sha256.type),
    times=1,
    last_at=bindparam("at", type_=failures.c.last_at.type),
)
_more = _first.on_conflict_do_update(
    index_elements=["what_sha256"], set_={"times": failures.c.times + 1, "last_at": _first.excluded.last_at}
)
_old = delete(failures).where(failures.c.last_at < bindparam("before"))
_none = delete(failures).where(in_param(failures.c.what_sha256, "digests"))


async def get_failed_sign_ins(work: UnitOfWork, digests: Collection[str]) -> dict[str, tuple[int, datetime]]:
    """How often in a row sign-in failed and when last, by what it is counted by."""
    return {row.what_sha256: (row.times, row.last_at) for row in await work.all(_of, digests=digests)}


async def count_failed_sign_ins(work: UnitOfWork, digests: Collection[str], at: datetime) -> None:
    """Count one more failure of each."""
    await work.run_many(_more, [{"digest": digest, "at": at} for digest in sorted(digests)])


async def reset_failed_sign_ins(work: UnitOfWork, digests: Collection[str]) -> None:
    """Delete the counts of digests."""
    await work.run(_none, digests=digests)


async def delete_failed_sign_ins_before(work: UnitOfWork, before: datetime) -> int:
    """Delete the counts whose last failure was before a time. Returns how many."""
    return await work.run(_old, before=before)
