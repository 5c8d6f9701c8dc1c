"""How a recipient shows who they are: by their e-mail address, which drivers do not see; without one, by what they know."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.recipients.deliveries.rules import knows_address_or_phone


def proves_recipient(consignee: Mapping[str, Any] | None, proof: str) -> bool:
    """Whether a proof is the recipient's e-mail address; where the order has none, their postal code or the last four digits
    of their phone, however they are written."""
    if consignee and (email := consignee.get("email")):
        return proof.strip().casefold() == email.strip().casefold()
    return knows_address_or_phone(consignee, proof)
