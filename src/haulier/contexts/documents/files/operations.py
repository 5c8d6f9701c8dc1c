"""Operations on files."""

from base64 import b64encode
from typing import TypeVar
from urllib.parse import quote

from haulier.contexts.documents.files import store
from haulier.contexts.documents.files.contract import FileRecord, FileWithContent, GetFile
from haulier.contexts.documents.files.queries import load_file_bytes, require_file_access
from haulier.contexts.documents.files.rules import FILE_AWAY, FILE_DAMAGED, MEDIA_TYPES, download_file_name
from haulier.contexts.documents.files.store import FileRow
from haulier.kernel.call import Call
from haulier.kernel.operations.caching import Fingerprint, Http
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import SIGNED_IN
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record

OpenableFile = TypeVar("OpenableFile", bound=store.FileRow)
FILE_REPRESENTATIONS = Representations(
    tuple(Representation(media_type, "content") for media_type in MEDIA_TYPES),
    field="form",
    data_field="content",
    media_type_field="media_type",
)


async def file_fingerprint(call: Call, request: GetFile) -> Fingerprint | None:
    """Return the digest of the file.

    A file never changes, but access is checked each time.
    """
    return Fingerprint((await _require_openable_file(call, await FileRow.get(call.work, request.file_id))).sha256)


@reads(
    "get_file",
    audience=SIGNED_IN,
    interfaces=(Rest("GET", "/v1/files/{file_id}", representations=FILE_REPRESENTATIONS), GraphQL("file")),
    errors=(NOT_FOUND, FILE_AWAY, FILE_DAMAGED),
    http=Http(fingerprint=file_fingerprint),
)
async def get_file(call: Call, request: GetFile) -> FileWithContent:
    """Open a file.

    Returns its metadata and its content in base64, or the bare content if the Accept header requests it. Allowed for
    staff, the uploader, and those who may see its record. The token needs the scope of that record: `drivers:read` for
    a file about a driver, `account:read` by default.
    """
    row = await _require_openable_file(call, await store.get_file_row_with_content(call.work, request.file_id))
    content = await load_file_bytes(call, row)
    call.fingerprint = Fingerprint(row.sha256)
    if request.form == "content":
        name = quote(download_file_name(row.name, row.id, row.media_type))
        call.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{name}"
    return FileWithContent(file=_file_record(call, row), media_type=row.media_type, content=b64encode(content).decode())


async def _require_openable_file(call: Call, row: OpenableFile | None) -> OpenableFile:
    if row is None:
        raise NOT_FOUND()
    await require_file_access(call, row)
    return row


def _file_record(call: Call, row: store.FileRow) -> FileRecord:
    return record(
        FileRecord,
        row,
        about=f"{row.about_kind}:{row.about_id}",
        created_at=call.local_time(row.created_at),
    )
