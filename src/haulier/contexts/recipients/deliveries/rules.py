"""Rules for verifying recipients, limiting attempts and listing choices."""

from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any

from msgspec import Struct

from haulier.contexts.booking.reservations.rules import BOOKABLE_ORDER_STATUSES
from haulier.contexts.identity.accounts.rules import BackoffPolicy
from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES, OrderStatus
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.networks import CallerNetwork

RECIPIENT_UNPROVEN = declare_error("recipient_unproven", 403)
DELIVERY_ACCESS_INVALID = declare_error("delivery_access_invalid", 401)

ACCESS_LIFETIME = timedelta(minutes=30)
PHONE_DIGITS = 4
POSTAL_CODE_MIN = 3
PER_NUMBER = BackoffPolicy(20, timedelta(minutes=1), timedelta(hours=1))
"""Limit for all attempts on a number: guessing four digits would take more than a year."""
PER_NUMBER_AND_NETWORK = BackoffPolicy(5, timedelta(minutes=1), timedelta(hours=1))
"""Limit per network: it allows typing errors and stops a guesser before the recipient is locked out."""
INSTRUCT, CHOOSE_WINDOW, RATE = "instruct", "choose_window", "rate"


NEIGHBOUR_LINE = "recipient.neighbour"
"""Message of the instruction's last line: a neighbour who may accept the parcel."""


class RecipientInstruction(Struct, frozen=True):
    """Instruction of a recipient, and the neighbour who may accept the parcel."""

    text: str
    neighbour: str

    def render(self, catalogues: Catalogues, language: str) -> str:
        """Return the instruction as one text whose last line names the neighbour."""
        line = catalogues.translate(language, NEIGHBOUR_LINE, neighbour=self.neighbour) if self.neighbour else ""
        return "\n".join(filter(None, (self.text, line)))


def parse_instruction(catalogues: Catalogues, text: str | None) -> RecipientInstruction:
    """Return an instruction and its neighbour apart, written in any language."""
    rest, _, last = (text or "").rpartition("\n")
    for language in SUPPORTED_LANGUAGES:
        before, after = catalogues.translate(language, NEIGHBOUR_LINE, neighbour="\n").split("\n")
        if last.startswith(before) and last.endswith(after):
            return RecipientInstruction(rest, last.removeprefix(before).removesuffix(after))
    return RecipientInstruction(text or "", "")


def knows_address_or_phone(consignee: Mapping[str, Any] | None, proof: str) -> bool:
    """Return True if a proof is the postal code or the last four phone digits.

    The format of the proof does not matter.
    """
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
    """Return the digests that count wrong proofs of a number, with their limits."""
    tried = f"delivery\n{_letters_and_digits(number)}"
    return {
        sha256(tried.encode()).hexdigest(): PER_NUMBER,
        sha256(f"{tried}\n{network}".encode()).hexdigest(): PER_NUMBER_AND_NETWORK,
    }


def possible_choices(status: OrderStatus) -> list[str]:
    """Return the choices that a recipient still has."""
    windows = [CHOOSE_WINDOW] if status.name in BOOKABLE_ORDER_STATUSES else []
    return [] if status in TERMINAL_STATUSES else [INSTRUCT, *windows]
