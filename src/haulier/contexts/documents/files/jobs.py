"""Jobs that move files to the object store, and delete them there."""

from msgspec import Struct

from haulier.contexts.documents.files import store
from haulier.contexts.documents.files.rules import storage_key
from haulier.contexts.documents.ports import ObjectStore
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

UPLOAD_JOB, DELETE_JOB = "file.upload", "file.delete"


class UploadStoredFile(Struct, frozen=True, kw_only=True):
    """The job of moving a file."""

    file_id: int


class DeleteStoredContents(Struct, frozen=True, kw_only=True):
    """The job of deleting keys of the object store."""

    keys: tuple[str, ...]


@job(UPLOAD_JOB, UploadStoredFile, max_attempts=24)
async def upload_stored_file(run: JobRun, args: UploadStoredFile) -> None:
    """Move the bytes of a file into the object store.

    A repeat after a crash stores the same bytes again.
    """
    async with run.app.database.read(run.client_id) as work:
        row = await store.get_file_row_with_content(work, args.file_id)
    if row is None or row.content is None:
        return
    objects = run.app.adapter(ObjectStore)
    await objects.put(storage_key(row), row.content, row.media_type)
    async with run.app.database.write(run.client_id) as work:
        uploaded = await store.mark_file_uploaded(work, row.id, run.app.clock())
    if not uploaded:
        await objects.remove(storage_key(row))


@job(DELETE_JOB, DeleteStoredContents, max_attempts=24)
async def delete_stored_contents(run: JobRun, args: DeleteStoredContents) -> None:
    """Remove what discarded files left in the object store."""
    for key in args.keys:
        await run.app.adapter(ObjectStore).remove(key)
