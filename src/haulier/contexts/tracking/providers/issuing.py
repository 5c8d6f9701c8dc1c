"""Making a key: for the operation and for the command line."""

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct

from haulier.contexts.tracking.providers import store
from haulier.contexts.tracking.providers.contract import PER_MINUTE
from haulier.contexts.tracking.providers.identity import KIND
from haulier.kernel.data.work import Work
from haulier.kernel.ids import opaque_token, token_digest


class IssuedKey(Struct, frozen=True):
    """A key that was just made: the only time its text is known."""

    id: int
    key: str


async def issue(
    work: Work,
    *,
    client_id: int,
    name: str,
    now: datetime,
    carriers: Collection[str] = (),
    source_type: str = "carrier",
    per_minute: int = PER_MINUTE,
    issued_by: int | None = None,
) -> IssuedKey:
    """Make a key for a client and keep its digest."""
    key = opaque_token(KIND)
    id = await store.add(
        work.unwalled("the command line issues keys before anyone has come in"),
        client_id=client_id,
        name=name,
        token_sha256=token_digest(key),
        source_type=source_type,
        carriers=sorted(set(carriers)),
        per_minute=per_minute,
        issued_by=issued_by,
        created_at=now,
    )
    return IssuedKey(id, key)
