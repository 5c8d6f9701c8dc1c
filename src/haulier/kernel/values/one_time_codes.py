"""Codes that people read, type or say: secret digits and public names.

Digits are derived from the server's secret and a nonce stored with the record. Emails, pages and APIs can therefore
show the same code again, and the database alone does not reveal it. Public names are random and stored as they are.
"""

import secrets
from collections.abc import Callable

from haulier.kernel.values.sealing import SealedKind, list_keyed_digests

NONCE_BYTES = 16


def make_public_code(alphabet: str, length: int) -> str:
    """Return random characters for a public name."""
    return "".join(secrets.choice(alphabet) for _ in range(length))


def make_one_time_code(about: str, digits: int) -> tuple[str, bytes]:
    """Return a new code for a record, with leading zeros, and its nonce."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return _list_codes(about, nonce, digits)[0], nonce


def read_one_time_code(about: str, nonce: bytes | None, digits: int, fits: Callable[[str], bool]) -> str | None:
    """Return the code of a nonce if `fits` accepts it.

    Returns None if no secret of this server gives that code.
    """
    codes = _list_codes(about, nonce, digits) if nonce else []
    return next((code for code in codes if fits(code)), None)


def derive_one_time_code(about: str, nonce: bytes, digits: int) -> str:
    """Return the code for an existing nonce."""
    return _list_codes(about, nonce, digits)[0]


def _list_codes(about: str, nonce: bytes, digits: int) -> list[str]:
    content = nonce + about.encode()
    made = (int.from_bytes(digest) for digest in list_keyed_digests(SealedKind.ONE_TIME_CODE, content))
    return [f"{number % 10**digits:0{digits}}" for number in made]
