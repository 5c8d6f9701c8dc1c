"""RSA signatures checked by published sets of keys."""

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
    """Checks signatures by JWKS documents."""

    def is_key_set(self, key_set: str) -> bool:
        """Whether a text is a set of public RSA keys that have names."""
        return bool(_read_keys(key_set))

    def is_signed(self, key_set: str, key_id: str, signature: bytes, content: bytes) -> bool:
        """Whether the key of a name signed this; False for a key that is not in the set."""
        key = _read_keys(key_set).get(key_id)
        if key is None:
            return False
        try:
            key.verify(signature, content, padding.PKCS1v15(), hashes.SHA256())
        except exceptions.InvalidSignature:
            return False
        return True


def _read_keys(key_set: str) -> dict[str, Any]:
    """The public keys of a document by name; none where it is something else."""
    try:
        listed = json.loads(key_set)["keys"][:MAX_KEYS]
        named = {entry["kid"]: jwk.RSAKey.import_key(entry) for entry in listed if entry.get("kty") == "RSA"}
        return {str(name): key.public_key for name, key in named.items()}
    except (errors.JoseError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
