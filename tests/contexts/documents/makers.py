"""Small makers: files of each kind that is taken, and fake object stores."""

from base64 import b64encode
from typing import Any

PNG = b"\x89PNG\r\n\x1a\n" + b"picture" * 20
JPEG = b"\xff\xd8\xff\xe0" + b"photo" * 20
WEBP = b"RIFF\x10\x00\x00\x00WEBPVP8 " + b"photo" * 20
PDF = b"%PDF-1.7\n" + b"paper" * 20
BY_TYPE = {"image/png": PNG, "image/jpeg": JPEG, "image/webp": WEBP, "application/pdf": PDF}


def a_file(content: bytes = JPEG, media_type: str = "image/jpeg", **words: Any) -> dict[str, Any]:
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
