"""Events of the settlements context."""

from datetime import datetime

from haulier.kernel.background.events import DomainEvent


class CodCollected(DomainEvent, frozen=True, kw_only=True):
    """Money was collected for an order.

    If `settled` is true, nothing remains open. The amount is available in the report.
    """

    order_id: int
    settled: bool
    at: datetime


class CodWrittenOff(DomainEvent, frozen=True, kw_only=True):
    """The business wrote off all or part of an order's open amount."""

    order_id: int
    settled: bool
    at: datetime


class CashHandedIn(DomainEvent, frozen=True, kw_only=True):
    """A driver handed in cash. `difference_minor` is negative if money was missing."""

    driver_id: int
    counted_minor: int
    difference_minor: int
    cash_currency: str
    at: datetime
