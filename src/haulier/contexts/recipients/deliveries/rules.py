"""How a recipient proves that a delivery is theirs, how often that may be tried, and what they may do then."""

from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any

from haulier.contexts.booking.reservations.rules import BOOKABLE_ORDER_STATUSES
from haulier.contexts.identity.accounts.rules.login_lockout import BackoffPolicy
from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES, OrderStatus
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.networks import CallerNetwork

RECIPIENT_UNPROVEN = declare_error("recipient_unproven", 403)
DELIVERY_ACCESS_INVALID = declare_error("delivery_access_invalid", 401)

ACCESS_LIFETIME = timedelta(minutes=30)
PHONE_DIGITS = 4
POSTAL_CODE_MIN = 3
PER_NUMBER = BackoffPolicy(20, timedelta(minutes=1), timedelta(hours=1))
"""For everybody who tries a number: four digits would take a guesser more than a year."""
PER_NUMBER_AND_NETWORK = BackoffPolicy(5, timedelta(minutes=1), timedelta(hours=1))
"""For one network: who mistypes may try again, and who guesses is stopped before the recipient is kept out."""
INSTRUCT, CHOOSE_WINDOW = "instruct", "choose_window"


def knows_address_or_phone(consignee: Mapping[str, Any] | None, proof: str) -> bool:
    """Whether a proof is the recipient's postal code, or the last four digits of their phone, however it is written."""
    if not consignee:
        return False
    said, postal_code = _letters_and_digits(proof), _letters_and_digits(consignee.get("postal_code"))
    phone = "".join(c for c in consignee.get("phone") or "" if c.isdecimal())
    by_postal_code = len(postal_code) >= POSTAL_CODE_MIN and said == postal_code
    by_phone = len(phone) >= PHONE_DIGITS and said == phone[-PHONE_DIGITS:]
    return by_postal_code or by_phone


def _letters_and_digits(text: str | None) -> str:
    return "".join(c for c in (text or "").upper() if c.isalnum())


def attempt_keys(number: str, network: CallerNetwork) -> dict[str, BackoffPolicy]:
    """The digests under which wrong proofs of a number from a network are counted, with how soon they make it pause."""
    tried = f"delivery\n{_letters_and_digits(number)}"
    return {
        sha256(tried.encode()).hexdigest(): PER_NUMBER,
        sha256(f"{tried}\n{network}".encode()).hexdigest(): PER_NUMBER_AND_NETWORK,
    }


def possible_choices(status: OrderStatus) -> list[str]:
    """What a recipient may still choose."""
    windows = [CHOOSE_WINDOW] if status.name in BOOKABLE_ORDER_STATUSES else []
    return [] if status in TERMINAL_STATUSES else [INSTRUCT, *windows]
