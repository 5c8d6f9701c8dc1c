"""AWS Signature Version 4: the signature of a request in its Authorization header.

The algorithm is "Authenticating Requests: Using the Authorization Header" of the Amazon S3 API reference. Every
S3-compatible store requires it.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

from msgspec import Struct

ALGORITHM = "AWS4-HMAC-SHA256"
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


class S3Credentials(Struct, frozen=True, kw_only=True):
    """Access key with its secret and region."""

    key: str
    secret: str
    region: str


def sign_request(
    who: S3Credentials,
    method: str,
    url: str,
    now: datetime,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> dict[str, str]:
    """Return the headers of a request to S3, including its signature.

    `url` must be in its final form: the path percent-encoded once, and any query sorted and encoded too.
    """
    parts, timestamp = urlsplit(url), now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest() if body else EMPTY_SHA256
    sent = {**(headers or {}), "Host": parts.netloc, "X-Amz-Content-Sha256": digest, "X-Amz-Date": timestamp}
    lines = sorted((name.lower(), " ".join(value.split())) for name, value in sent.items())
    names = ";".join(name for name, _ in lines)
    canonical = "\n".join(
        (method, parts.path or "/", parts.query, *(f"{name}:{value}" for name, value in lines), "", names, digest)
    )
    scope = f"{timestamp[:8]}/{who.region}/s3/aws4_request"
    to_sign = "\n".join((ALGORITHM, timestamp, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    signature = hmac.digest(_signing_key(who, timestamp[:8]), to_sign.encode(), "sha256").hex()
    authorization = f"{ALGORITHM} Credential={who.key}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {**sent, "Authorization": authorization}


def encode_path(path: str) -> str:
    """Percent-encode a path for S3.

    Unreserved characters and slashes stay as they are.
    """
    return quote(path, safe="/-_.~")


def _signing_key(who: S3Credentials, day: str) -> bytes:
    key = f"AWS4{who.secret}".encode()
    for part in (day, who.region, "s3", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key
