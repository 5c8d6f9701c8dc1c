"""Files: open one."""

from base64 import b64encode
from typing import Any
from urllib.parse import quote

from haulier.contexts.documents.files import store
from haulier.contexts.documents.files.contract import FileRecord, OneFile, ReadFile
from haulier.contexts.documents.files.keeping import bytes_of
from haulier.contexts.documents.files.rules import FILE_AWAY, FILE_DAMAGED, MEDIA_TYPES, shown_name
from haulier.contexts.documents.files.sight import demand_sight
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import Fingerprint, GraphQL, Offer, Rest, Variants, reads

BARE = Variants(
    tuple(Offer(media_type, "content") for media_type in MEDIA_TYPES), field="form", bare="content", typed="media_type"
)


async def unchanging(call: Call, request: ReadFile) -> Fingerprint | None:
    """A file never changes; whether the caller may still see it is asked all the same."""
    return Fingerprint((await _seen(call, await store.one(call.work, request.file_id))).sha256)


@reads(
    "get_file",
    audience=SIGNED_IN,
    doors=(Rest("GET", "/v1/files/{file_id}", variants=BARE, tag="Documents"), GraphQL("file")),
    errors=(NOT_FOUND, FILE_AWAY, FILE_DAMAGED),
    fingerprint=unchanging,
)
async def get_file(call: Call, request: ReadFile) -> OneFile:
    """Open a file: its facts and its content in base64, or the bare content where the Accept header asks for it.

    People at a desk and whoever handed it in may, and those who may see the record it is about. The token needs the scope of
    that record: `drivers:read` for a file about a driver, `account:read` where nothing else is said.
    """
    row = await _seen(call, await store.whole(call.work, request.file_id))
    content = await bytes_of(call, row)
    call.fingerprint = Fingerprint(row.sha256)
    if request.form == "content":
        name = quote(shown_name(row.name, row.id, row.media_type))
        call.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{name}"
    return OneFile(file=_record(call, row), media_type=row.media_type, content=b64encode(content).decode())


async def _seen(call: Call, row: Any) -> Any:
    if row is None:
        raise NOT_FOUND()
    await demand_sight(call, row)
    return row


def _record(call: Call, row: Any) -> FileRecord:
    return FileRecord(
        id=row.id,
        media_type=row.media_type,
        size_bytes=row.size_bytes,
        sha256=row.sha256,
        name=row.name,
        about=f"{row.about_kind}:{row.about_id}",
        uploaded_by=row.uploaded_by,
        created_at=row.created_at.astimezone(call.time_zone),
    )
