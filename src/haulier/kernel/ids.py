"""Identifiers that people read, scan and type: tracking numbers, and the ids of requests."""

import re
import secrets
import time

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U, so nothing is misread."""

PREFIX = "HL"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")


def tracking_number() -> str:
    """A new number: `HL`, 12 characters of 60 bits that grow with time, and a check character.

    31 bits count seconds of an epoch and 29 are random; a unique index in the database has the last word.
    """
    bits = (int(time.time()) & 0x7FFF_FFFF) << 29 | secrets.randbits(29)
    body = "".join(ALPHABET[bits >> shift & 31] for shift in range(55, -1, -5))
    return f"{PREFIX}{body}{check_character(body)}"


def check_character(body: str) -> str:
    """The weighted sum modulo 31 of the characters: it notices one wrong character or two that changed places."""
    return ALPHABET[sum((at + 2) * ALPHABET.index(character) for at, character in enumerate(body)) % 31]


def is_tracking_number(text: str) -> bool:
    """Whether a text is a number of ours that was read rightly."""
    body = text[len(PREFIX) : -1]
    well_formed = text.startswith(PREFIX) and len(body) == 12 and set(body) <= set(ALPHABET)
    return well_formed and check_character(body) == text[-1]


def request_id(given: str | None = None) -> str:
    """The id a caller gave, where it can stand in a log line; a new one otherwise."""
    if given and _REQUEST_ID.fullmatch(given):
        return given
    return secrets.token_hex(12)
