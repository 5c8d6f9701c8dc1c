"""What tracking needs from outside."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Protocol

from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.principal import Business, Principal


class KeySetVerifier(Protocol):
    """Checks RSA signatures (RSASSA-PKCS1-v1_5 with SHA-256, RFC 8017) by a set of public keys (JWKS, RFC 7517)."""

    def is_key_set(self, key_set: str) -> bool:
        """Whether a text is a set of public RSA keys that have names."""
        ...

    def is_signed(self, key_set: str, key_id: str, signature: bytes, content: bytes) -> bool:
        """Whether the key of a name signed this; False for a key that is not in the set."""
        ...


class KeyIssuers(Protocol):
    """The users and API tokens that answer for provider keys."""

    async def get_set_up_columns(self, call: Call) -> dict[str, int | None]:
        """Return the columns that name the caller and the API token that they use, if any."""
        ...

    async def list_standing(
        self, work: UnitOfWork, business: Business, who: Collection[tuple[int, int | None]], now: datetime
    ) -> dict[tuple[int, int | None], Principal]:
        """Return the principals among users and tokens that still work. Two statements at most."""
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
        """Return the scan; None where its time is still unreadable."""
        ...
