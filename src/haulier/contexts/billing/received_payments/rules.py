"""Rules of received payments: status, order of allocation and matching."""

import re
from collections.abc import Iterable
from enum import StrEnum

from haulier.contexts.billing.ledger.rules import AccountKind
from haulier.kernel.operations.errors import declare_error

PAYMENT_AMOUNT_TOO_LARGE = declare_error("payment_amount_too_large", 409)
PAYMENT_CURRENCY_DIFFERS = declare_error("payment_currency_differs", 409)
PAYMENT_REVERSED = declare_error("payment_reversed", 409)

ALLOCATIONS_MAX = 100
"""Maximum number of invoices in one allocation."""


class PaidBy(StrEnum):
    """Method of a received payment."""

    BANK = "bank"
    CASH = "cash"


PAID_INTO = {PaidBy.BANK: AccountKind.BANK, PaidBy.CASH: AccountKind.CASH}


class ReceivedPaymentStatus(StrEnum):
    """Status of a received payment."""

    UNALLOCATED = "unallocated"
    """Has an amount that is not allocated to invoices."""
    ALLOCATED = "allocated"
    """Allocated in full."""
    REVERSED = "reversed"
    """Returned by the bank or recorded by mistake. Its invoices are open again."""


def status_of(amount_minor: int, allocated_minor: int) -> ReceivedPaymentStatus:
    """Return the status of a payment that is not reversed."""
    return ReceivedPaymentStatus.ALLOCATED if allocated_minor == amount_minor else ReceivedPaymentStatus.UNALLOCATED


def names_number(reference: str, number: str) -> bool:
    """Return True if a payment's reference contains an invoice number as a whole word."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(number)}(?![A-Za-z0-9])", reference, re.IGNORECASE) is not None


def named_first(reference: str, numbers: Iterable[str]) -> list[int]:
    """Return the positions of invoices in order of allocation: named ones first."""
    named = [names_number(reference, number) for number in numbers]
    return sorted(range(len(named)), key=lambda place: not named[place])
