"""Digests of audit entries: an HMAC over their contents.

Only this server can create them, so an entry that was inserted or changed by SQL has no valid digest. Each entry has
its own salt, which is removed on erasure, so that erased contents cannot be guessed from the digest.
"""

import re
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from haulier.kernel.values.sealing import TAG_BYTES, SealedKind, has_tag, make_tag

SALT_BYTES = 16
SALT_LENGTH = 2 * SALT_BYTES
DIGEST_LENGTH = 2 * TAG_BYTES
_UNSTABLE_NUMBER = re.compile(rb"\d[eE][+-]?\d|-0\.0")
"""Numbers that PostgreSQL stores in another notation: with an exponent, or minus zero."""
_COVERED = ("owner_client_id", "operation", "user_id", "account", "door", "request_id", "address", "agent")

Subject = tuple[str, int]


def make_salt() -> str:
    """Return a new random salt."""
    return secrets.token_hex(SALT_BYTES)


def digest_entry(entry: Mapping[str, Any], subjects: Iterable[Subject]) -> str:
    """Return the digest of an entry.

    `salt` is absent or None if its contents were erased.
    """
    return make_tag(SealedKind.AUDIT_ENTRY, _encode_entry(entry, subjects))


def has_digest(entry: Mapping[str, Any], subjects: Iterable[Subject], digest: str) -> bool:
    """Return True if this server made the digest for an entry."""
    return has_tag(SealedKind.AUDIT_ENTRY, _encode_entry(entry, subjects), digest)


def _encode_entry(entry: Mapping[str, Any], subjects: Iterable[Subject]) -> bytes:
    at: datetime = entry["at"]
    covered = [entry[name] for name in _COVERED]
    parts = [*covered, at.astimezone(UTC).isoformat(timespec="microseconds"), sorted(subjects), entry.get("salt")]
    return msgspec.json.encode([*parts, msgspec.Raw(_canonical_json(entry["request"]))])


def _canonical_json(document: Any) -> bytes:
    """Encode a document identically before it is stored and after it was read."""
    encoded = msgspec.json.encode(document, order="deterministic")
    if _UNSTABLE_NUMBER.search(encoded):
        return msgspec.json.encode(_with_stable_numbers(document), order="deterministic")
    return encoded


def _with_stable_numbers(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _with_stable_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_stable_numbers(each) for each in value]
    if isinstance(value, float):
        return int(value) if abs(value) >= 1e16 else value + 0.0
    return value
