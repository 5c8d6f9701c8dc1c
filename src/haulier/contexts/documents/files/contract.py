"""Requests and answers about files."""

from base64 import b64decode
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.documents.files.rules import (
    MAX_FILE_BYTES,
    MAX_FILE_NAME_LENGTH,
    MAX_PIXELS,
    PICTURE_TYPES,
    CheckedPicture,
    clean_picture,
    has_media_type_signature,
    picture_fault,
)
from haulier.kernel.file_reading import ReadingJob
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.file_parts import ForeignFile
from haulier.kernel.operations.ids import FileId

MAX_CONTENT_LENGTH = (MAX_FILE_BYTES + 2) // 3 * 4
FILE_BODY_LIMIT_BYTES = MAX_CONTENT_LENGTH + 65_536
"""Body limit of an operation with one file: the largest one in base64, and room for other fields."""
EXAMPLE_PNG_BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="

MediaType = Literal["image/png", "image/jpeg", "image/webp", "application/pdf"]
Base64Content = Annotated[
    str,
    Field(
        min_length=4,
        max_length=MAX_CONTENT_LENGTH,
        repr=False,
        exclude=True,
        examples=[EXAMPLE_PNG_BASE64],
        json_schema_extra={"contentEncoding": "base64"},
    ),
]


class FileUpload(ForeignFile):
    """A file to upload. Its content is not written into the audit trail.

    A picture is stored without its metadata (place, camera, comments); its orientation stays.
    """

    damaged_code: ClassVar[str] = "field.picture_damaged"

    content: Base64Content
    """The file in base64 (RFC 4648, section 4), without line breaks; at most 5 MiB before encoding."""
    media_type: MediaType
    """Media type. The content must match it; a picture must be complete and have at most 50 million pixels."""
    name: str | None = Field(
        default=None, min_length=1, max_length=MAX_FILE_NAME_LENGTH, pattern=r"^[^\x00]*$", examples=["front.png"]
    )
    """File name. Only the last part of a path is stored, without control characters."""

    @property
    def decoded(self) -> bytes:
        """Return the file as it was sent."""
        return b64decode(self.content, validate=True)

    @property
    def cleaned(self) -> bytes:
        """Return the file as it is stored: a picture without its metadata."""
        checked: CheckedPicture | None = self.checked
        return self.decoded if checked is None or checked.cleaned is None else checked.cleaned

    def reading(self) -> tuple[ReadingJob[Any, Any], bytes, Any] | None:
        """Pictures are checked and cleaned; a PDF is not opened."""
        return (clean_picture, self.decoded, self.media_type) if self.media_type in PICTURE_TYPES else None

    @model_validator(mode="after")
    def _is_what_it_says(self) -> Self:
        try:
            content = self.decoded
        except ValueError:
            raise PydanticCustomError("not_base64", "content is not base64") from None
        if len(content) > MAX_FILE_BYTES:
            raise PydanticCustomError("file_too_large", "the file is too large", {"most_bytes": MAX_FILE_BYTES})
        if not has_media_type_signature(self.media_type, content):
            raise PydanticCustomError("not_such_a_file", "not what media_type says", {"media_type": self.media_type})
        match picture_fault(self.media_type, content):
            case "picture_damaged":
                raise PydanticCustomError("picture_damaged", "the picture is damaged or breaks off")
            case "picture_too_large":
                raise PydanticCustomError("picture_too_large", "too many pixels", {"most_pixels": MAX_PIXELS})
            case _:
                return self


class PictureUpload(FileUpload):
    """Picture to upload. Other files are refused."""

    media_type: Literal["image/png", "image/jpeg", "image/webp"]  # pyright: ignore[reportIncompatibleVariableOverride]
    """Media type. The content must match it; a picture must be complete and have at most 50 million pixels."""


class GetFile(Request):
    """A file, and the form of the response."""

    file_id: FileId
    """ID of the file."""
    form: Literal["record", "content"] = "record"
    """`record` returns the file's data with the content in base64. The REST API also returns the raw content, for an
    `Accept` header with the file's media type, `image/*` or another accepted media type."""


class FileRecord(Answer):
    """Metadata of a file."""

    id: int
    media_type: Annotated[str, doc("Media type of the file.", "image/jpeg")]
    size_bytes: int
    sha256: Annotated[str, doc("SHA-256 digest of the file, hexadecimal.")]
    original_sha256: Annotated[
        str | None, doc("Digest of the original picture, if metadata were removed; else null.")
    ] = None
    name: Annotated[str | None, doc("The file name at upload.", "licence.jpg")]
    about: Annotated[str, doc("Record that the file is about.", "driver:12")]
    uploaded_by: Annotated[int | None, doc("User who uploaded it; null without an account.")]
    created_at: datetime


class FileWithContent(Answer):
    """One file with its content."""

    result: bool = True
    file: FileRecord
    media_type: Annotated[str, doc("Media type of the content.", "image/jpeg")]
    content: Annotated[str, doc("The file in base64.")]
