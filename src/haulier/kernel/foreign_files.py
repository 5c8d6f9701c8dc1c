"""Foreign files in requests, read in a child process."""

import asyncio
from typing import TypeVar

from babel.core import get_global
from babel.languages import get_official_languages

from haulier.kernel.application import Application
from haulier.kernel.file_reading import FileLimitReached, FileReader, ReaderStopped, ReadingJob, UnreadableFile
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.file_parts import find_foreign_files
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.table_uploads import TableUpload, UnpackedFile
from haulier.kernel.values.text_encodings import ENCODING_FAULTS, TextHints

Q = TypeVar("Q")
A = TypeVar("A")


async def read_foreign_file(app: Application, job: ReadingJob[Q, A], content: bytes, question: Q, *, field: str) -> A:
    """Read a file from a field of a request.

    Raises `UnreadableFile`, and `INVALID_REQUEST` for an exceeded limit or an unexpected encoding.
    """
    try:
        return await app.adapter(FileReader).read(job, content, question)
    except FileLimitReached as reached:
        raise limit_error(field, reached) from None
    except UnreadableFile as fault:
        if fault.code in ENCODING_FAULTS:
            raise INVALID_REQUEST.for_fields(FieldError(field, fault.code)) from None
        raise
    except ReaderStopped:
        raise INVALID_REQUEST.for_fields(FieldError(field, "field.file_reader_stopped")) from None


async def unpack_upload(upload: TableUpload) -> UnpackedFile:
    """Return the bytes of an uploaded table.

    Raises `INVALID_REQUEST` for a workbook that is not in base64.
    """
    try:
        return await asyncio.to_thread(upload.unpack)
    except ValueError:
        raise INVALID_REQUEST.for_fields(FieldError(upload.file_field, "field.not_base64")) from None


def text_hints(context: RequestContext, encoding: str | None = None, *, country: str | None = None) -> TextHints:
    """Return decoding hints for a file.

    Without a named encoding, the languages of the business, its rows and the caller decide.
    """
    business = context.principal.business
    home = get_global("zone_territories").get(business.time_zone) if business else None
    spoken = [name for code in (home, country) if code for name in get_official_languages(code, de_facto=True)]
    return TextHints(encoding, tuple(dict.fromkeys(name.replace("_", "-") for name in (*spoken, context.language))))


async def check_foreign_files(app: Application, request: Request) -> None:
    """Check the files in a request with a reader.

    Raises `INVALID_REQUEST` if one is damaged or exceeds a limit.
    """
    for path, file in find_foreign_files(request):
        reading = file.reading()
        if reading is None or file.checked is not None:
            continue
        job, content, question = reading
        field = f"{path}{file.file_field}"
        try:
            file.set_checked(await read_foreign_file(app, job, content, question, field=field))
        except UnreadableFile as fault:
            raise INVALID_REQUEST.for_fields(FieldError(field, fault.code or file.damaged_code)) from None


def limit_error(field: str, reached: FileLimitReached) -> OperationError:
    """Return the error for an exceeded file limit; its code names the limit."""
    return INVALID_REQUEST.for_fields(FieldError(field, f"field.file_limit_{reached.limit}", {"most": reached.most}))
