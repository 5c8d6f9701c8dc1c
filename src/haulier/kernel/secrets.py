"""Secrets of clients that are needed in clear text later: what keeps them is passed in as an adapter."""

from typing import Protocol


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
