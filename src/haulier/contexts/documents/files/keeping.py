"""Keeping files: within the caller's transaction, so that a rehearsal leaves nothing and a crash loses nothing."""

import hashlib
from collections.abc import Collection
from typing import Any

from msgspec import Struct

from haulier.contexts.documents.files import store
from haulier.contexts.documents.files.rules import FILE_AWAY, FILE_DAMAGED, demand, parted
from haulier.contexts.documents.files.shipping import FORGET, SHIP, ForgetFiles, ShipFile, key
from haulier.contexts.documents.ports import Objects
from haulier.kernel.call import Call
from haulier.kernel.errors import NOT_FOUND


class FileFacts(Struct, frozen=True, kw_only=True):
    """A file, as other contexts see one. `size` is in bytes, `sha256` hexadecimal."""

    id: int
    media_type: str
    size: int
    sha256: str
    name: str | None


async def keep(call: Call, *, content: bytes, media_type: str, name: str | None, about: str) -> int:
    """Keep a file that is about a record, such as `stop:77`. Returns its id.

    The bytes lie in the database until the transaction is committed, and go on to the object store, where there is one, in
    an errand. Raises `FILE_NOT_TAKEN` for a file that is not what it says, `ValueError` for an `about` that is no `kind:id`.
    """
    demand(media_type, content)
    kind, record_id = parted(about)
    file_id = await store.add(
        call.work,
        content,
        media_type=media_type,
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        name=name,
        about_kind=kind,
        about_id=record_id,
        uploaded_by=call.actor,
        created_at=call.now,
    )
    if call.adapter(Objects).configured:
        await call.post(SHIP, ShipFile(file_id=file_id))
    return file_id


async def facts(call: Call, ids: Collection[int]) -> dict[int, FileFacts]:
    """The files of this client among some ids, in one statement."""
    return {
        row.id: FileFacts(id=row.id, media_type=row.media_type, size=row.size_bytes, sha256=row.sha256, name=row.name)
        for row in await store.some(call.work, ids)
    }


async def discard(call: Call, ids: Collection[int]) -> None:
    """Forget files of this client for good, here at once and in the object store by an errand."""
    rows = await store.some(call.work, ids)
    if not rows:
        return
    await store.discard(call.work, [row.id for row in rows])
    if call.adapter(Objects).configured:
        await call.post(FORGET, ForgetFiles(keys=tuple(map(key, rows))))


async def content(call: Call, file_id: int) -> bytes:
    """The bytes of a file of this client; who may have them is the caller's business.

    Raises `NOT_FOUND`, `FILE_AWAY` when the object store does not answer, `FILE_DAMAGED` when the bytes are not what was kept.
    """
    row = await store.whole(call.work, file_id)
    if row is None:
        raise NOT_FOUND()
    return await bytes_of(call, row)


async def bytes_of(call: Call, row: Any) -> bytes:
    """The bytes of a file whose row was read whole: from the row, or from the object store."""
    if row.content is not None:
        return row.content
    try:
        found = await call.adapter(Objects).get(key(row))
    except KeyError:
        raise FILE_DAMAGED(file_id=row.id) from None
    except OSError:
        raise FILE_AWAY(file_id=row.id) from None
    if hashlib.sha256(found).hexdigest() != row.sha256:
        raise FILE_DAMAGED(file_id=row.id)
    return found
