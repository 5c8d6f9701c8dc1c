"""Payable records of other contexts."""

from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import DueOrder
from haulier.kernel.call import Call


class Payable(Struct, frozen=True):
    """A kind of record that customers pay."""

    get_due: Callable[[Call, int], Awaitable[DueOrder]]
    """The amount due of a visible record. Raises `NOT_FOUND`."""
    pay: Callable[[Call, int], Awaitable[None]]
    """Pays a record from credit. Raises the errors of its context."""


class Payables(Struct, frozen=True):
    """The payable records of the loaded modules, by the purpose of a payment."""

    by_purpose: Mapping[str, Payable]
