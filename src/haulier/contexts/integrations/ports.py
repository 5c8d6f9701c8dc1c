"""What integrations need from outside."""

from typing import Protocol

from msgspec import Struct


class Letterhead(Struct, frozen=True, kw_only=True):
    """What is posted to an address that somebody else gave: headers beside the usual ones, and a JSON document."""

    url: str
    headers: dict[str, str]
    body: bytes


class Reply(Struct, frozen=True, kw_only=True):
    """How somebody else's server took it. Without a `status` nothing came back, and `fault` says why."""

    status: int | None
    latency_ms: int
    text: str = ""
    """The beginning of what it said."""
    fault: str | None = None
    """address_refused, name_unknown, unreachable, no_tls, timeout or broken_off."""
    retry_after_s: int | None = None
    """How long it asks to be left alone."""


class Callbacks(Protocol):
    """Posts documents to addresses that clients gave."""

    @property
    def private(self) -> bool:
        """Whether addresses of private networks, and plain http to them, are allowed here."""
        ...

    async def post(self, letter: Letterhead) -> Reply:
        """Post a document, following no redirect. Never raises: whatever goes wrong is a reply with a fault."""
        ...


class Secrets(Protocol):
    """Keeps the secrets that webhooks are signed with."""

    @property
    def encrypts(self) -> bool:
        """Whether they lie encrypted in the database."""
        ...

    def seal(self, secret: str, about: str) -> str:
        """A secret as it is kept."""
        ...

    def open(self, sealed: str, about: str) -> str | None:
        """The secret; None when it cannot be read any more."""
        ...
