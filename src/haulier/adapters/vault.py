"""Encrypted secrets of clients, such as a password at a provider.

The secrets must be readable again, so they are encrypted with the operator's key. Each is a JWE (RFC 7516) with
AES-256-GCM. Its protected header names its subject, so that a secret copied from another row cannot be opened.
"""

from base64 import b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from haulier.kernel.secrets import SecretUnreadable
from haulier.late_import import LateModule

if TYPE_CHECKING:
    from joserfc import errors, jwe, jwk
else:
    errors, jwe, jwk = map(LateModule, ("joserfc.errors", "joserfc.jwe", "joserfc.jwk"))

KEY_BYTES = 32
_ALGORITHMS = ["dir", "A256GCM"]


@cache
def _jwe_registry() -> "jwe.JWERegistry":
    return jwe.JWERegistry(algorithms=_ALGORITHMS, strict_check_header=False)


class EncryptedVault:
    """Vault with one or more keys.

    The first key seals, and all of them open, so that a key can be rotated without downtime.
    """

    available = True

    def __init__(self, *keys: bytes) -> None:
        self._keys = {key_id(key): jwk.OctKey.import_key(key) for key in keys}
        self._newest = key_id(keys[0])

    def seal(self, secret: str, about: str) -> str:
        """Return an encrypted secret that can be stored."""
        header: dict[str, Any] = {"alg": "dir", "enc": "A256GCM", "kid": self._newest, "about": about}
        return jwe.encrypt_compact(header, secret.encode(), self._keys[self._newest], registry=_jwe_registry())

    def open(self, sealed: str, about: str) -> str:
        """Return the secret.

        Raises `SecretUnreadable` if the key is missing, or if the secret was sealed for another subject.
        """
        try:
            opened = jwe.decrypt_compact(
                sealed, lambda message: self._key_of(message.headers()), registry=_jwe_registry()
            )
        except (errors.JoseError, ValueError, KeyError) as fault:
            raise SecretUnreadable(f"a secret about {about} cannot be opened: {type(fault).__name__}") from None
        if opened.protected.get("about") != about or opened.plaintext is None:
            raise SecretUnreadable(f"a secret about {about} was sealed for something else")
        return opened.plaintext.decode()

    def _key_of(self, header: dict[str, Any]) -> "jwk.OctKey":
        return self._keys[header["kid"]]


class NoVault:
    """Placeholder used without a key. It stores no secrets."""

    available = False

    def seal(self, secret: str, about: str) -> str:
        """Raise `SecretUnreadable`."""
        raise SecretUnreadable("no key is set to keep secrets with")

    def open(self, sealed: str, about: str) -> str:
        """Raise `SecretUnreadable`."""
        raise SecretUnreadable(f"no key is set that opens a secret about {about}")


def decoded_key(text: str) -> bytes:
    """Return a key from base64. Raises `ValueError` without repeating it."""
    standard = text.strip().rstrip("=").replace("-", "+").replace("_", "/")
    try:
        key = b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except NotBase64:
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError("a key to keep secrets with is 32 random bytes in base64")
    return key


def key_id(key: bytes) -> str:
    """Return the name of a key, which does not reveal it."""
    return urlsafe_b64encode(sha256(b"haulier vault" + key).digest()[:6]).decode()
