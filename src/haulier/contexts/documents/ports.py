"""What documents need from outside."""

from typing import Protocol


class ObjectStore(Protocol):
    """Stores bytes under a key until they are removed."""

    @property
    def configured(self) -> bool:
        """Whether an object store is configured; without one, files stay in the database."""
        ...

    async def put(self, key: str, content: bytes, media_type: str) -> None:
        """Store bytes. The same bytes may be put under the same key again. Raises `OSError` when they are not taken now."""
        ...

    async def get(self, key: str) -> bytes:
        """The bytes under a key. Raises `KeyError` when there are none, `OSError` when they cannot be had now."""
        ...

    async def remove(self, key: str) -> None:
        """Delete the bytes under a key, if there are any. Raises `OSError` when that cannot be done now."""
        ...
