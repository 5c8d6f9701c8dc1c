"""Events of the marketplace context."""

from datetime import date, datetime

from haulier.kernel.background.events import DomainEvent


class RoutePosted(DomainEvent, frozen=True, kw_only=True):
    """A route was posted to the driver route board. Claims open at `opens_at`."""

    route_id: int
    day: date
    opens_at: datetime


class RouteLeftBoard(DomainEvent, frozen=True, kw_only=True):
    """A route left the driver route board. `standing_by` are its standby drivers."""

    route_id: int
    closing: str
    standing_by: tuple[int, ...]


class RouteClaimed(DomainEvent, frozen=True, kw_only=True):
    """A driver claimed a route. `promoted`: the driver moved up from standby."""

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
