"""Telephone numbers as they are kept: where they are, and the key by which a number is known after it was erased."""

from hashlib import blake2b
from typing import TYPE_CHECKING

from haulier.late_import import LateModule

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LateModule("phonenumbers")

KEY_CHARACTERS = 32


def number_key(client_id: int, phone: str) -> str:
    """Return the key of a number in E.164 with one client; the number cannot be read from it, only tried.

    # Why: who was erased must stay suppressed, and a list of suppressed numbers in clear text would keep what was to
    go.
    """
    digest = blake2b(phone.encode(), digest_size=KEY_CHARACTERS // 2, key=f"sms:{client_id}".encode())
    return digest.hexdigest()


def country_of(phone: str) -> str:
    """Return the country (ISO 3166-1 alpha-2) of a number in E.164; `ZZ` for one of none, such as of a satellite."""
    parsed = phonenumbers.parse(phone, None)
    return phonenumbers.region_code_for_number(parsed) or "ZZ"
