"""What access needs from outside."""

from datetime import datetime
from typing import Protocol

from msgspec import Struct

from haulier.kernel.call import Call


class Mail(Struct, frozen=True, kw_only=True):
    """A letter by e-mail, in plain text."""

    to: str
    subject: str
    text: str


class Post(Protocol):
    """Carries letters to people."""

    async def send(self, mail: Mail) -> None:
        """Hand a letter over. Raises `OSError` when nobody takes it now; the errand then tries again."""
        ...


class Trade(Protocol):
    """Has a business begun to trade?"""

    async def has_begun(self, call: Call) -> bool:
        """Whether the client of the call has any order."""
        ...


class SmsRefused(Exception):
    """A text message will never be taken: a number that cannot be reached, an account that may not send there.

    `code` is the provider's own word for the reason, where it gave one.
    """

    def __init__(self, said: str, code: str | None = None) -> None:
        super().__init__(said)
        self.code = code


class Sms(Protocol):
    """Carries text messages to phones."""

    @property
    def configured(self) -> bool:
        """Whether there is anybody to carry them."""
        ...

    async def send(self, to: str, text: str) -> None:
        """Hand a message over; `to` is a number in E.164.

        Raises `SmsRefused` when it will never be taken, `OSError` when it is not taken now.
        """
        ...


class SmsProviders(Protocol):
    """The providers of text messages at whom a client may have an account of its own."""

    def carrier(self, provider: str, account: str, secret: str, sender: str) -> Sms:
        """Whoever carries messages for an account. Raises `KeyError` for a provider that there is not."""
        ...


class SecretLost(Exception):
    """A secret that was kept cannot be read any more, or none can be kept; the text says why, and not what it was."""


class Vault(Protocol):
    """Keeps secrets of clients that have to be said again."""

    @property
    def available(self) -> bool:
        """Whether this installation can keep secrets at all."""
        ...

    def seal(self, secret: str, about: str) -> str:
        """A secret as it may be written down; it opens only for what it is about. Raises `SecretLost`."""
        ...

    def open(self, sealed: str, about: str) -> str:
        """The secret. Raises `SecretLost`."""
        ...


class Person(Struct, frozen=True, kw_only=True):
    """Somebody whom an identity provider knows. `email` is in lower case, and None unless the provider verified it."""

    issuer: str
    subject: str
    email: str | None = None
    name: str | None = None


class InvalidIdToken(Exception):
    """An ID token that proves nothing; the text says why, for the log."""


class IdTokens(Protocol):
    """Reads the ID tokens of an OpenID provider."""

    async def person(self, id_token: str, *, issuer: str, audience: str, now: datetime, nonce: str | None) -> Person:
        """Who a token is about.

        It must be signed by the issuer, for this audience alone, be valid at `now`, and have the nonce when one is given.
        Raises `InvalidIdToken`, or `OSError` when the provider cannot be asked for its keys.
        """
        ...


class DocumentRefused(Exception):
    """A document of an agent that is not taken; the text says why, for the log."""


class AgentDocuments(Protocol):
    """Fetches the document in which an agent's makers say who it is. The address comes from a stranger."""

    async def fetch(self, url: str) -> bytes:
        """The document at an https address. Raises `DocumentRefused`.

        Only public addresses of the network are asked, no redirect is followed, and a long document is not read to its end.
        """
        ...
