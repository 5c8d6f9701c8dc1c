"""Identifiers that people read, scan and type, and the secrets that bearers carry."""

import hashlib
import re
import secrets
import time
from datetime import datetime
from itertools import count

CROCKFORD_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U, so nothing is misread."""

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
    """A new number: `HL`, 12 characters of 60 bits that grow with time, and a check character.

    25 bits count the minutes since 2026 (of `moment`, else of now) and 35 are random: later minutes sort later, until 2089, and
    a batch of 1,000 in one minute holds a number twice once in 70,000 times. A unique index has the last word.
    """
    minutes = int((moment.timestamp() if moment else time.time()) - _EPOCH_S) // 60
    bits = (minutes & 0x1FF_FFFF) << 35 | secrets.randbits(35)
    body = "".join(CROCKFORD_ALPHABET[bits >> shift & 31] for shift in range(55, -1, -5))
    return f"{TRACKING_NUMBER_PREFIX}{body}{check_character(body)}"


def check_character(body: str) -> str:
    """A weighted sum over the field of 32 elements: it notices every single wrong character and every two that swapped.

    The weights are powers of the element x modulo x⁵ + x² + 1, which differ for up to 31 characters. A sum modulo 31 would
    take 0 for Z.
    """
    check = 0
    for character in body:
        check = (check ^ _VALUES[character]) << 1
        if check & 32:
            check ^= _PRIMITIVE
    return CROCKFORD_ALPHABET[check]


def is_tracking_number(text: str) -> bool:
    """Whether a text is a number of ours that was read rightly."""
    body = text[len(TRACKING_NUMBER_PREFIX) : -1]
    well_formed = text.startswith(TRACKING_NUMBER_PREFIX) and len(body) == _BODY_LENGTH and _VALUES.keys() >= set(body)
    return well_formed and check_character(body) == text[-1]


def make_request_id(requested: str | None = None) -> str:
    """The id a caller gave, where it can stand in a log line; a new one otherwise: the process, and which of its calls.

    It is a name and no secret, so it need not cost the system's random numbers.
    """
    if requested and _REQUEST_ID.fullmatch(requested):
        return requested
    return f"{_PROCESS}{next(_CALLS):012x}"


def make_opaque_token(prefix: str) -> str:
    """A new secret of 256 random bits after a prefix that says what it opens: `hlsession_…`. Scanners find leaks by it.

    Raises `ValueError` for a prefix that is not 2 to 16 lower-case letters and digits.
    """
    if not _TOKEN_PREFIX.fullmatch(prefix):
        raise ValueError(f"{prefix!r} cannot begin a token")
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def hash_token(token: str) -> bytes:
    """What is kept of a token: SHA-256, 32 bytes. Of 256 random bits a fast hash without salt cannot be guessed back."""
    return hashlib.sha256(token.encode()).digest()
