"""Storage and deletion of files in the caller's transaction.

A dry run leaves nothing, and a crash loses nothing.
"""

import hashlib
from collections.abc import Collection

from haulier.contexts.documents.files import store
from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.documents.files.jobs import DELETE_JOB, UPLOAD_JOB, DeleteStoredContents, UploadStoredFile
from haulier.contexts.documents.files.rules import (
    BINARY_TYPE,
    JSON_TYPE,
    PDF_TYPE,
    parse_file_subject,
    require_accepted_file,
    storage_key,
    stored_file_name,
)
from haulier.contexts.documents.ports import ObjectStore
from haulier.kernel.call import Call
from haulier.kernel.foreign_files import check_foreign_files


async def save_file(call: Call, *, content: bytes, media_type: str, name: str | None, about: str) -> int:
    """Store a file about a record, such as `stop:77`. Return its id.

    The bytes are written to the database; with an object store, a job moves them there after the commit. Raises
    `FILE_NOT_TAKEN` for a file that does not match its type, `ValueError` for an `about` that is no `kind:id`.
    """
    require_accepted_file(media_type, content)
    return await _save(call, content=content, media_type=media_type, name=name, about=about)


async def save_upload(call: Call, upload: FileUpload, *, about: str) -> int:
    """Store an uploaded file; pictures lose their metadata. Return its id.

    Raises the errors of `save_file`.
    """
    await check_foreign_files(call.app, upload)  # a prepared call has checked it already
    original, content = upload.decoded, upload.cleaned
    require_accepted_file(upload.media_type, content)
    digest = None if content == original else hashlib.sha256(original).hexdigest()
    return await _save(
        call, content=content, media_type=upload.media_type, name=upload.name, about=about, original=digest
    )


async def _save(
    call: Call, *, content: bytes, media_type: str, name: str | None, about: str, original: str | None = None
) -> int:
    kind, record_id = parse_file_subject(about)
    file_id = await store.insert_file(
        call.work,
        content,
        media_type=media_type,
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        original_sha256=original,
        name=stored_file_name(name),
        about_kind=kind,
        about_id=record_id,
        uploaded_by=call.actor,
        created_at=call.now,
    )
    if call.adapter(ObjectStore).configured:
        await call.enqueue(UPLOAD_JOB, UploadStoredFile(file_id=file_id))
    return file_id


async def save_export(call: Call, *, content: bytes, name: str, about: str) -> int:
    """Store a JSON document of the application. Return its id.

    Otherwise as `save_file`, but of any size.
    """
    return await _save(call, content=content, media_type=JSON_TYPE, name=name, about=about)


async def save_issued_file(call: Call, *, content: bytes, name: str, about: str) -> int:
    """Store a PDF of the application. Return its id.

    Otherwise as `save_file`, but of any size.
    """
    return await _save(call, content=content, media_type=PDF_TYPE, name=name, about=about)


async def save_binary(call: Call, *, content: bytes, name: str, about: str) -> int:
    """Store a file of any kind that browsers do not show. Return its id.

    Otherwise as `save_file`, but of any size.
    """
    return await _save(call, content=content, media_type=BINARY_TYPE, name=name, about=about)


async def delete_files(call: Call, ids: Collection[int]) -> None:
    """Delete files of this client: here at once, in the object store by a job."""
    rows = await store.list_file_rows(call.work, ids)
    if not rows:
        return
    await store.delete_file_rows(call.work, [row.id for row in rows])
    if call.adapter(ObjectStore).configured:
        await call.enqueue(DELETE_JOB, DeleteStoredContents(keys=tuple(map(storage_key, rows))))


async def delete_all_files(call: Call) -> None:
    """Delete all files of this client. See `delete_files`."""
    await delete_files(call, await store.list_file_ids(call.work))
