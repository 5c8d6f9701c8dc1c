"""Verification of RSA signatures with published key sets (JWKS)."""

import json
from typing import TYPE_CHECKING, Any

from haulier.late_import import LateModule

if TYPE_CHECKING:
    from cryptography import exceptions
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding
    from joserfc import errors, jwk
else:
    exceptions = LateModule("cryptography.exceptions")
    hashes = LateModule("cryptography.hazmat.primitives.hashes")
    padding = LateModule("cryptography.hazmat.primitives.asymmetric.padding")
    errors, jwk = map(LateModule, ("joserfc.errors", "joserfc.jwk"))

MAX_KEYS = 50


class RsaKeySets:
    """Signature verification with JWKS documents."""

    def is_key_set(self, key_set: str) -> bool:
        """Return True if a text is a JWKS document with at least one RSA key."""
        return bool(_read_keys(key_set))

    def is_signed(self, key_set: str, key_id: str, signature: bytes, content: bytes) -> bool:
        """Return True if the content was signed with the given key of the set."""
        key = _read_keys(key_set).get(key_id)
        if key is None:
            return False
        try:
            key.verify(signature, content, padding.PKCS1v15(), hashes.SHA256())
        except exceptions.InvalidSignature:
            return False
        return True


def _read_keys(key_set: str) -> dict[str, Any]:
    """Return the public RSA keys by key ID. Empty for invalid documents."""
    try:
        listed = json.loads(key_set)["keys"][:MAX_KEYS]
        named = {entry["kid"]: jwk.RSAKey.import_key(entry) for entry in listed if entry.get("kty") == "RSA"}
        return {str(name): key.public_key for name, key in named.items()}
    except (errors.JoseError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
