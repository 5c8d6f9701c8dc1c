"""What tracking needs from outside."""

from typing import Protocol


class KeySetVerifier(Protocol):
    """Checks RSA signatures (RSASSA-PKCS1-v1_5 with SHA-256, RFC 8017) by a set of public keys (JWKS, RFC 7517)."""

    def is_key_set(self, key_set: str) -> bool:
        """Whether a text is a set of public RSA keys that have names."""
        ...

    def is_signed(self, key_set: str, key_id: str, signature: bytes, content: bytes) -> bool:
        """Whether the key of a name signed this; False for a key that is not in the set."""
        ...
