"""Pictures without what a camera says of itself: place, time, device and comments are left out, the orientation stays.

Only containers are rewritten (PNG: W3C PNG 3; JPEG: ITU-T T.81; WebP: RFC 9649): the dots stay as they are.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from struct import error, pack, unpack_from

from msgspec import Struct

from haulier.kernel.file_reading import (
    MEGABYTE,
    FileLimit,
    FileLimitReached,
    ReadingLimits,
    UnreadableFile,
    reading_job,
)
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
"""`unpacked_mb` is for what stands beside the dots of a PNG: texts and colour profiles."""


class CheckedPicture(Struct, frozen=True):
    """A picture without its metadata; None where it has none."""

    cleaned: bytes | None


@reading_job(question=str, answer=CheckedPicture, limits=PICTURE_LIMITS)
def clean_picture(content: bytes, media_type: str, limits: ReadingLimits) -> CheckedPicture:
    """Remove the metadata of a picture. Raises `FileLimitReached` for one that inflates, `UnreadableFile` for damage."""
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
    """The data of a PNG, inflated piece by piece up to what its header says, and thrown away."""

    def __init__(self) -> None:
        self._inflater, self._most, self._size = zlib.decompressobj(), 0, 0

    def begin(self, head: bytes) -> None:
        """Take the size of the picture. An interlaced one has up to seven more filter bytes a line."""
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
    """The place of the next marker after coded data."""
    found = _JPEG_MARKER.search(content, at)
    if found is None:
        raise ValueError("the picture breaks off")
    return found.start(1) - 1


def _jpeg_stays(marker: int, segment: bytes) -> bool:
    """Whether a segment is needed to show the dots: application data is left out, but for JFIF, colours and Adobe's."""
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
    """Return Exif data (TIFF 6.0) that hold the orientation alone; nothing where the camera was held upright."""
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
