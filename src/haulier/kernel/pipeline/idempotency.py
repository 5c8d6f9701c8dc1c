"""Idempotency keys: a repeated request with the same key returns the first answer.

Answers that contain a secret are not stored. A repeat then gets 409 `ANSWER_NOT_REPEATED` with the ids of the created
records (docs/decisions/idempotency.md).

The key is inserted first, in the call's transaction. A parallel call with the same key waits for that row and then
finds the stored answer. A failed call leaves no row, so it can be retried.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from pydantic import SecretBytes, SecretStr
from sqlalchemy import BigInteger, Column, LargeBinary, String, UniqueConstraint, bindparam, select, update

from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.tables import UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.codec import decode_answer, encode_json
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.operations.errors import (
    ANSWER_NOT_REPEATED,
    BUSY_TRY_AGAIN,
    IDEMPOTENCY_KEY_INVALID,
    IDEMPOTENCY_KEY_REUSED,
    OperationError,
)
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
    """The key of one call: either new, or a repeat with a stored answer."""

    def __init__(self, row: int | None, stored: Answer | None, *, replayable: bool = True) -> None:
        self.row = row
        self.stored = stored
        self._replayable = replayable

    async def store(self, call: Call, answer: Answer) -> None:
        """Store the first answer before prices are hidden.

        Of an answer with a secret, only the ids are stored.
        """
        document = encode_json(answer if self._replayable else list_existing(answer))
        await call.work.run(_store_answer, row=self.row, document=document)


def _owner_of(principal: Principal, operation: Operation[Any, Any], key: str) -> dict[str, Any]:
    caller = principal.user_id or -(principal.token_id or 0)  # a token without a user counts as a separate caller
    return {"owner": principal.client_id or 0, "user": caller, "name": operation.name, "the_key": key}


def digest_request(operation: Operation[Any, Any], request: Request, request_bytes: bytes) -> bytes:
    """Return a digest that distinguishes a repeat from a different request.

    If the answer is a secret, the request often contains a password or code. Those are left out, because a fast
    digest of them would be easier to guess than the form in which they are stored elsewhere.
    """
    if operation.replayable:
        return hashlib.sha256(request_bytes).digest()
    document = [operation.name, request.model_dump()]
    return hashlib.sha256(msgspec.json.encode(document, enc_hook=_plain, order="deterministic")).digest()


def _plain(value: Any) -> str:
    return "secret" if isinstance(value, SecretStr | SecretBytes) else str(value)


def list_existing(answer: Answer) -> dict[str, Any]:
    """Return the numeric ids in an answer by name (`id`, `device_id`, `endpoint_ids`).

    Text ids may be secrets.
    """
    return dict(_existing(msgspec.to_builtins(answer)))


def _existing(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        if isinstance(value, int) and not isinstance(value, bool) and (name == "id" or name.endswith("_id")):
            yield name, value
        elif isinstance(value, dict) and isinstance(value.get("id"), int):
            yield f"{name}_id", value["id"]
        elif isinstance(value, list) and (ids := _ids_of_records(value)):
            yield f"{name.removesuffix('s')}_ids", ids


def _ids_of_records(values: list[Any]) -> list[int]:
    return [one["id"] for one in values if isinstance(one, dict) and isinstance(one.get("id"), int)]


def _answer_not_repeated(stored: bytes) -> OperationError:
    existing = msgspec.json.decode(stored)
    shown = ", ".join(f"{name} {value}" for name, value in existing.items()) or "-"
    return OperationError(
        msgspec.structs.replace(ANSWER_NOT_REPEATED, body={"existing": existing}), {"existing": shown}
    )


async def require_first_time(
    work: UnitOfWork, principal: Principal, operation: Operation[Any, Any], key: str, digest: bytes
) -> None:
    """Raise if a call with a secret answer is a repeat. Runs before slow work.

    Raises `ANSWER_NOT_REPEATED`, or `IDEMPOTENCY_KEY_REUSED` if the key was used with a different request.
    """
    stored = await work.first(_find_key, **_owner_of(principal, operation, key))
    if stored is not None and stored.answer is not None:
        _require_same_request(stored, digest)
        raise _answer_not_repeated(bytes(stored.answer))


def _require_same_request(stored: Any, digest: bytes) -> None:
    if bytes(stored.request_sha256) != digest:
        raise IDEMPOTENCY_KEY_REUSED()


async def is_repeat(
    work: UnitOfWork, principal: Principal, operation: Operation[Any, Any], key: str, digest: bytes
) -> bool:
    """Return True if the answer to this request is stored under this key."""
    stored = await work.first(_find_key, **_owner_of(principal, operation, key))
    if stored is None or stored.answer is None:
        return False
    return bytes(stored.request_sha256) == digest


async def claim_idempotency_key(
    call: Call, operation: Operation[Any, Any], key: str, digest: bytes
) -> IdempotencyClaim:
    """Claim a key for this call.

    Raises `IDEMPOTENCY_KEY_REUSED` if it was used with a different request, and `ANSWER_NOT_REPEATED` for a repeat of
    a call whose answer is a secret.
    """
    if not _KEY.fullmatch(key):
        raise IDEMPOTENCY_KEY_INVALID()
    owner = _owner_of(call.principal, operation, key)
    new = {
        "owner_client_id": owner["owner"],
        "user_id": owner["user"],
        "operation": operation.name,
        "key": key,
        "request_sha256": digest,
        "created_at": call.now,
    }
    for row in await call.work.insert_new(idempotency_keys, [new], returning=("id",)):
        return IdempotencyClaim(row.id, None, replayable=operation.replayable)
    stored = await call.work.first(_find_key, **owner)
    if stored is None or stored.answer is None:
        raise BUSY_TRY_AGAIN()
    _require_same_request(stored, digest)
    if not operation.replayable:
        raise _answer_not_repeated(bytes(stored.answer))
    return IdempotencyClaim(None, decode_answer(operation.answer, bytes(stored.answer)))
