"""What dispatch announces. One event names every order it is about, so that a bulk call stays one piece of news."""

from datetime import date, datetime

from msgspec import Struct

from haulier.kernel.events import Event


class OrdersAssigned(Event, frozen=True, kw_only=True):
    """Orders were given to a contractor; nobody else can plan them now."""

    order_ids: tuple[int, ...]
    contractor_id: int
    assigned_by: int | None
    at: datetime


class EndedAssignment(Struct, frozen=True):
    """An order and the contractor who no longer holds it."""

    order_id: int
    contractor_id: int


class AssignmentsEnded(Event, frozen=True, kw_only=True):
    """Contractors no longer hold these orders. `status` is revoked or released."""

    ended: tuple[EndedAssignment, ...]
    status: str
    reason: str | None
    ended_by: int | None
    at: datetime


class RouteCreated(Event, frozen=True, kw_only=True):
    """A route was drawn up; it has no stops yet."""

    route_id: int
    day: date
    contractor_id: int | None


class RouteAssigned(Event, frozen=True, kw_only=True):
    """A route was given to a driver, or taken back when there is none."""

    route_id: int
    driver_id: int | None


class RouteStarted(Event, frozen=True, kw_only=True):
    """A driver left the depot."""

    route_id: int
    driver_id: int
    at: datetime


class OrderOffered(Event, frozen=True, kw_only=True):
    """An order was offered to these drivers on demand; the first who accepts before `expires_at` has it."""

    job_id: int
    order_id: int
    driver_ids: tuple[int, ...]
    round: int
    expires_at: datetime


class OfferEnded(Event, frozen=True, kw_only=True):
    """An order is no longer offered. `status` is taken, expired or withdrawn."""

    job_id: int
    order_id: int
    status: str
    driver_id: int | None
    at: datetime


class StopArrived(Event, frozen=True, kw_only=True):
    """A driver reached a stop."""

    route_id: int
    stop_id: int
    order_id: int
    at: datetime


class StopCompleted(Event, frozen=True, kw_only=True):
    """What was to be done at a stop was done. `kind` is pickup or delivery."""

    route_id: int
    stop_id: int
    order_id: int
    kind: str
    at: datetime


class StopFailed(Event, frozen=True, kw_only=True):
    """A stop was in vain. `outcome` is retry or return."""

    route_id: int
    stop_id: int
    order_id: int
    reason: str
    outcome: str
    at: datetime


class RouteFinished(Event, frozen=True, kw_only=True):
    """A route is over; nothing is in the vehicle any more."""

    route_id: int
    at: datetime


class RouteCancelled(Event, frozen=True, kw_only=True):
    """A route will not be driven; its orders are back in their pools."""

    route_id: int
    order_ids: tuple[int, ...]


class StopsMoved(Event, frozen=True, kw_only=True):
    """Stops of these orders stand on another route now, or elsewhere on the same one."""

    route_id: int
    from_route_ids: tuple[int, ...]
    order_ids: tuple[int, ...]


class RoutesMerged(Event, frozen=True, kw_only=True):
    """The orders of some routes are driven on another one; `merged_ids` are cancelled."""

    route_id: int
    merged_ids: tuple[int, ...]
    order_ids: tuple[int, ...]


class RoutePublished(Event, frozen=True, kw_only=True):
    """Drivers may see a route now."""

    route_id: int
    day: date
    driver_id: int | None


class RouteUnpublished(Event, frozen=True, kw_only=True):
    """A route is the planners' own again; its driver sees it no more."""

    route_id: int
    day: date
    driver_id: int | None


class RoutePosted(Event, frozen=True, kw_only=True):
    """A route is on the driver route board; it can be claimed from `opens_at` on."""

    route_id: int
    day: date
    opens_at: datetime


class RouteLeftBoard(Event, frozen=True, kw_only=True):
    """A route is on the driver route board no more. `standing_by` are the drivers who wait for it in vain."""

    route_id: int
    closing: str
    standing_by: tuple[int, ...]


class RouteClaimed(Event, frozen=True, kw_only=True):
    """A driver took a route from the board. `promoted`: they stood by for it and it became theirs."""

    route_id: int
    claim_id: int
    driver_id: int
    promoted: bool
    at: datetime


class ClaimEnded(Event, frozen=True, kw_only=True):
    """A driver has a claim no more. `outcome` is withdrawn, left, freed or closed."""

    route_id: int
    claim_id: int
    driver_id: int
    outcome: str
    at: datetime


class DriverDocumentEnds(Event, frozen=True, kw_only=True):
    """A paper of a driver ends soon, or has ended when `over`. Said at most once each, and not of one that was renewed."""

    document_id: int
    driver_id: int
    kind: str
    expires_on: date
    over: bool


class DriverAdmitted(Event, frozen=True, kw_only=True):
    """Somebody who applied by themselves was made a driver."""

    registration_id: int
    driver_id: int
    user_id: int
