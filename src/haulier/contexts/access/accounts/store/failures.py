"""Failed sign-ins in a row, per e-mail address. The address itself is not kept, only its digest."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from haulier.contexts.access.accounts.store.tables import failures
from haulier.kernel.data.work import Conflict, Work

_of = select(failures.c.times, failures.c.last_at).where(failures.c.email_sha256 == bindparam("digest"))
_more = (
    update(failures)
    .where(failures.c.email_sha256 == bindparam("digest"))
    .values(times=failures.c.times + 1, last_at=bindparam("at"))
)
_none = delete(failures).where(failures.c.email_sha256 == bindparam("digest"))


async def of(work: Work, digest: bytes) -> Any:
    """How often in a row sign-in failed and when last, or None."""
    return await work.first(_of, digest=digest)


async def count(work: Work, digest: bytes, at: datetime) -> None:
    """Count one more failure."""
    if await work.run(_more, digest=digest, at=at):
        return
    try:
        async with work.savepoint():
            await work.insert(failures, email_sha256=digest, times=1, last_at=at)
    except Conflict:
        await work.run(_more, digest=digest, at=at)


async def forget(work: Work, digest: bytes) -> None:
    """Sign-in succeeded: the count starts anew."""
    await work.run(_none, digest=digest)
