"""Embedding of JPEG (ITU-T T.81) and PNG pictures in a PDF without decoding them."""

import zlib
from dataclasses import dataclass
from struct import unpack_from

_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SPACES = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}
_ORIENTATION = 0x0112
_UPRIGHT = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_TURNS = {
    2: (-1.0, 0.0, 0.0, 1.0, 1.0, 0.0),
    3: (-1.0, 0.0, 0.0, -1.0, 1.0, 1.0),
    4: (1.0, 0.0, 0.0, -1.0, 0.0, 1.0),
    5: (0.0, -1.0, -1.0, 0.0, 1.0, 1.0),
    6: (0.0, -1.0, 1.0, 0.0, 0.0, 1.0),
    7: (0.0, 1.0, 1.0, 0.0, 0.0, 0.0),
    8: (0.0, 1.0, -1.0, 0.0, 1.0, 0.0),
}
"""Matrices that turn the unit square upright, by Exif orientation (tag 274)."""
_GREY, _RGB, _PALETTE, _GREY_ALPHA, _RGB_ALPHA = 0, 2, 3, 4, 6
_CHANNELS = {_GREY: 1, _RGB: 3, _PALETTE: 1, _GREY_ALPHA: 2, _RGB_ALPHA: 4}
MAX_ALPHA_BYTES = 4_000_000
"""PNG pictures with transparency are decoded here byte by byte. Larger ones are skipped."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for a PDF: size in pixels, stream entries, content and matrix."""

    width: int
    height: int
    entries: str
    content: bytes
    turn: tuple[float, ...] = _UPRIGHT

    @property
    def shown_size(self) -> tuple[int, int]:
        """Width and height after rotation."""
        return (self.height, self.width) if self.turn[0] == 0 else (self.width, self.height)


def read_picture(content: bytes, media_type: str) -> Image | None:
    """Return the picture, or None if it cannot be embedded.

    Unsupported are WebP, interlaced or large transparent PNG, and damaged files.
    """
    try:
        return {"image/jpeg": _jpeg, "image/png": _png}[media_type](content)
    except (KeyError, IndexError, ValueError, zlib.error, ArithmeticError):
        return None
    except Exception as fault:
        if type(fault).__name__ == "error":  # struct.error: the file is truncated
            return None
        raise


def _jpeg(content: bytes) -> Image | None:
    at, turn = 2, _UPRIGHT
    while content[at] == 0xFF:
        marker, length = content[at + 1], unpack_from(">H", content, at + 2)[0]
        if marker == 0xE1 and content[at + 4 : at + 10] == b"Exif\0\0":
            turn = _TURNS.get(read_orientation(content[at + 10 : at + 2 + length]), _UPRIGHT)
        if marker in _SIZES:
            depth, height, width, channels = unpack_from(">BHHB", content, at + 4)
            # Adobe stores CMYK inverted, and only such files have four channels.
            inverted = " /Decode [1 0 1 0 1 0 1 0]" if channels == 4 else ""
            entries = f"/ColorSpace {_SPACES[channels]} /BitsPerComponent {depth}{inverted} /Filter /DCTDecode"
            return Image(width, height, entries, content, turn)
        at += 2 + length
    return None


def read_orientation(exif: bytes) -> int:
    """Return the Exif orientation (tag 274), 1 if missing.

    Raises `struct.error` for damaged data.
    """
    order = "<" if exif[:2] == b"II" else ">"
    at = unpack_from(f"{order}I", exif, 4)[0]
    for index in range(unpack_from(f"{order}H", exif, at)[0]):
        tag, _, _, value = unpack_from(f"{order}HHIH", exif, at + 2 + 12 * index)
        if tag == _ORIENTATION:
            return value
    return 1


def _png(content: bytes) -> Image | None:
    chunks = list(_chunks(content))
    width, height, depth, kind, _, _, interlaced = unpack_from(">IIBBBBB", chunks[0][1])
    data = b"".join(body for name, body in chunks if name == b"IDAT")
    if interlaced:
        return None
    if kind in (_GREY_ALPHA, _RGB_ALPHA):
        return _without_alpha(width, height, depth, _CHANNELS[kind], data)
    space = _SPACES[_CHANNELS[kind]]
    if kind == _PALETTE:
        palette = next(body for name, body in chunks if name == b"PLTE")
        space = f"[/Indexed /DeviceRGB {len(palette) // 3 - 1} <{palette.hex()}>]"
    return Image(width, height, _flate(space, depth, _CHANNELS[kind], width), data)


def _flate(space: str, depth: int, channels: int, width: int) -> str:
    predictor = f"/Predictor 15 /Colors {channels} /BitsPerComponent {depth} /Columns {width}"
    return f"/ColorSpace {space} /BitsPerComponent {depth} /Filter /FlateDecode /DecodeParms << {predictor} >>"


def _chunks(content: bytes) -> list[tuple[bytes, bytes]]:
    chunks: list[tuple[bytes, bytes]] = []
    at = 8
    while at + 12 <= len(content):
        (length,) = unpack_from(">I", content, at)
        chunks.append((content[at + 4 : at + 8], content[at + 8 : at + 8 + length]))
        at += 12 + length
    return chunks


def _without_alpha(width: int, height: int, depth: int, channels: int, data: bytes) -> Image | None:
    """Blend a transparent PNG with white.

    PDF would need a separate picture for the transparency.
    """
    stride = width * channels
    if depth != 8 or stride * height > MAX_ALPHA_BYTES:
        return None
    lines = _unfiltered(zlib.decompress(data), stride, height, channels)
    shown = bytearray()
    for line in lines:
        alpha = line[channels - 1 :: channels]
        flat = bytearray(width * (channels - 1))
        for channel in range(channels - 1):
            values = zip(line[channel::channels], alpha, strict=True)
            flat[channel :: channels - 1] = bytes((value * a + 255 * (255 - a)) // 255 for value, a in values)
        shown += flat
    space = _SPACES[channels - 1]
    return Image(width, height, f"/ColorSpace {space} /BitsPerComponent 8 /Filter /FlateDecode", zlib.compress(shown))


def _unfiltered(data: bytes, stride: int, height: int, channels: int) -> list[bytes]:
    """Return the lines of a PNG without their filters (W3C PNG 5, 9.2)."""
    before, lines = bytes(stride), list[bytes]()
    for row in range(height):
        at = row * (stride + 1)
        before = _unfilter(data[at], bytearray(data[at + 1 : at + 1 + stride]), before, channels)
        lines.append(before)
    return lines


def _unfilter(kind: int, line: bytearray, above: bytes, channels: int) -> bytes:
    for index, value in enumerate(line) if kind else ():
        left = line[index - channels] if index >= channels else 0
        corner = above[index - channels] if index >= channels else 0
        line[index] = (value + _predicted(kind, left, above[index], corner)) & 255
    return bytes(line)


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    if kind < 4:
        return (0, left, up, (left + up) // 2)[kind]
    guess = left + up - corner
    return min((left, up, corner), key=lambda side: abs(guess - side))
