"""What documents need from outside."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from haulier.contexts.documents.pictures.contract import PictureBarcode, PictureBox, PictureLine, PictureReading

__all__ = [
    "DocumentSigner",
    "ObjectStore",
    "PictureBarcode",
    "PictureBox",
    "PictureLine",
    "PictureReader",
    "PictureReading",
    "PictureUnreadable",
    "SignatureCheck",
    "SigningIdentity",
    "SigningKeyMissing",
    "SigningKeys",
]


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

    async def get_part(self, key: str, first: int, length: int) -> bytes:
        """Some of the bytes under a key, from `first` on, counted from 0. Raises as `get`."""
        ...

    async def remove(self, key: str) -> None:
        """Delete the bytes under a key, if there are any. Raises `OSError` when that cannot be done now."""
        ...


class SigningIdentity(Struct, frozen=True, kw_only=True):
    """A certificate and its key, both in PEM. `fingerprint` is the SHA-256 of the certificate, hexadecimal."""

    fingerprint: str
    certificate: str
    key: str
    valid_until: datetime


class SignatureCheck(Struct, frozen=True):
    """What a signature says: whether one of our certificates made it, and whether nothing changed since."""

    ours: bool
    intact: bool


class SigningKeyMissing(Exception):
    """The key of a certificate cannot be had. The text says why, and does not hold the key."""


class DocumentSigner(Protocol):
    """Signs PDFs. Its methods take tens of milliseconds and block: call them in a thread."""

    @property
    def available(self) -> bool:
        """Whether this installation can sign."""
        ...

    def make_identity(self, name: str, now: datetime) -> SigningIdentity:
        """A new key with its certificate, for the name."""
        ...

    def sign(self, pdf: bytes, identity: SigningIdentity, *, number: str) -> bytes:
        """The PDF, signed; the document's number stands in the signature."""
        ...

    def check(self, pdf: bytes, certificates: Iterable[str]) -> SignatureCheck:
        """What the signature itself says, by these certificates."""
        ...


class SigningKeys(Protocol):
    """Keeps the keys of certificates."""

    def keep(self, fingerprint: str, key: str) -> str | None:
        """Keep a key. Returns what the database is to keep of it, if anything."""
        ...

    def open(self, fingerprint: str, kept: str | None) -> str:
        """A key. Raises `SigningKeyMissing`."""
        ...

    def forget(self, fingerprint: str) -> None:
        """Delete what is kept of a key outside the database."""
        ...


class PictureUnreadable(Exception):
    """A file that cannot be opened as a picture, or whose reading did not come to an end."""


class PictureReader(Protocol):
    """Reads barcodes and text of pictures and PDFs that strangers made. It takes seconds of a processor."""

    @property
    def reads_barcodes(self) -> bool:
        """Whether this installation opens pictures and reads barcodes."""
        ...

    async def read(self, content: bytes, media_type: str) -> PictureReading:
        """What stands there. Raises `PictureUnreadable`."""
        ...
