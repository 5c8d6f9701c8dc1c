"""Rules for proving the recipient by email address, postal code or phone digits.

Drivers do not see the email address. The others only count if the order has none.
"""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.recipients.deliveries.rules import knows_address_or_phone


def proves_recipient(consignee: Mapping[str, Any] | None, proof: str) -> bool:
    """Return True if the proof identifies the recipient.

    The email address, or, if the order has none, the postal code or the last four digits of the phone number in any
    notation.
    """
    if consignee and (email := consignee.get("email")):
        return proof.strip().casefold() == email.strip().casefold()
    return knows_address_or_phone(consignee, proof)
