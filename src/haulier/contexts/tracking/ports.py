"""Ports of tracking."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Protocol

from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.principal import Business, Principal


class KeySetVerifier(Protocol):
    """Verifier of RSA signatures by a key set (JWKS, RFC 7517).

    RSASSA-PKCS1-v1_5 with SHA-256, RFC 8017.
    """

    def is_key_set(self, key_set: str) -> bool:
        """Return True if a text is a set of named public RSA keys."""
        ...

    def is_signed(self, key_set: str, key_id: str, signature: bytes, content: bytes) -> bool:
        """Return True if the named key signed this; False for an unknown key."""
        ...


class KeyIssuers(Protocol):
    """Users and API tokens responsible for provider keys."""

    async def get_set_up_columns(self, call: Call) -> dict[str, int | None]:
        """Return the columns that name the caller and the API token that they use, if any."""
        ...

    async def list_standing(
        self, work: UnitOfWork, business: Business, who: Collection[tuple[int, int | None]], now: datetime
    ) -> dict[tuple[int, int | None], Principal]:
        """Return the principals among users and tokens that still work.

        Uses two statements at most.
        """
        ...


class ReadScan(Protocol):
    """A scan of a carrier that is polled, as its adapter reads it."""

    @property
    def event_id(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def otep_code(self) -> str: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def text(self) -> str: ...
    @property
    def city(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def country(self) -> str: ...


class StoredScanReader(Protocol):
    """Reads scans of polls again that could not be read when they came."""

    def read_scan(self, sender: str, document: Mapping[str, Any]) -> ReadScan | None:
        """Return the scan; None if its time is still unreadable."""
        ...
