"""The events of the driver app."""

from datetime import datetime

from haulier.kernel.background.events import DomainEvent


class OrderOffered(DomainEvent, frozen=True, kw_only=True):
    """An order was offered to drivers on demand.

    The first to accept before `expires_at` gets it.
    """

    job_id: int
    order_id: int
    driver_ids: tuple[int, ...]
    round: int
    expires_at: datetime


class OfferEnded(DomainEvent, frozen=True, kw_only=True):
    """An order is no longer offered. `status` is taken, expired or withdrawn."""

    job_id: int
    order_id: int
    status: str
    driver_id: int | None
    at: datetime
