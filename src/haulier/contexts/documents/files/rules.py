"""Rules of files.

Only containers are rewritten (PNG: W3C PNG 3; JPEG: ITU-T T.81; WebP: RFC 9649): pixels are unchanged.

Only the container is read (PNG: W3C PNG 5; JPEG: ITU-T T.81, annex B; WebP: RFC 9649), nothing is decoded: a picture
that takes gigabytes to decode must not do so here. See docs/decisions/files.md.
"""

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator
from struct import error, pack, unpack_from
from typing import Literal, Protocol

from msgspec import Struct

from haulier.kernel.file_reading import (
    MEGABYTE,
    FileLimit,
    FileLimitReached,
    ReadingLimits,
    UnreadableFile,
    reading_job,
)
from haulier.kernel.operations.errors import declare_error
from haulier.rendering.pictures import read_orientation

_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_COMPRESSED = {b"zTXt": b"\0", b"iCCP": b"\0", b"iTXt": b"\0"}
_PNG_STAYS = frozenset(
    (b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"bKGD", b"pHYs")
)
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_WEBP_STAYS = frozenset((b"VP8 ", b"VP8L", b"ALPH", b"ICCP", b"ANIM", b"ANMF", b"VP8X"))
_WEBP_EXIF, _WEBP_XMP = 0x08, 0x04
_JPEG_MARKER = re.compile(rb"\xff+([^\x00\xd0-\xd7\xff])")
_SOS, _EOI, _COMMENT = 0xDA, 0xD9, 0xFE
_EXIF = b"Exif\0\0"
PICTURE_LIMITS = ReadingLimits(memory_mb=256, seconds=10, unpacked_mb=4)
"""Limits of pictures. `unpacked_mb` is for PNG texts and colour profiles."""


class CheckedPicture(Struct, frozen=True):
    """A picture without its metadata; None where it has none."""

    cleaned: bytes | None


@reading_job(question=str, answer=CheckedPicture, limits=PICTURE_LIMITS)
def clean_picture(content: bytes, media_type: str, limits: ReadingLimits) -> CheckedPicture:
    """Remove the metadata of a picture.

    Raises `FileLimitReached` for one that inflates, `UnreadableFile` for damage.
    """
    try:
        cleaned = _CLEANERS[media_type](content, limits)
    except (error, IndexError, KeyError, ValueError, zlib.error) as fault:
        raise UnreadableFile("field.picture_damaged") from fault
    return CheckedPicture(None if cleaned == content else cleaned)


def _clean_png(content: bytes, limits: ReadingLimits) -> bytes:
    kept = [_PNG_START]
    room = limits.unpacked_mb * MEGABYTE
    data = _BoundedData()
    for kind, body in _png_chunks(content):
        if kind == b"IHDR":
            data.begin(body)
        elif kind == b"IDAT":
            data.feed(body)
        elif kind in _PNG_COMPRESSED:
            room -= _inflated_size(kind, body, room, limits.unpacked_mb)
        if kind in _PNG_STAYS or kind == b"iCCP":
            kept.append(_png_chunk(kind, body))
        elif kind == b"eXIf" and (small := _orientation_only(body)):
            kept.append(_png_chunk(kind, small))
    return b"".join(kept)


class _BoundedData:
    """PNG data, inflated piece by piece up to the header's size, and discarded."""

    def __init__(self) -> None:
        self._inflater, self._most, self._size = zlib.decompressobj(), 0, 0

    def begin(self, head: bytes) -> None:
        """Start with the size of the picture.

        An interlaced one has up to seven more filter bytes a line.
        """
        width, height, depth, colour = unpack_from(">IIBB", head)
        self._most = height * 8 + height * ((width * depth * _PNG_CHANNELS[colour] + 7) // 8 + 8)

    def feed(self, body: bytes) -> None:
        """Inflate a piece. Raises `FileLimitReached`."""
        while body and not self._inflater.eof:
            self._size += len(self._inflater.decompress(body, MEGABYTE))
            body = self._inflater.unconsumed_tail
            if self._size > self._most:
                raise FileLimitReached(FileLimit.UNPACKED, self._most // MEGABYTE + 1)


def _inflated_size(kind: bytes, body: bytes, room: int, most_mb: int) -> int:
    """Return the size of a compressed text or profile. Raises `FileLimitReached`."""
    _, _, rest = body.partition(b"\0")
    if kind == b"iTXt":
        if rest[:1] != b"\1":
            return 0
        rest = rest[2:].split(b"\0", 2)[-1]
    else:
        rest = rest[1:]
    inflater = zlib.decompressobj()
    try:
        size = len(inflater.decompress(rest, room + 1))
    except zlib.error:
        return 0
    if size > room:
        raise FileLimitReached(FileLimit.UNPACKED, most_mb)
    return size


def _png_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at, kind = 8, b""
    while kind != b"IEND":
        length, kind = unpack_from(">I4s", content, at)
        yield kind, content[at + 8 : at + 8 + length]
        at += 12 + length


def _png_chunk(kind: bytes, body: bytes) -> bytes:
    return pack(">I", len(body)) + kind + body + pack(">I", zlib.crc32(kind + body))


def _clean_jpeg(content: bytes, limits: ReadingLimits) -> bytes:
    kept, at, orientation = [content[:2]], 2, b""
    while True:
        while content[at + 1] == 0xFF:
            at += 1
        marker, length = unpack_from(">BH", content, at + 1)
        segment = content[at : at + 2 + length]
        at += 2 + length
        if marker == 0xE1 and segment[4:10] == _EXIF:
            orientation = orientation or _orientation_only(segment[10:])
        elif _jpeg_stays(marker, segment):
            kept.append(segment)
        if marker == _SOS:
            end = _scan_end(content, at)
            kept.append(content[at:end])
            at = end
            if content[at + 1] == _EOI:
                break
    if orientation:
        exif = _EXIF + orientation
        place = 2 if kept[1:] and kept[1][:2] == b"\xff\xe0" else 1
        kept.insert(place, b"\xff\xe1" + pack(">H", 2 + len(exif)) + exif)
    return b"".join([*kept, b"\xff\xd9"])


def _scan_end(content: bytes, at: int) -> int:
    """Return the position of the next marker after coded data."""
    found = _JPEG_MARKER.search(content, at)
    if found is None:
        raise ValueError("the picture breaks off")
    return found.start(1) - 1


def _jpeg_stays(marker: int, segment: bytes) -> bool:
    """Return True if a JPEG segment is needed for display.

    Application data is dropped, except JFIF, colours and Adobe's.
    """
    if marker == _COMMENT:
        return False
    if not 0xE0 <= marker <= 0xEF:
        return True
    name = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}.get(marker)
    return name is not None and segment[4:].startswith(name)


def _clean_webp(content: bytes, limits: ReadingLimits) -> bytes:
    chunks = list(_webp_chunks(content))
    exif = next((body for kind, body in chunks if kind == b"EXIF"), b"")
    small = _orientation_only(exif.removeprefix(_EXIF)) if exif else b""
    kept = [(kind, _without_flags(body, has_exif=bool(small)) if kind == b"VP8X" else body) for kind, body in chunks]
    kept = [(kind, body) for kind, body in kept if kind in _WEBP_STAYS]
    if small:
        kept.append((b"EXIF", small))
    body = b"WEBP" + b"".join(_riff_chunks(kept))
    return b"RIFF" + pack("<I", len(body)) + body


def _webp_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    end, at = min(8 + unpack_from("<I", content, 4)[0], len(content)), 12
    while at + 8 <= end:
        kind, length = unpack_from("<4sI", content, at)
        yield kind, content[at + 8 : at + 8 + length]
        at += 8 + length + length % 2


def _riff_chunks(chunks: Iterable[tuple[bytes, bytes]]) -> Iterator[bytes]:
    for kind, body in chunks:
        yield kind + pack("<I", len(body)) + body + bytes(len(body) % 2)


def _without_flags(head: bytes, *, has_exif: bool) -> bytes:
    flags = head[0] & ~(_WEBP_EXIF | _WEBP_XMP) | (_WEBP_EXIF if has_exif else 0)
    return bytes([flags]) + head[1:]


def _orientation_only(exif: bytes) -> bytes:
    """Return Exif data (TIFF 6.0) with the orientation only; empty if upright."""
    try:
        orientation = read_orientation(exif)
    except (error, IndexError):
        return b""
    if not 2 <= orientation <= 8:
        return b""
    return b"MM\0*" + pack(">IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


_CLEANERS: dict[str, Callable[[bytes, ReadingLimits], bytes]] = {
    "image/png": _clean_png,
    "image/jpeg": _clean_jpeg,
    "image/webp": _clean_webp,
}
PICTURE_TYPES = frozenset(_CLEANERS)


MAX_PIXELS = 50_000_000
"""Maximum pixels of a picture: a phone camera's, 200 MB on display."""

DAMAGED = "picture_damaged"
TOO_LARGE = "picture_too_large"

_JPEG_SIZE_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE_MARKERS = frozenset((0x01, *range(0xD0, 0xD8)))
_JPEG_SCAN, _JPEG_END = 0xDA, b"\xff\xd9"

Size = tuple[int, int]


class _Damaged(Exception):
    """A container that breaks off, or contradicts itself."""


def picture_fault(media_type: str, content: bytes) -> str | None:
    """Return `DAMAGED` or `TOO_LARGE` for a rejected picture, or None.

    None also for files that are no pictures.
    """
    if media_type not in _SIZES:
        return None
    try:
        width, height = _SIZES[media_type](content)
    except (_Damaged, IndexError, ValueError):
        return DAMAGED
    if not width or not height:
        return DAMAGED
    return TOO_LARGE if width * height > MAX_PIXELS else None


def _png_size(content: bytes) -> Size:
    size, has_data = None, False
    for kind, body in _checked_png_chunks(content):
        if size is None:
            _require(kind == b"IHDR" and len(body) == 13)
            size = unpack_from(">II", body)
        has_data = has_data or kind == b"IDAT"
        if kind == b"IEND":
            _require(has_data)
            return size
    raise _Damaged


def _checked_png_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 12 <= len(content):
        length = _number(content, at, 4, "big")
        end = at + 8 + length
        _require(zlib.crc32(content[at + 4 : end]) == _number(content, end, 4, "big"))
        yield content[at + 4 : at + 8], content[at + 8 : end]
        at = end + 4


def _jpeg_size(content: bytes) -> Size:
    size, at = None, 2
    while True:
        _require(content[at] == 0xFF)
        while content[at] == 0xFF:
            at += 1
        marker = content[at]
        at += 1
        if marker in _JPEG_BARE_MARKERS:
            continue
        if marker in _JPEG_SIZE_MARKERS:
            size = _number(content, at + 5, 2, "big"), _number(content, at + 3, 2, "big")
        length = _number(content, at, 2, "big")
        _require(length >= 2)
        at += length
        if marker == _JPEG_SCAN:
            _require(size is not None and _JPEG_END in content[at:])
            return size or (0, 0)


def _webp_size(content: bytes) -> Size:
    end = 8 + _number(content, 4, 4, "little")
    _require(end <= len(content))
    canvas, picture, at = None, None, 12
    while at + 8 <= end:
        kind, length, body = content[at : at + 4], _number(content, at + 4, 4, "little"), at + 8
        _require(body + length <= end)
        if kind == b"VP8X":
            canvas = _number(content, body + 4, 3, "little") + 1, _number(content, body + 7, 3, "little") + 1
        elif kind in _WEBP_SIZES and picture is None:
            picture = _WEBP_SIZES[kind](content, body)
        at = body + length + length % 2
    if picture is None:
        raise _Damaged
    return max(canvas or picture, picture, key=lambda size: size[0] * size[1])


def _lossy_size(content: bytes, at: int) -> Size:
    _require(content[at + 3 : at + 6] == b"\x9d\x01\x2a")
    return _number(content, at + 6, 2, "little") & 0x3FFF, _number(content, at + 8, 2, "little") & 0x3FFF


def _lossless_size(content: bytes, at: int) -> Size:
    _require(content[at] == 0x2F)
    bits = _number(content, at + 1, 4, "little")
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


def _animated_size(content: bytes, at: int) -> Size:
    return _number(content, at + 6, 3, "little") + 1, _number(content, at + 9, 3, "little") + 1


_WEBP_SIZES: dict[bytes, Callable[[bytes, int], Size]] = {
    b"VP8 ": _lossy_size,
    b"VP8L": _lossless_size,
    b"ANMF": _animated_size,
}
_SIZES: dict[str, Callable[[bytes], Size]] = {
    "image/png": _png_size,
    "image/jpeg": _jpeg_size,
    "image/webp": _webp_size,
}


def _number(content: bytes, at: int, length: int, order: Literal["big", "little"]) -> int:
    part = content[at : at + length]
    _require(len(part) == length)
    return int.from_bytes(part, order)


def _require(holds: bool) -> None:
    if not holds:
        raise _Damaged


FILE_NOT_TAKEN = declare_error("file_not_taken", 422, fields=("content",))
FILE_AWAY = declare_error("file_away", 503)
FILE_DAMAGED = declare_error("file_damaged", 500)

MAX_FILE_BYTES = 5 * 1024 * 1024
"""Maximum size of a file in bytes: a photo of twelve megapixels has about four million."""
MAX_FILE_NAME_LENGTH = 200

_SUBJECT_PATTERN = re.compile(r"([a-z][a-z_]{0,39}):([1-9][0-9]{0,15})")

MEDIA_TYPES: dict[str, Callable[[bytes], bool]] = {
    "image/png": lambda content: content.startswith(b"\x89PNG\r\n\x1a\n"),
    "image/jpeg": lambda content: content.startswith(b"\xff\xd8\xff"),
    "image/webp": lambda content: content[:4] == b"RIFF" and content[8:12] == b"WEBP",
    "application/pdf": lambda content: content.startswith(b"%PDF-"),
}
"""Accepted media types with their signatures (PNG 5.2, JPEG B.1.1.3, WebP container, ISO 32000 7.5.2)."""

_UNSEEN = frozenset(("Cc", "Cs", "Zl", "Zp"))
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

PDF_TYPE = "application/pdf"
JSON_TYPE = "application/json"
"""Media type of documents of the application; it cannot be uploaded."""
BINARY_TYPE = "application/octet-stream"
"""Media type of machine-readable files such as firmware; each has a name."""
FILE_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "application/pdf": ".pdf"}


def has_media_type_signature(media_type: str, content: bytes) -> bool:
    """Return True if a file has the signature of an accepted media type."""
    return media_type in MEDIA_TYPES and MEDIA_TYPES[media_type](content)


def require_accepted_file(media_type: str, content: bytes) -> None:
    """Require that a file matches its type, is not empty or too large, and is whole.

    Raises `FILE_NOT_TAKEN`.
    """
    fits = 0 < len(content) <= MAX_FILE_BYTES and has_media_type_signature(media_type, content)
    if not fits or picture_fault(media_type, content):
        raise FILE_NOT_TAKEN(media_type=media_type[:60], most_bytes=MAX_FILE_BYTES)


def parse_file_subject(about: str) -> tuple[str, int]:
    """Return the kind and the id in `stop:77`. Raises `ValueError` for anything else."""
    match = _SUBJECT_PATTERN.fullmatch(about)
    if match is None:
        raise ValueError(f"a file is about kind:id, not {about!r}")
    return match[1], int(match[2])


def stored_file_name(name: str | None) -> str | None:
    """Return the stored name of an uploaded file, or None if nothing is left.

    The last part of a path, in one line. Control characters, line breaks and signs that change the direction of writing
    (Unicode UAX 9) are removed.
    """
    last = re.split(r"[/\\]", name or "")[-1]
    plain = "".join(sign for sign in last if unicodedata.category(sign) not in _UNSEEN and sign not in _TURNING)
    return plain.strip(" .") or None


def download_file_name(name: str | None, file_id: int, media_type: str) -> str:
    """Return the download name of a file: the stored one, without quotes."""
    plain = (stored_file_name(name) or "").replace('"', "_")
    return plain or f"file-{file_id}{FILE_SUFFIXES[media_type]}"


class StoredFile(Protocol):
    """Fields that make a file's key in the object store."""

    @property
    def id(self) -> int: ...

    @property
    def client_id(self) -> int: ...

    @property
    def sha256(self) -> str: ...


def storage_key(row: StoredFile) -> str:
    """Return the object store key of a file.

    It names the bytes, so repeats change nothing.
    """
    return f"{row.client_id}/{row.id}/{row.sha256}"
