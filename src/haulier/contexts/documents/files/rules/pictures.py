"""What a picture says of itself: whether it is whole, and how many pixels whoever shows it will have to hold.

Only the container is read (PNG: W3C PNG 5; JPEG: ITU-T T.81, annex B; WebP: RFC 9649), nothing is decoded: a picture that
takes gigabytes to decode must not do so here. See docs/decisions/0011-files.md.
"""

import zlib
from collections.abc import Callable, Iterator
from struct import unpack_from
from typing import Literal

MAX_PIXELS = 50_000_000
"""The largest picture, in pixels: those of a telephone's camera, 200 MB where they are shown."""

DAMAGED = "picture_damaged"
TOO_LARGE = "picture_too_large"

_JPEG_SIZE_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE_MARKERS = frozenset((0x01, *range(0xD0, 0xD8)))
_JPEG_SCAN, _JPEG_END = 0xDA, b"\xff\xd9"

Size = tuple[int, int]


class _Damaged(Exception):
    """A container that breaks off, or contradicts itself."""


def picture_fault(media_type: str, content: bytes) -> str | None:
    """Why a picture is not taken: `DAMAGED` or `TOO_LARGE`; None for one that is, and for what is no picture."""
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
    for kind, body in _png_chunks(content):
        if size is None:
            _require(kind == b"IHDR" and len(body) == 13)
            size = unpack_from(">II", body)
        has_data = has_data or kind == b"IDAT"
        if kind == b"IEND":
            _require(has_data)
            return size
    raise _Damaged


def _png_chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
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
