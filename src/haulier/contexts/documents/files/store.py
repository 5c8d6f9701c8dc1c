"""Tables of files: metadata, and bytes while they are in the database."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    Column,
    Index,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    select,
    update,
)

from haulier.contexts.documents.files.rules import MAX_FILE_NAME_LENGTH
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork


class FileRow(Record, table="stored_file", items=[Index(None, "client_id", "about_kind", "about_id")]):
    """The facts about a file.

    `shipped_at` is when the bytes went to the object store; until then they are a row of `file_content`.
    `original_sha256` is the digest of a picture as it was sent, where it is stored without its metadata.
    """

    client_id: int
    media_type: Annotated[str, String(40)]
    size_bytes: int
    sha256: Annotated[str, String(64)]
    name: Annotated[str, String(MAX_FILE_NAME_LENGTH)] | None
    about_kind: Annotated[str, String(40)]
    about_id: Reference
    uploaded_by: Reference | None
    created_at: datetime
    shipped_at: datetime | None
    original_sha256: Annotated[str, String(64)] | None


files = FileRow.table
plain_columns(files, "media_type", "sha256", "original_sha256", "about_kind")

contents = tenant_table(
    "file_content",
    Column("file_id", Id, nullable=False),
    Column("content", LargeBinary, nullable=False),
    UniqueConstraint("client_id", "file_id"),
)
plain_columns(contents, "content")


class FileContentRow(FileRow):
    """A file with its bytes; `content` is None once they are in the object store."""

    content: bytes | None


_ids = select(files.c.id)
_files_by_ids = select(files).where(in_param(files.c.id, "ids"))
_file_with_content = (
    select(files, contents.c.content)
    .join(contents, contents.c.file_id == files.c.id, isouter=True)
    .where(files.c.id == bindparam("file"))
)
_file_part = (
    select(
        files,
        func.substr(contents.c.content, bindparam("begin", type_=Integer), bindparam("bytes", type_=Integer)).label(
            "content"
        ),
    )
    .join(contents, contents.c.file_id == files.c.id, isouter=True)
    .where(files.c.id == bindparam("file"))
)
_mark_uploaded = update(files).where(files.c.id == bindparam("file")).values(shipped_at=bindparam("at"))
_delete_content = delete(contents).where(contents.c.file_id == bindparam("file"))
_delete_contents = delete(contents).where(in_param(contents.c.file_id, "ids"))
_delete_files = delete(files).where(in_param(files.c.id, "ids"))


async def insert_file(work: UnitOfWork, content: bytes, **values: Any) -> int:
    """Write a file and its bytes. Returns its id."""
    file_id = await work.insert(files, **values)
    await work.insert(contents, file_id=file_id, content=content)
    return file_id


async def list_file_rows(work: UnitOfWork, ids: Collection[int]) -> Sequence[FileRow]:
    """Return the facts about the files of this client among some ids."""
    return await work.all(_files_by_ids, FileRow, ids=list(ids)) if ids else []


async def list_file_ids(work: UnitOfWork) -> list[int]:
    """Return the ids of all files of this client."""
    return [row.id for row in await work.all(_ids)]


async def get_file_row_with_content(work: UnitOfWork, file_id: int) -> FileContentRow | None:
    """Return a file of this client with its bytes, or None.

    `content` is None once they are in the object store.
    """
    return await work.first(_file_with_content, FileContentRow, file=file_id)


async def get_file_row_with_part(work: UnitOfWork, file_id: int, first: int, length: int) -> FileContentRow | None:
    """Return a file with bytes from `first` on, counted from 0.

    Otherwise as `get_file_row_with_content`.
    """
    return await work.first(_file_part, FileContentRow, file=file_id, begin=first + 1, bytes=length)


async def mark_file_uploaded(work: UnitOfWork, file_id: int, at: datetime) -> bool:
    """Delete the bytes of a file in the object store. Return False if it was deleted."""
    await work.run(_delete_content, file=file_id)
    return await work.run(_mark_uploaded, file=file_id, at=at) == 1


async def delete_file_rows(work: UnitOfWork, ids: Collection[int]) -> None:
    """Delete files and their bytes."""
    await work.run(_delete_contents, ids=list(ids))
    await work.run(_delete_files, ids=list(ids))
