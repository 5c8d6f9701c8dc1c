"""Requests that contain a table as text or in base64."""

import re
from base64 import b64decode
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.file_parts import FileInput
from haulier.kernel.values.text_encodings import AUTO, find_codec

ENCODING_MAX = 30
UTF8 = "utf-8"
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+={0,2}\s*")
_MARKS = (b"PK\x03\x04", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def _require_encoding(name: str) -> str:
    if name != AUTO and find_codec(name) is None:
        raise PydanticCustomError("encoding_unsupported", "unsupported encoding", {"encoding": name})
    return name


Encoding = Annotated[
    str, Field(min_length=1, max_length=ENCODING_MAX, examples=["windows-1252"]), AfterValidator(_require_encoding)
]
"""IANA name of a character encoding, or `auto`."""


class UnpackedFile(NamedTuple):
    """The bytes of an uploaded file, and the known encoding of its text."""

    content: bytes
    encoding: str | None


class TableUpload(FileInput):
    """A table in `file_field`; a subclass declares that field and `format`."""

    encoding: Encoding | None = None
    """The character encoding of a CSV file, such as `windows-1252`, `gbk` or `utf-8`. By default it is detected. Ignored for
    a file sent as text."""

    def unpack(self) -> UnpackedFile:
        """Return the file, which is sent in base64 or as text.

        Raises `ValueError` for a workbook that is not base64.
        """
        text: str = getattr(self, self.file_field)
        if (content := unpack_base64(text)) is not None:
            return UnpackedFile(content, self.encoding)
        if getattr(self, "format", None) == "xlsx":
            raise ValueError("a workbook is sent in base64")
        return UnpackedFile(text.encode(), UTF8)


def unpack_base64(text: str) -> bytes | None:
    """Return the bytes of a file in base64, or None for a file sent as text.

    Multi-line text that happens to be valid base64, such as a table with one column, counts as base64 only if its
    bytes are a known kind of file.
    """
    if not _BASE64.fullmatch(text):
        return None
    lines = text.split()
    try:
        content = b64decode("".join(lines), validate=True)
    except ValueError:
        return None
    one_line = len(lines) == 1
    return content if one_line or content.startswith(_MARKS) or not _CONTROL.search(content) else None
