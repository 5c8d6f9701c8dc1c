"""Ports of documents."""

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
        """Return True if an object store is configured; else files stay in the database."""
        ...

    async def put(self, key: str, content: bytes, media_type: str) -> None:
        """Store bytes under a key. Repeats are allowed. Raises `OSError` on failure."""
        ...

    async def get(self, key: str) -> bytes:
        """Return the bytes under a key.

        Raises `KeyError` if there are none, `OSError` if they are unavailable.
        """
        ...

    async def get_part(self, key: str, first: int, length: int) -> bytes:
        """Some of the bytes under a key, from `first` on, counted from 0. Raises as `get`."""
        ...

    async def remove(self, key: str) -> None:
        """Delete the bytes under a key, if any. Raises `OSError` on failure."""
        ...


class SigningIdentity(Struct, frozen=True, kw_only=True):
    """A certificate and its key in PEM. `fingerprint` is the certificate's SHA-256."""

    fingerprint: str
    certificate: str
    key: str
    valid_until: datetime


class SignatureCheck(Struct, frozen=True):
    """Result of a signature: made by one of our certificates, and unchanged."""

    ours: bool
    intact: bool


class SigningKeyMissing(Exception):
    """Raised for an unavailable key. The text has the reason, and no key."""


class DocumentSigner(Protocol):
    """Signer of PDFs.

    Its methods block for tens of milliseconds: call them in a thread.
    """

    @property
    def available(self) -> bool:
        """Return True if this installation can sign."""
        ...

    def make_identity(self, name: str, now: datetime) -> SigningIdentity:
        """Return a new key with its certificate, for the name."""
        ...

    def sign(self, pdf: bytes, identity: SigningIdentity, *, number: str) -> bytes:
        """Return the signed PDF; the document's number is in the signature."""
        ...

    def check(self, pdf: bytes, certificates: Iterable[str]) -> SignatureCheck:
        """Return the result of a PDF's signature, by these certificates."""
        ...


class SigningKeys(Protocol):
    """Storage of certificate keys."""

    def keep(self, fingerprint: str, key: str) -> str | None:
        """Store a key. Return what the database must store of it, if anything."""
        ...

    def open(self, fingerprint: str, kept: str | None) -> str:
        """Return a key. Raises `SigningKeyMissing`."""
        ...

    def forget(self, fingerprint: str) -> None:
        """Delete a key's data outside the database."""
        ...


class PictureUnreadable(Exception):
    """Raised for a file that cannot be opened as a picture, or took too long."""


class PictureReader(Protocol):
    """Reader of barcodes and text in untrusted files. It takes seconds of CPU time."""

    @property
    def reads_barcodes(self) -> bool:
        """Return True if this installation opens pictures and reads barcodes."""
        ...

    async def read(self, content: bytes, media_type: str) -> PictureReading:
        """Return the contents of a picture. Raises `PictureUnreadable`."""
        ...
