"""Which files are taken, and what they are about."""

import re
import unicodedata
from collections.abc import Callable
from typing import Protocol

from haulier.contexts.documents.files.rules.pictures import picture_fault
from haulier.kernel.operations.errors import declare_error

FILE_NOT_TAKEN = declare_error("file_not_taken", 422, fields=("content",))
FILE_AWAY = declare_error("file_away", 503)
FILE_DAMAGED = declare_error("file_damaged", 500)

MAX_FILE_BYTES = 5 * 1024 * 1024
"""The largest file, in bytes: a photo of twelve megapixels has about four million."""
MAX_FILE_NAME_LENGTH = 200

_SUBJECT_PATTERN = re.compile(r"([a-z][a-z_]{0,39}):([1-9][0-9]{0,15})")

MEDIA_TYPES: dict[str, Callable[[bytes], bool]] = {
    "image/png": lambda content: content.startswith(b"\x89PNG\r\n\x1a\n"),
    "image/jpeg": lambda content: content.startswith(b"\xff\xd8\xff"),
    "image/webp": lambda content: content[:4] == b"RIFF" and content[8:12] == b"WEBP",
    "application/pdf": lambda content: content.startswith(b"%PDF-"),
}
"""The media types that are taken, and how such a file begins (PNG 5.2, JPEG B.1.1.3, WebP container, ISO 32000 7.5.2)."""

_UNSEEN = frozenset(("Cc", "Cs", "Zl", "Zp"))
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

PDF_TYPE = "application/pdf"
JSON_TYPE = "application/json"
"""Of documents that the application makes; nobody uploads them."""
BINARY_TYPE = "application/octet-stream"
"""Of files that machines read, such as firmware; each has a name."""
FILE_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "application/pdf": ".pdf"}


def has_media_type_signature(media_type: str, content: bytes) -> bool:
    """Whether a file begins as one of this media type must. False for a type that is not taken."""
    return media_type in MEDIA_TYPES and MEDIA_TYPES[media_type](content)


def require_accepted_file(media_type: str, content: bytes) -> None:
    """Check that a file has its stated type and is neither empty nor too large, and a picture whole and not too large.

    Raises `FILE_NOT_TAKEN`.
    """
    fits = 0 < len(content) <= MAX_FILE_BYTES and has_media_type_signature(media_type, content)
    if not fits or picture_fault(media_type, content):
        raise FILE_NOT_TAKEN(media_type=media_type[:60], most_bytes=MAX_FILE_BYTES)


def parse_file_subject(about: str) -> tuple[str, int]:
    """The kind and the id in `stop:77`. Raises `ValueError` for anything else."""
    match = _SUBJECT_PATTERN.fullmatch(about)
    if match is None:
        raise ValueError(f"a file is about kind:id, not {about!r}")
    return match[1], int(match[2])


def kept_file_name(name: str | None) -> str | None:
    """The name that is kept of an uploaded file: the last part of a path, in one line, as it reads; None when nothing is left.

    Control characters, line breaks and signs that turn the direction of writing (Unicode UAX 9) are taken out.
    """
    last = re.split(r"[/\\]", name or "")[-1]
    plain = "".join(sign for sign in last if unicodedata.category(sign) not in _UNSEEN and sign not in _TURNING)
    return plain.strip(" .") or None


def download_file_name(name: str | None, file_id: int, media_type: str) -> str:
    """The name under which a file is saved: the kept one, without quotes."""
    plain = (kept_file_name(name) or "").replace('"', "_")
    return plain or f"file-{file_id}{FILE_SUFFIXES[media_type]}"


class StoredFile(Protocol):
    """The facts that make a file's key in the object store."""

    @property
    def id(self) -> int: ...

    @property
    def client_id(self) -> int: ...

    @property
    def sha256(self) -> str: ...


def storage_key(row: StoredFile) -> str:
    """The key of a file in the object store. It names the bytes, so storing them twice changes nothing."""
    return f"{row.client_id}/{row.id}/{row.sha256}"
