"""Events of routes.

One event names all its orders, so that a bulk call publishes one event.
"""

from datetime import date, datetime

from msgspec import Struct

from haulier.kernel.background.events import DomainEvent


class OrdersAssigned(DomainEvent, frozen=True, kw_only=True):
    """Orders were assigned to a contractor, who alone can plan them."""

    order_ids: tuple[int, ...]
    contractor_id: int
    assigned_by: int | None
    at: datetime


class EndedAssignment(Struct, frozen=True):
    """An order, and the contractor that no longer holds it."""

    order_id: int
    contractor_id: int


class AssignmentsEnded(DomainEvent, frozen=True, kw_only=True):
    """Contractors no longer hold these orders. `status` is revoked or released."""

    ended: tuple[EndedAssignment, ...]
    status: str
    reason: str | None
    ended_by: int | None
    at: datetime


class RouteCreated(DomainEvent, frozen=True, kw_only=True):
    """A route without stops was created."""

    route_id: int
    day: date
    contractor_id: int | None


class RouteAssigned(DomainEvent, frozen=True, kw_only=True):
    """A route was assigned to a driver, or unassigned if there is none."""

    route_id: int
    driver_id: int | None


class RouteStarted(DomainEvent, frozen=True, kw_only=True):
    """A driver left the depot."""

    route_id: int
    driver_id: int
    at: datetime


class StopArrived(DomainEvent, frozen=True, kw_only=True):
    """A driver reached a stop."""

    route_id: int
    stop_id: int
    order_id: int
    at: datetime


class StopCompleted(DomainEvent, frozen=True, kw_only=True):
    """A stop was completed. `kind` is pickup or delivery."""

    route_id: int
    stop_id: int
    order_id: int
    kind: str
    at: datetime


class StopFailed(DomainEvent, frozen=True, kw_only=True):
    """A stop failed. `outcome` is retry or return."""

    route_id: int
    stop_id: int
    order_id: int
    reason: str
    outcome: str
    at: datetime


class StopReopened(DomainEvent, frozen=True, kw_only=True):
    """A stop was reopened after a failed attempt or a reverted delivery.

    It is failed if its route is finished.
    """

    route_id: int
    stop_id: int
    order_id: int
    at: datetime


class RouteFinished(DomainEvent, frozen=True, kw_only=True):
    """A route was finished with an empty vehicle."""

    route_id: int
    at: datetime


class RouteCancelled(DomainEvent, frozen=True, kw_only=True):
    """A route was cancelled. Its orders are back in their planning pools."""

    route_id: int
    order_ids: tuple[int, ...]


class RouteAborted(DomainEvent, frozen=True, kw_only=True):
    """A route was aborted.

    `aboard_order_ids` are still in its vehicle. The others are back in their planning pools.
    """

    route_id: int
    driver_id: int | None
    reason: str
    aboard_order_ids: tuple[int, ...]
    waiting_order_ids: tuple[int, ...]
    at: datetime


class RouteLoaded(DomainEvent, frozen=True, kw_only=True):
    """A vehicle under way loaded these orders at the depot."""

    route_id: int
    order_ids: tuple[int, ...]
    at: datetime


class StopsHandedOver(DomainEvent, frozen=True, kw_only=True):
    """Another driver took over these orders and their goods during the route."""

    route_id: int
    from_route_id: int
    driver_id: int | None
    from_driver_id: int | None
    order_ids: tuple[int, ...]
    at: datetime


class StopDisputed(DomainEvent, frozen=True, kw_only=True):
    """A device reported a delivery that contradicts a decision of staff.

    `dispute` describes the sequence of events.
    """

    route_id: int
    stop_id: int
    order_id: int
    dispute: str
    at: datetime


class StopsMoved(DomainEvent, frozen=True, kw_only=True):
    """Stops of these orders moved to another route, or to another position."""

    route_id: int
    from_route_ids: tuple[int, ...]
    order_ids: tuple[int, ...]


class RoutesMerged(DomainEvent, frozen=True, kw_only=True):
    """Orders of several routes were merged into one; `merged_ids` are cancelled."""

    route_id: int
    merged_ids: tuple[int, ...]
    order_ids: tuple[int, ...]


class RoutePublished(DomainEvent, frozen=True, kw_only=True):
    """A route was published to drivers."""

    route_id: int
    day: date
    driver_id: int | None


class RouteUnpublished(DomainEvent, frozen=True, kw_only=True):
    """A route was unpublished; its driver no longer sees it."""

    route_id: int
    day: date
    driver_id: int | None
