"""What messaging needs from outside."""

from typing import Protocol


class SmsRefused(Exception):
    """A text message will never be taken: a number that cannot be reached, an account that may not send there.

    `code` is the provider's own word for the reason, where it gave one.
    """

    def __init__(self, said: str, code: str | None = None) -> None:
        super().__init__(said)
        self.code = code


class SmsSender(Protocol):
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


class SmsProviderDirectory(Protocol):
    """The providers of text messages at whom a client may have an account of its own."""

    def carrier(self, provider: str, account: str, secret: str, sender: str) -> SmsSender:
        """Whoever carries messages for an account. Raises `KeyError` for a provider that there is not."""
        ...


class SecretUnreadable(Exception):
    """A secret that was kept cannot be read any more, or none can be kept; the text says why, and not what it was."""


class SecretVault(Protocol):
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
