"""Port for storing clients' secrets that are needed in clear text later."""

from typing import Protocol


class SecretUnreadable(Exception):
    """Raised when a secret cannot be stored or decrypted.

    The message never contains the secret.
    """


class KeyUnavailable(Exception):
    """Raised while the keys cannot be read, or do not fit the database.

    A retry can succeed. The message contains the reason, and no key.
    """


class SecretVault(Protocol):
    """Encrypts secrets of clients that are needed in clear text later."""

    @property
    def available(self) -> bool:
        """True if this installation can store secrets."""
        ...

    def seal(self, secret: str, about: str) -> str:
        """Encrypt a secret; it opens only with the same `about`.

        Raises `SecretUnreadable`.
        """
        ...

    def open(self, sealed: str, about: str) -> str:
        """Decrypt a secret. Raises `SecretUnreadable`."""
        ...
