"""How a recipient shows who they are: by their e-mail address, which drivers do not see; without one, by what they know."""

from collections.abc import Mapping
from typing import Any

PHONE_DIGITS = 4
POSTAL_CODE_MIN = 3


def proves_recipient(consignee: Mapping[str, Any] | None, proof: str) -> bool:
    """Whether a proof is the recipient's e-mail address; where the order has none, their postal code or the last four digits
    of their phone, however they are written."""
    if consignee is None:
        return False
    if email := consignee.get("email"):
        return proof.strip().casefold() == email.strip().casefold()
    said, postal_code = _letters_and_digits(proof), _letters_and_digits(consignee.get("postal_code"))
    phone = "".join(c for c in consignee.get("phone") or "" if c.isdecimal())
    by_postal_code = len(postal_code) >= POSTAL_CODE_MIN and said == postal_code
    by_phone = len(phone) >= PHONE_DIGITS and said == phone[-PHONE_DIGITS:]
    return by_postal_code or by_phone


def _letters_and_digits(text: str | None) -> str:
    return "".join(c for c in (text or "").upper() if c.isalnum())
