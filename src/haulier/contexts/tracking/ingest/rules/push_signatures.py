"""How carriers and aggregators sign what they push, as each of them documents it.

EasyPost: `X-Hmac-Signature: hmac-sha256-hex=…`, over the body. ShipEngine: an RSA signature in base64 over the time, a full
stop and the body. UPS signs nothing: the header `credential` brings the provider's key itself.
"""

import hashlib
import hmac
import unicodedata
from base64 import b64decode
from datetime import datetime, timedelta

from haulier.contexts.tracking.ports import KeySetVerifier
from haulier.kernel.operations.errors import declare_error

PUSH_SIGNATURE_WRONG = declare_error("push_signature_wrong", 401)
CLOCK_TOLERANCE = timedelta(minutes=5)
"""How far the time of a signature may be from ours, either way: what is older may be somebody's copy."""
_HMAC_PREFIX = "hmac-sha256-hex="


def is_signed_by_secret(secret: str, signature: str, document: bytes) -> bool:
    """Whether a push of EasyPost bears the signature of a secret."""
    # Why normalised: EasyPost's own clients do so before they sign.
    key = unicodedata.normalize("NFKD", secret).encode()
    expected = _HMAC_PREFIX + hmac.new(key, document, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.strip().encode())


def is_signed_by_key_set(
    verifier: KeySetVerifier, key_set: str, key_id: str, signature: str, signed_at: str, document: bytes, now: datetime
) -> bool:
    """Whether a push of ShipEngine was signed a moment ago, with a key of its set."""
    try:
        at, raw = datetime.fromisoformat(signed_at), b64decode(signature, validate=True)
    except ValueError:
        return False
    if at.tzinfo is None or abs(now - at) > CLOCK_TOLERANCE:
        return False
    return verifier.is_signed(key_set, key_id, raw, f"{signed_at}.".encode() + document)
