"""Two tables: what is known of a file, and its bytes while they lie in the database."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Integer, LargeBinary, String, bindparam, delete, select, update

from haulier.contexts.documents.files.rules import NAME_MAX
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

files = tenant_table(
    "stored_file",
    Column("media_type", String(40), nullable=False),
    Column("size_bytes", Integer, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("name", String(NAME_MAX)),
    Column("about_kind", String(40), nullable=False),
    Column("about_id", Id, nullable=False),
    Column("uploaded_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("shipped_at", UTCDateTime),
    Index(None, "client_id", "about_kind", "about_id"),
)
"""`shipped_at` is when the bytes went to the object store; until then they are a row of `file_content`."""

contents = tenant_table(
    "file_content",
    Column("file_id", Id, nullable=False, unique=True),
    Column("content", LargeBinary, nullable=False),
)

_one = select(files).where(files.c.id == bindparam("file"))
_some = select(files).where(among(files.c.id, "ids"))
_whole = (
    select(files, contents.c.content)
    .join(contents, contents.c.file_id == files.c.id, isouter=True)
    .where(files.c.id == bindparam("file"))
)
_ship = update(files).where(files.c.id == bindparam("file")).values(shipped_at=bindparam("at"))
_clear = delete(contents).where(contents.c.file_id == bindparam("file"))
_clear_all = delete(contents).where(among(contents.c.file_id, "ids"))
_discard = delete(files).where(among(files.c.id, "ids"))


async def add(work: Work, content: bytes, **values: Any) -> int:
    """Write a file and its bytes. Returns its id."""
    file_id = await work.insert(files, **values)
    await work.insert(contents, file_id=file_id, content=content)
    return file_id


async def one(work: Work, file_id: int) -> Any:
    """What is known of a file of this client, or None."""
    return await work.first(_one, file=file_id)


async def some(work: Work, ids: Collection[int]) -> Sequence[Any]:
    """What is known of the files of this client among some ids."""
    return await work.all(_some, ids=list(ids)) if ids else []


async def whole(work: Work, file_id: int) -> Any:
    """A file of this client with its bytes, or None. `content` is None once they are in the object store."""
    return await work.first(_whole, file=file_id)


async def ship(work: Work, file_id: int, at: datetime) -> bool:
    """The bytes are in the object store; they leave the database. Returns False when the file was discarded meanwhile."""
    await work.run(_clear, file=file_id)
    return await work.run(_ship, file=file_id, at=at) == 1


async def discard(work: Work, ids: Collection[int]) -> None:
    """Files and their bytes leave the database."""
    await work.run(_clear_all, ids=list(ids))
    await work.run(_discard, ids=list(ids))
