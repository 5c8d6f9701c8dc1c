"""Foreign files of requests: read in a reader process, with errors that name the field and the limit."""

from typing import TypeVar

from haulier.kernel.application import Application
from haulier.kernel.file_reading import FileLimitReached, FileReader, ReaderStopped, ReadingJob, UnreadableFile
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.file_parts import find_foreign_files

Q = TypeVar("Q")
A = TypeVar("A")


async def read_foreign_file(app: Application, job: ReadingJob[Q, A], content: bytes, question: Q, *, field: str) -> A:
    """Read a file that came in a field of a request. Raises `UnreadableFile`, and `INVALID_REQUEST` for a limit."""
    try:
        return await app.adapter(FileReader).read(job, content, question)
    except FileLimitReached as reached:
        raise limit_error(field, reached) from None
    except ReaderStopped:
        raise INVALID_REQUEST.for_fields(FieldError(field, "field.file_reader_stopped")) from None


async def check_foreign_files(app: Application, request: Request) -> None:
    """Have a reader check the files within a request. Raises `INVALID_REQUEST` for a damaged one and for a limit."""
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
    """The error of a file that reached a limit; its code names the limit."""
    return INVALID_REQUEST.for_fields(FieldError(field, f"field.file_limit_{reached.limit}", {"most": reached.most}))
