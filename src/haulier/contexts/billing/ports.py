"""Payable records, pending charges and the feed of exchange rates."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Protocol

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import DueOrder
from haulier.kernel.call import Call
from haulier.kernel.values.taxes import Tax


class Payable(Struct, frozen=True):
    """A kind of record that customers pay."""

    get_due: Callable[[Call, int], Awaitable[DueOrder]]
    """The amount due of a visible record. Raises `NOT_FOUND`."""
    pay: Callable[[Call, int], Awaitable[None]]
    """Pays a record from credit. Raises the errors of its context."""


class Payables(Struct, frozen=True):
    """The payable records of the loaded modules, by the purpose of a payment."""

    by_purpose: Mapping[str, Payable]


class ExchangeRatesUnavailable(Exception):
    """Raised if the file of exchange rates could not be fetched."""


class ExchangeRateFeed(Protocol):
    """Source of the daily file of exchange rates."""

    async def fetch(self) -> bytes | None:
        """Return the file, or None without a source.

        Raises `ExchangeRatesUnavailable`.
        """
        ...


class PendingCharge(Struct, frozen=True, kw_only=True):
    """Rendered service that its invoice run charges."""

    customer_id: int
    currency: str
    amount_minor: int
    taxes: tuple[Tax, ...]


class PendingSum(Struct, frozen=True, kw_only=True):
    """Pending charges of a customer in one currency."""

    customer_id: int
    currency: str
    charges: int
    amount_minor: int


class PendingCharges(Protocol):
    """Services that are charged by invoice runs."""

    async def sum_by_customer(self, call: Call, until: date) -> Sequence[PendingSum]:
        """Return the pending charges until a day, by customer and currency. One statement."""
        ...

    async def list_pending(self, call: Call, customer_ids: Collection[int], until: date) -> Sequence[PendingCharge]:
        """Return the pending charges of customers until a day."""
        ...

    async def lock(self, call: Call, customer_id: int, until: date) -> Sequence[int]:
        """Lock and return the records with pending charges of a customer until a day."""
        ...

    async def charge(self, call: Call, record_ids: Sequence[int]) -> Sequence[int]:
        """Charge locked records. Return the transfers."""
        ...
