"""The events of routes. One event names all its orders, so that a bulk call publishes one event."""

from datetime import date, datetime

from msgspec import Struct

from haulier.kernel.background.events import DomainEvent


class OrdersAssigned(DomainEvent, frozen=True, kw_only=True):
    """Orders were given to a contractor; nobody else can plan them now."""

    order_ids: tuple[int, ...]
    contractor_id: int
    assigned_by: int | None
    at: datetime


class EndedAssignment(Struct, frozen=True):
    """An order and the contractor who no longer holds it."""

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
    """A route was created; it has no stops yet."""

    route_id: int
    day: date
    contractor_id: int | None


class RouteAssigned(DomainEvent, frozen=True, kw_only=True):
    """A route was given to a driver, or taken back when there is none."""

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
    """A stop is open again after a failed attempt or an undone delivery; failed where its route is over."""

    route_id: int
    stop_id: int
    order_id: int
    at: datetime


class RouteFinished(DomainEvent, frozen=True, kw_only=True):
    """A route is finished; the vehicle is empty."""

    route_id: int
    at: datetime


class RouteCancelled(DomainEvent, frozen=True, kw_only=True):
    """A route will not be driven; its orders are back in their pools."""

    route_id: int
    order_ids: tuple[int, ...]


class RouteAborted(DomainEvent, frozen=True, kw_only=True):
    """A route was given up under way. `aboard_order_ids` are still in its vehicle, the others are back in their pools."""

    route_id: int
    driver_id: int | None
    reason: str
    aboard_order_ids: tuple[int, ...]
    waiting_order_ids: tuple[int, ...]
    at: datetime


class RouteLoaded(DomainEvent, frozen=True, kw_only=True):
    """A vehicle under way took on these orders at the depot."""

    route_id: int
    order_ids: tuple[int, ...]
    at: datetime


class StopsHandedOver(DomainEvent, frozen=True, kw_only=True):
    """Another driver took these orders over under way, with what was aboard for them."""

    route_id: int
    from_route_id: int
    driver_id: int | None
    from_driver_id: int | None
    order_ids: tuple[int, ...]
    at: datetime


class StopDisputed(DomainEvent, frozen=True, kw_only=True):
    """A device reported a delivery against what the office had decided. `dispute` says what happened in which order."""

    route_id: int
    stop_id: int
    order_id: int
    dispute: str
    at: datetime


class StopsMoved(DomainEvent, frozen=True, kw_only=True):
    """Stops of these orders were moved to another route, or to another position on the same one."""

    route_id: int
    from_route_ids: tuple[int, ...]
    order_ids: tuple[int, ...]


class RoutesMerged(DomainEvent, frozen=True, kw_only=True):
    """The orders of some routes are driven on another one; `merged_ids` are cancelled."""

    route_id: int
    merged_ids: tuple[int, ...]
    order_ids: tuple[int, ...]


class RoutePublished(DomainEvent, frozen=True, kw_only=True):
    """Drivers may see a route now."""

    route_id: int
    day: date
    driver_id: int | None


class RouteUnpublished(DomainEvent, frozen=True, kw_only=True):
    """A route was unpublished; its driver no longer sees it."""

    route_id: int
    day: date
    driver_id: int | None
