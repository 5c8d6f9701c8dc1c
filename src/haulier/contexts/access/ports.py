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
    """A text message will never be taken: a number that cannot be reached, an account that may not send there."""


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
