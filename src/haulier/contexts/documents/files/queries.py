"""Files: their facts, and their content for whoever may open them."""

import hashlib
from collections.abc import Collection

from msgspec import Struct

from haulier.contexts.documents.files import store
from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.documents.files.rules.files import (
    FILE_AWAY,
    FILE_DAMAGED,
    storage_key,
)
from haulier.contexts.documents.files.store import FileRow
from haulier.contexts.documents.ports import ObjectStore
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND


class FileFacts(Struct, frozen=True, kw_only=True):
    """A file, as other contexts see one. `size` is in bytes, `sha256` hexadecimal."""

    id: int
    media_type: str
    size: int
    sha256: str
    name: str | None


async def get_file_facts(call: Call, ids: Collection[int]) -> dict[int, FileFacts]:
    """The files of this client among some ids, in one statement."""
    return {
        row.id: FileFacts(id=row.id, media_type=row.media_type, size=row.size_bytes, sha256=row.sha256, name=row.name)
        for row in await store.list_file_rows(call.work, ids)
    }


async def is_same_file(call: Call, file_id: int, upload: FileUpload) -> bool:
    """Return True if an upload is what a file of this client was stored from."""
    row = await FileRow.get(call.work, file_id)
    digest = hashlib.sha256(upload.decoded).hexdigest()
    return row is not None and digest in (row.sha256, row.original_sha256)


async def get_file_content(call: Call, file_id: int) -> bytes:
    """The bytes of a file of this client; the caller checks who may have them.

    Raises `NOT_FOUND`, `FILE_AWAY` when the object store does not answer, `FILE_DAMAGED` when the stored bytes changed.
    """
    row = await store.get_file_row_with_content(call.work, file_id)
    if row is None:
        raise NOT_FOUND()
    return await load_file_bytes(call, row)


async def get_file_part(call: Call, file_id: int, first: int, length: int) -> bytes:
    """Some bytes of a file of this client, from `first` on; whoever puts them together checks the digest of the whole.

    Raises as `get_file_content`.
    """
    row = await store.get_file_row_with_part(call.work, file_id, first, length)
    if row is None:
        raise NOT_FOUND()
    if row.content is not None:
        return row.content
    try:
        content = await call.adapter(ObjectStore).get_part(storage_key(row), first, length)
    except KeyError:
        raise FILE_DAMAGED(file_id=row.id) from None
    except OSError:
        raise FILE_AWAY(file_id=row.id) from None
    if len(content) != length:
        raise FILE_DAMAGED(file_id=row.id)
    return content


async def load_file_bytes(call: Call, row: store.FileContentRow) -> bytes:
    """The bytes of a file: from its row, or from the object store. Errors as in `get_file_content`."""
    if row.content is not None:
        return row.content
    try:
        content = await call.adapter(ObjectStore).get(storage_key(row))
    except KeyError:
        raise FILE_DAMAGED(file_id=row.id) from None
    except OSError:
        raise FILE_AWAY(file_id=row.id) from None
    if hashlib.sha256(content).hexdigest() != row.sha256:
        raise FILE_DAMAGED(file_id=row.id)
    return content
