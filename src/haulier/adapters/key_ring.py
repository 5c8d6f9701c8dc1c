"""Keys of an installation: from the settings, a file or the signing folder."""

import logging
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_bytes
from tempfile import mkstemp

from haulier.adapters.vault import KEY_BYTES, EncryptedVault, decoded_key, key_id
from haulier.kernel.secrets import KeyUnavailable, SecretUnreadable

FILE_PREFIX = "file:"
"""Prefix of a setting that names a file with the keys. The file is read when it becomes readable."""
READ_AGAIN_AFTER_S = 1.0
log = logging.getLogger("haulier.keys")


def read_key_texts(setting: str) -> list[str]:
    """Return the keys that a setting holds, or the file that it names.

    Raises `OSError` or `ValueError` for a file that cannot be read.
    """
    path = setting.removeprefix(FILE_PREFIX)
    text = setting if path == setting else Path(path).read_text(encoding="utf-8")
    return text.strip().split(",")


class KeyRing:
    """The keys that encrypt secrets and seal cursors, codes and audit digests.

    Without keys in the settings, a secret from a file in the folder seals, and nothing is encrypted. Keys that cannot
    be read now are read again later.
    """

    def __init__(self, setting: str | None, folder: Path) -> None:
        self._setting, self._folder = setting, folder
        self._keys: tuple[bytes, ...] | None = None
        self._failure: tuple[str, float] | None = None
        self.refusal: str | None = None
        """Reason why the keys must not be used, although they can be read."""
        if setting and not setting.startswith(FILE_PREFIX):
            self._keys = self._read_setting(setting)

    @property
    def is_configured(self) -> bool:
        """True if the settings name keys."""
        return self._setting is not None

    @property
    def fault(self) -> str | None:
        """Reason why the keys cannot be used now, or None."""
        try:
            self.keys()
        except KeyUnavailable as fault:
            return str(fault)
        return None

    def keys(self) -> Sequence[bytes]:
        """Return the keys: the first one encrypts and seals, all of them open.

        Raises `KeyUnavailable`.
        """
        if self.refusal is not None:
            raise KeyUnavailable(self.refusal)
        return self._load()

    def key_ids(self) -> list[str]:
        """Return the ids of the keys in the settings.

        Raises `KeyUnavailable` if they cannot be read.
        """
        return [*map(key_id, self._load())] if self.is_configured else []

    def _load(self) -> tuple[bytes, ...]:
        if self._keys is None:
            self._keys = self._read()
        return self._keys

    def _read(self) -> tuple[bytes, ...]:
        if self._failure and time.monotonic() - self._failure[1] < READ_AGAIN_AFTER_S:
            raise KeyUnavailable(self._failure[0])
        try:
            return self._read_setting(self._setting) if self._setting else (self._read_folder(),)
        except (OSError, ValueError) as fault:
            reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
            source = self._setting.removeprefix(FILE_PREFIX) if self._setting else self._folder
            self._failure = f"{source}: {reason}", time.monotonic()
            raise KeyUnavailable(self._failure[0]) from None

    def _read_setting(self, setting: str) -> tuple[bytes, ...]:
        return tuple(map(decoded_key, read_key_texts(setting)))

    def _read_folder(self) -> bytes:
        """Return the secret in the folder, which is created once."""
        path = self._folder / "sealing.key"
        if not path.exists():
            _create_secret(path)
        return path.read_bytes()


class RingVault:
    """Vault over the keys of an installation.

    While they are unavailable, it raises `KeyUnavailable` instead of `SecretUnreadable`: a retry can succeed.
    """

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring
        self._vault: tuple[Sequence[bytes], EncryptedVault] | None = None

    @property
    def available(self) -> bool:
        """Return True if the installation encrypts secrets, even if it cannot do so now."""
        return self._ring.is_configured or self._ring.refusal is not None

    def seal(self, secret: str, about: str) -> str:
        """Return an encrypted secret that can be stored. Raises `KeyUnavailable`."""
        return self._current("no key is set to keep secrets with").seal(secret, about)

    def open(self, sealed: str, about: str) -> str:
        """Return the secret. Raises `SecretUnreadable` or `KeyUnavailable`."""
        return self._current(f"no key is set that opens a secret about {about}").open(sealed, about)

    def _current(self, refusal: str) -> EncryptedVault:
        if not self.available:
            raise SecretUnreadable(refusal)
        keys = self._ring.keys()
        if self._vault is None or self._vault[0] is not keys:
            self._vault = keys, EncryptedVault(*keys)
        return self._vault[1]


def _create_secret(path: Path) -> None:
    """Write a new secret, unless another process has.

    A link appears atomically.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = mkstemp(dir=path.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor that only this account may read
            file.write(token_bytes(KEY_BYTES))
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()
