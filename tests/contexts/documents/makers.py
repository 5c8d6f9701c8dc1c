"""Small makers: files of each kind that is taken, and fake object stores."""

import struct
import zlib
from base64 import b64encode
from typing import Any


def make_png(width: int = 1, height: int = 1) -> bytes:
    """Return a PNG with the given dimensions in its header."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b""))
    parts = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def make_jpeg(width: int = 1, height: int = 1) -> bytes:
    """Return a JPEG with the given dimensions, and a preview as written by phones."""
    preview = b"\xff\xe1" + struct.pack(">H", 6) + b"\xff\xd8\xff\xd9"
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    return b"\xff\xd8" + preview + frame + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + b"photo" * 20 + b"\xff\xd9"


def make_webp(width: int = 1, height: int = 1) -> bytes:
    """Return a lossy WebP with the given dimensions in its header."""
    body = b"\x10\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height) + b"photo" * 20
    chunk = b"VP8 " + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def make_lossless_webp(width: int = 1, height: int = 1) -> bytes:
    """Return a lossless WebP with the given dimensions in its header."""
    body = b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"picture"
    chunk = b"VP8L" + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def make_extended_webp(width: int = 1, height: int = 1) -> bytes:
    """Return a WebP with a canvas of the given dimensions and a small picture."""
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunks = b"VP8X" + struct.pack("<I", 10) + b"\0\0\0\0" + size + make_webp()[12:]
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


PNG, JPEG, WEBP = make_png(), make_jpeg(), make_webp()
PDF = b"%PDF-1.7\n" + b"paper" * 20
BY_TYPE = {"image/png": PNG, "image/jpeg": JPEG, "image/webp": WEBP, "application/pdf": PDF}


def make_file(content: bytes = JPEG, media_type: str = "image/jpeg", **words: Any) -> dict[str, Any]:
    """A file as a request carries it."""
    return {"content": b64encode(content).decode(), "media_type": media_type, **words}


class FakeObjectStore:
    """An object store in memory that can be away for a while."""

    configured = True

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.away = 0
        self.puts = 0
        self.out_of_reach: set[str] = set()

    async def put(self, key: str, content: bytes, media_type: str) -> None:
        """Keep bytes, unless away."""
        self.puts += 1
        if self.away:
            self.away -= 1
            raise OSError("the store is away")
        self.objects[key] = content

    async def remove(self, key: str) -> None:
        """Forget bytes, unless away."""
        if self.away:
            raise OSError("the store is away")
        self.objects.pop(key, None)

    async def get(self, key: str) -> bytes:
        """Give bytes, unless away."""
        if self.away or key in self.out_of_reach:
            raise OSError("the store is away")
        return self.objects[key]
