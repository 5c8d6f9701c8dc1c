"""What messaging needs from outside."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct


class SmsRefused(Exception):
    """A text message will never be accepted: the number cannot be reached, or the account may not send there.

    `code` is the provider's own code of the reason, where it gave one.
    """

    def __init__(self, reason: str, code: str | None = None) -> None:
        super().__init__(reason)
        self.code = code


class SmsSender(Protocol):
    """Sends text messages to phones."""

    @property
    def configured(self) -> bool:
        """Whether text messages can be sent at all."""
        ...

    async def send(self, to: str, text: str) -> None:
        """Send a message; `to` is a number in E.164.

        Raises `SmsRefused` when it will never be accepted, `OSError` when it is not accepted now.
        """
        ...


class SmsProvider(Struct, frozen=True):
    """A provider of text messages that an installed package brings.

    `open` gets the account's name, its secret and the sender, and asks nothing yet.
    """

    open: Callable[[str, str, str], SmsSender]


class SmsProviderDirectory(Protocol):
    """The providers of text messages with whom a client may have an account of its own."""

    def carrier(self, provider: str, account: str, secret: str, sender: str) -> SmsSender:
        """The sender of messages for an account. Raises `KeyError` for an unknown provider."""
        ...


class SecretUnreadable(Exception):
    """A secret cannot be read any more, or none can be kept. The text says why, and does not hold the secret."""


class SecretVault(Protocol):
    """Encrypts secrets of clients that are needed in clear text later."""

    @property
    def available(self) -> bool:
        """Whether this installation can keep secrets at all."""
        ...

    def seal(self, secret: str, about: str) -> str:
        """Encrypt a secret; it opens only with the same `about`. Raises `SecretUnreadable`."""
        ...

    def open(self, sealed: str, about: str) -> str:
        """Decrypt a secret. Raises `SecretUnreadable`."""
        ...
