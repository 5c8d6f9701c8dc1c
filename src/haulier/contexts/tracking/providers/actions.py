"""Creating a key: for the operation and for the command line."""

from collections.abc import Collection, Mapping
from datetime import datetime
from types import MappingProxyType

from msgspec import Struct

from haulier.contexts.tracking.providers.contract import CALLS_PER_MINUTE
from haulier.contexts.tracking.providers.queries import PROVIDER_KEY_PREFIX
from haulier.contexts.tracking.providers.store import ProviderKeyRow
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.ids import hash_token, make_opaque_token


class CreatedProviderKey(Struct, frozen=True):
    """A new key. Its text is known only here."""

    id: int
    key: str


async def create_provider_key(
    work: UnitOfWork,
    *,
    client_id: int,
    name: str,
    now: datetime,
    carriers: Collection[str] = (),
    source_type: str = "carrier",
    per_minute: int = CALLS_PER_MINUTE,
    issued_by: int | None = None,
    set_up: Mapping[str, int | None] = MappingProxyType({}),
) -> CreatedProviderKey:
    """Create a key for a client. Only its digest is stored.

    `set_up`: the user or token responsible for it.
    """
    key = make_opaque_token(PROVIDER_KEY_PREFIX)
    id = await ProviderKeyRow.insert(
        work.without_tenant_filter("the command line issues keys before anyone is signed in"),
        client_id=client_id,
        name=name,
        token_sha256=hash_token(key),
        source_type=source_type,
        carriers=sorted(set(carriers)),
        per_minute=per_minute,
        issued_by=issued_by,
        **set_up,
        created_at=now,
    )
    return CreatedProviderKey(id, key)
