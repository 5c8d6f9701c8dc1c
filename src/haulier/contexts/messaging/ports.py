"""What messaging needs from outside."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from haulier.kernel.secrets import SecretUnreadable as SecretUnreadable
from haulier.kernel.secrets import SecretVault as SecretVault


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
