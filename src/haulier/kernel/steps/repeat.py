"""Safe retries: the same Idempotency-Key with the same request gives the first answer again.

The key's row is written first, in the call's own transaction. A parallel call with the same key waits on that row and then
finds the stored answer; a refused call leaves no row, so it may be tried again.
"""

import hashlib
from typing import Any

from sqlalchemy import BigInteger, Column, LargeBinary, String, UniqueConstraint, bindparam, select, update

from haulier.kernel.answers import Answer
from haulier.kernel.call import Call
from haulier.kernel.codec import decode, encode
from haulier.kernel.data.tables import UTCDateTime, shared_table
from haulier.kernel.data.work import Conflict
from haulier.kernel.errors import BUSY_TRY_AGAIN, IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REUSED
from haulier.kernel.operation import Operation

KEY_MAX = 255

keys = shared_table(
    "idempotency_key",
    Column("owner_client_id", BigInteger, nullable=False),
    Column("user_id", BigInteger, nullable=False),
    Column("operation", String(100), nullable=False),
    Column("key", String(KEY_MAX), nullable=False),
    Column("request_sha256", LargeBinary, nullable=False),
    Column("answer", LargeBinary),
    Column("created_at", UTCDateTime, nullable=False, index=True),
    UniqueConstraint("owner_client_id", "user_id", "operation", "key"),
)

_find = select(keys.c.request_sha256, keys.c.answer).where(
    keys.c.owner_client_id == bindparam("owner"),
    keys.c.user_id == bindparam("user"),
    keys.c.operation == bindparam("name"),
    keys.c.key == bindparam("the_key"),
)
_keep = update(keys).where(keys.c.id == bindparam("row")).values(answer=bindparam("document"))


class Repeat:
    """One key in one call: either the first time, or a repeat with a stored answer."""

    def __init__(self, row: int | None, stored: Answer | None) -> None:
        self.row = row
        self.stored = stored

    async def keep(self, call: Call, answer: Answer) -> None:
        """Store the answer of the first time, before prices are concealed."""
        await call.work.run(_keep, row=self.row, document=encode(answer))


async def claim(call: Call, operation: Operation[Any, Any], key: str, said: bytes) -> Repeat:
    """Claim a key for this call. Raises `IDEMPOTENCY_KEY_REUSED` when it came with another request before."""
    if not 0 < len(key) <= KEY_MAX or not key.isascii() or not key.isprintable():
        raise IDEMPOTENCY_KEY_INVALID()
    caller = call.actor or -(call.principal.token_id or 0)  # a key without a user is a caller of its own
    owner = {"owner": call.principal.client_id or 0, "user": caller, "name": operation.name, "the_key": key}
    digest = hashlib.sha256(said).digest()
    try:
        async with call.work.savepoint():
            row = await call.work.insert(
                keys,
                owner_client_id=owner["owner"],
                user_id=owner["user"],
                operation=operation.name,
                key=key,
                request_sha256=digest,
                created_at=call.now,
            )
            return Repeat(row, None)
    except Conflict:
        found = await call.work.first(_find, **owner)
    if found is None or found.answer is None:
        raise BUSY_TRY_AGAIN()
    if bytes(found.request_sha256) != digest:
        raise IDEMPOTENCY_KEY_REUSED()
    return Repeat(None, decode(operation.answer, bytes(found.answer)))
