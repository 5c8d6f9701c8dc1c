"""Safe retries: the same Idempotency-Key with the same request gives the first answer again.

The key's row is written first, in the call's own transaction. A parallel call with the same key waits on that row and then
finds the stored answer; a call that fails leaves no row, so it may be tried again.
"""

import hashlib
import re
from typing import Any

from sqlalchemy import BigInteger, Column, LargeBinary, String, UniqueConstraint, bindparam, select, update

from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.tables import UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.codec import decode_answer, encode_json
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.errors import BUSY_TRY_AGAIN, IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REUSED
from haulier.kernel.principal import Principal

MAX_KEY_LENGTH = 255
_KEY = re.compile(rf"[!-~]{{1,{MAX_KEY_LENGTH}}}")

idempotency_keys = shared_table(
    "idempotency_key",
    Column("owner_client_id", BigInteger, nullable=False),
    Column("user_id", BigInteger, nullable=False),
    Column("operation", String(100), nullable=False),
    Column("key", String(MAX_KEY_LENGTH), nullable=False),
    Column("request_sha256", LargeBinary, nullable=False),
    Column("answer", LargeBinary),
    Column("created_at", UTCDateTime, nullable=False, index=True),
    UniqueConstraint("owner_client_id", "user_id", "operation", "key"),
    machinery=True,
)
personal_data(idempotency_keys, RecordKind.IDEMPOTENCY_ANSWERS, by={"user_id": PersonKey.USER})
retained(RecordKind.IDEMPOTENCY_ANSWERS, idempotency_keys.c.created_at, default_days=30)

_find_key = select(idempotency_keys.c.request_sha256, idempotency_keys.c.answer).where(
    idempotency_keys.c.owner_client_id == bindparam("owner"),
    idempotency_keys.c.user_id == bindparam("user"),
    idempotency_keys.c.operation == bindparam("name"),
    idempotency_keys.c.key == bindparam("the_key"),
)
_store_answer = (
    update(idempotency_keys).where(idempotency_keys.c.id == bindparam("row")).values(answer=bindparam("document"))
)


class IdempotencyClaim:
    """One key in one call: either the first time, or a repeat with a stored answer."""

    def __init__(self, row: int | None, stored: Answer | None) -> None:
        self.row = row
        self.stored = stored

    async def store(self, call: Call, answer: Answer) -> None:
        """Store the answer of the first time, before prices are hidden."""
        await call.work.run(_store_answer, row=self.row, document=encode_json(answer))


def _owner_of(principal: Principal, operation: Operation[Any, Any], key: str) -> dict[str, Any]:
    caller = principal.user_id or -(principal.token_id or 0)  # a key without a user is a caller of its own
    return {"owner": principal.client_id or 0, "user": caller, "name": operation.name, "the_key": key}


async def is_repeat(
    work: UnitOfWork, principal: Principal, operation: Operation[Any, Any], key: str, request_bytes: bytes
) -> bool:
    """Whether the answer of this request with this key is stored."""
    stored = await work.first(_find_key, **_owner_of(principal, operation, key))
    if stored is None or stored.answer is None:
        return False
    return bytes(stored.request_sha256) == hashlib.sha256(request_bytes).digest()


async def claim_idempotency_key(
    call: Call, operation: Operation[Any, Any], key: str, request_bytes: bytes
) -> IdempotencyClaim:
    """Claim a key for this call. Raises `IDEMPOTENCY_KEY_REUSED` when it came with another request before."""
    if not _KEY.fullmatch(key):
        raise IDEMPOTENCY_KEY_INVALID()
    owner, digest = _owner_of(call.principal, operation, key), hashlib.sha256(request_bytes).digest()
    new = {
        "owner_client_id": owner["owner"],
        "user_id": owner["user"],
        "operation": operation.name,
        "key": key,
        "request_sha256": digest,
        "created_at": call.now,
    }
    for row in await call.work.insert_new(idempotency_keys, [new], returning=("id",)):
        return IdempotencyClaim(row.id, None)
    stored = await call.work.first(_find_key, **owner)
    if stored is None or stored.answer is None:
        raise BUSY_TRY_AGAIN()
    if bytes(stored.request_sha256) != digest:
        raise IDEMPOTENCY_KEY_REUSED()
    return IdempotencyClaim(None, decode_answer(operation.answer, bytes(stored.answer)))
