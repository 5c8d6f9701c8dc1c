"""Foreign files of requests: read in a reader process, with errors that name the field and the limit."""

from typing import TypeVar

from haulier.kernel.application import Application
from haulier.kernel.file_reading import FileLimitReached, FileReader, ReaderStopped, ReadingJob
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError

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


def limit_error(field: str, reached: FileLimitReached) -> OperationError:
    """The error of a file that reached a limit; its code names the limit."""
    return INVALID_REQUEST.for_fields(FieldError(field, f"field.file_limit_{reached.limit}", {"most": reached.most}))
