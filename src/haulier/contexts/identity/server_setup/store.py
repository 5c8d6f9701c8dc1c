"""The table of the setup code: one row with the digest."""

from datetime import datetime

from sqlalchemy import Column, Integer, LargeBinary, UniqueConstraint, bindparam, select, update
from sqlalchemy.dialects.postgresql import insert

from haulier.contexts.identity.accounts.store.tables import users
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork

codes = shared_table(
    "setup_code",
    Column("slot", Integer, nullable=False),
    Column("code_sha256", LargeBinary(32), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("used_at", UTCDateTime),
    UniqueConstraint("slot"),
)
"""One row at most: `slot` is always 1, so that concurrent set-ups wait for each other."""
plain_columns(codes, "code_sha256")

ONLY = 1
_anybody = select(users.c.id).limit(1)
_is_code = codes.c.code_sha256 == bindparam("digest")
_kept = select(codes.c.id).where(_is_code)
_use = update(codes).where(_is_code, codes.c.used_at.is_(None)).values(used_at=bindparam("at"))
_new = insert(codes).values(
    slot=ONLY,
    code_sha256=bindparam("digest", type_=codes.c.code_sha256.type),
    created_at=bindparam("at", type_=codes.c.created_at.type),
)
_keep = _new.on_conflict_do_update(
    index_elements=["slot"],
    set_={"code_sha256": _new.excluded.code_sha256, "created_at": _new.excluded.created_at},
    where=codes.c.used_at.is_(None),
)


async def has_users(work: UnitOfWork) -> bool:
    """Return True if the server has an account of any business, disabled or not."""
    return await work.value(_anybody) is not None


async def insert_setup_code(work: UnitOfWork, digest: bytes, now: datetime) -> None:
    """Replace the digest of the setup code. A used one stays used."""
    await work.run(_keep, digest=digest, at=now)


async def is_setup_code(work: UnitOfWork, digest: bytes) -> bool:
    """Return True if a code is the newest, used or not."""
    return await work.value(_kept, digest=digest) is not None


async def use_setup_code(work: UnitOfWork, digest: bytes, now: datetime) -> bool:
    """Use the code up. Return False if it is no longer valid.

    Of two concurrent calls only one succeeds.
    """
    return await work.run(_use, digest=digest, at=now) == 1
