"""Payable records of other contexts, and the feed of exchange rates."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

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


class ExchangeRatesUnavailable(Exception):
    """Raised if the file of exchange rates could not be fetched."""


class ExchangeRateFeed(Protocol):
    """Source of the daily file of exchange rates."""

    async def fetch(self) -> bytes | None:
        """Return the file, or None without a source.

        Raises `ExchangeRatesUnavailable`.
        """
        ...
