"""The events of the marketplace."""

from datetime import date, datetime

from haulier.kernel.background.events import DomainEvent


class RoutePosted(DomainEvent, frozen=True, kw_only=True):
    """A route is on the driver route board; it can be claimed from `opens_at` on."""

    route_id: int
    day: date
    opens_at: datetime


class RouteLeftBoard(DomainEvent, frozen=True, kw_only=True):
    """A route left the driver route board. `standing_by` are the drivers who stood by for it."""

    route_id: int
    closing: str
    standing_by: tuple[int, ...]


class RouteClaimed(DomainEvent, frozen=True, kw_only=True):
    """A driver took a route from the board. `promoted`: they stood by for it and it became theirs."""

    route_id: int
    claim_id: int
    driver_id: int
    promoted: bool
    at: datetime


class ClaimEnded(DomainEvent, frozen=True, kw_only=True):
    """A driver's claim ended. `outcome` is withdrawn, left, freed or closed."""

    route_id: int
    claim_id: int
    driver_id: int
    outcome: str
    at: datetime
