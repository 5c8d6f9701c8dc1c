"""Identifiers that people read, scan and type, and bearer secrets."""

import hashlib
import re
import secrets
import time
from datetime import datetime
from itertools import count

CROCKFORD_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32, without the ambiguous letters I, L, O and U."""

TRACKING_NUMBER_PREFIX = "HL"
_VALUES = {character: value for value, character in enumerate(CROCKFORD_ALPHABET)}
_BODY_LENGTH = 12
_EPOCH_S = 1_767_225_600
_PRIMITIVE = 0b100101
_PROCESS = secrets.token_hex(6)
_CALLS = count(1)
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_TOKEN_PREFIX = re.compile(r"[a-z][a-z0-9]{1,15}")


def make_tracking_number(moment: datetime | None = None) -> str:
    """Return a new tracking number.

    It has the prefix `HL`, 12 characters (60 bits) that grow with time, and a check character.

    25 bits count the minutes since 2026 (of `moment` or now), and 35 bits are random. Numbers sort by minute until
    2089. A batch of 1,000 in one minute has a collision in one of 70,000 cases, which the unique index detects.
    """
    minutes = int((moment.timestamp() if moment else time.time()) - _EPOCH_S) // 60
    bits = (minutes & 0x1FF_FFFF) << 35 | secrets.randbits(35)
    body = "".join(CROCKFORD_ALPHABET[bits >> shift & 31] for shift in range(55, -1, -5))
    return f"{TRACKING_NUMBER_PREFIX}{body}{check_character(body)}"


def check_character(body: str) -> str:
    """Return a check character that detects all single errors and swaps.

    It is a weighted sum over GF(32) with powers of x modulo x⁵ + x² + 1 as weights, which differ for up to 31
    characters. A sum modulo 31 could not tell 0 from Z.
    """
    check = 0
    for character in body:
        check = (check ^ _VALUES[character]) << 1
        if check & 32:
            check ^= _PRIMITIVE
    return CROCKFORD_ALPHABET[check]


def is_tracking_number(text: str) -> bool:
    """Return True if a text is a valid Haulier tracking number."""
    body = text[len(TRACKING_NUMBER_PREFIX) : -1]
    well_formed = text.startswith(TRACKING_NUMBER_PREFIX) and len(body) == _BODY_LENGTH and _VALUES.keys() >= set(body)
    return well_formed and check_character(body) == text[-1]


def make_request_id(requested: str | None = None) -> str:
    """Return the requested id if it is safe to log, or a new one.

    It is not secret, so it needs no system randomness.
    """
    if requested and _REQUEST_ID.fullmatch(requested):
        return requested
    return f"{_PROCESS}{next(_CALLS):012x}"


def make_opaque_token(prefix: str) -> str:
    """Return a new secret of 256 random bits with a prefix for its purpose.

    Example: `hlsession_…`.

    The prefix lets scanners detect leaks. Raises `ValueError` unless it is 2 to 16 lower-case letters and digits.
    """
    if not _TOKEN_PREFIX.fullmatch(prefix):
        raise ValueError(f"{prefix!r} cannot begin a token")
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def hash_token(token: str) -> bytes:
    """Return the SHA-256 of a token for storage.

    With 256 random bits, no slow hash or salt is needed.
    """
    return hashlib.sha256(token.encode()).digest()
