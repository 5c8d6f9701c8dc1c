"""The events of settlements."""

from datetime import datetime

from haulier.kernel.background.events import DomainEvent


class CodCollected(DomainEvent, frozen=True, kw_only=True):
    """Money was taken for an order. `settled`: nothing is open of it now. How much it was is read from the report."""

    order_id: int
    settled: bool
    at: datetime


class CodWrittenOff(DomainEvent, frozen=True, kw_only=True):
    """The business gives up what is open of an order, or a part of it."""

    order_id: int
    settled: bool
    at: datetime


class CashHandedIn(DomainEvent, frozen=True, kw_only=True):
    """A driver handed in cash. `difference_minor` is below zero where something was missing."""

    driver_id: int
    counted_minor: int
    difference_minor: int
    cash_currency: str
    at: datetime
