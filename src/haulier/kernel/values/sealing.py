"""Sealed text that only this server can issue.

Used for self-contained ids, cursors and passes.

A sealed text is the URL-safe base64 of a version byte, an HMAC-SHA256 tag and the readable content. Each kind has its
own key derived from the server's secret, so a text of one kind is never accepted as another.
"""

import hmac
import secrets
from base64 import b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache

VERSION = b"\x01"
TAG_BYTES = 16
KEY_BYTES = 32


class SealedKind(StrEnum):
    """Kinds of sealed text."""

    CURSOR = "cursor"
    DAY_CURSOR = "day_cursor"
    QUOTE = "quote"
    DEVICE_PASS = "device_pass"
    DESK_UNDO = "desk_undo"
    AUDIT_ENTRY = "audit_entry"
    AUDIT_SEAL = "audit_seal"
    ONE_TIME_CODE = "one_time_code"


SecretSource = Callable[[], Sequence[bytes]]


@cache
def _process_secrets() -> Sequence[bytes]:
    """Return a secret of this process, used if no source is set."""
    return (secrets.token_bytes(KEY_BYTES),)


_source: list[SecretSource] = [_process_secrets]


def set_sealing_source(source: SecretSource) -> None:
    """Use the server's secrets. `source` is called for each use.

    The first one seals, all of them open.
    """
    _source[0] = source


def _secrets() -> Sequence[bytes]:
    return _source[0]()


def seal(kind: SealedKind, content: bytes) -> str:
    """Return content as sealed text."""
    return urlsafe_b64encode(VERSION + _tag(_secrets()[0], kind, content) + content).rstrip(b"=").decode()


def unseal(kind: SealedKind, text: str) -> bytes | None:
    """Return the content of a sealed text.

    Returns None if this server did not issue it for this kind.
    """
    try:
        sealed = b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (ValueError, NotBase64):
        return None
    version, tag, content = sealed[:1], sealed[1 : 1 + TAG_BYTES], sealed[1 + TAG_BYTES :]
    if version != VERSION or urlsafe_b64encode(sealed).rstrip(b"=").decode() != text:
        return None  # unused bits of the last character must not vary
    is_own = any(hmac.compare_digest(tag, _tag(secret, kind, content)) for secret in _secrets())
    return content if is_own else None


def make_tag(kind: SealedKind, content: bytes) -> str:
    """Return the hexadecimal tag for content that is stored or sent with it."""
    return _tag(_secrets()[0], kind, content).hex()


def has_tag(kind: SealedKind, content: bytes, tag: str) -> bool:
    """Return True if this server made the tag for this kind and content."""
    given = tag.encode()
    return any(hmac.compare_digest(given, _tag(secret, kind, content).hex().encode()) for secret in _secrets())


def list_keyed_digests(kind: SealedKind, content: bytes) -> list[bytes]:
    """Return the HMAC-SHA256 of content with each of the server's secrets.

    The current secret comes first.
    """
    return [hmac.digest(_derive_key(secret, kind), VERSION + content, "sha256") for secret in _secrets()]


def _tag(secret: bytes, kind: SealedKind, content: bytes) -> bytes:
    return hmac.digest(_derive_key(secret, kind), VERSION + content, "sha256")[:TAG_BYTES]


@cache
def _derive_key(secret: bytes, kind: SealedKind) -> bytes:
    return hmac.digest(secret, b"haulier sealed text " + kind.value.encode(), "sha256")
