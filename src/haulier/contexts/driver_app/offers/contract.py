"""Request and response models for on-demand orders."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.driver_app.offers.rules import InstantJobStatus, OfferStatus
from haulier.contexts.routes.routes.contract import Position, RouteDetail
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import DriverId, InstantJobId, RiderOfferId


class SetRiderDuty(Request):
    """Availability of the driver for on-demand orders."""

    available: bool
    """If true, the driver is available for on-demand orders."""
    position: Position | None = None
    """Position of the driver. Drivers whose position is older than 15 minutes get no offers."""


class OfferOrderToRiders(Request):
    """An order to be offered to riders nearby."""

    order_id: RecordId
    depot_id: RecordId | None = None
    """Depot where the parcel is, and where it returns if it cannot be delivered. Default: the nearest open depot."""


class InstantJobRef(Request):
    """Reference to a job."""

    job_id: InstantJobId


class ListInstantJobs(Request):
    """The newest jobs."""

    limit: int = Field(default=50, ge=1, le=200)
    """Maximum number of results."""


class RiderOfferRef(Request):
    """Reference to an offer."""

    offer_id: RiderOfferId


class DeclineRiderOffer(RiderOfferRef):
    """An offer to decline."""

    reason: Reason | None = None


class ListMyOffers(Request):
    """The request has no fields."""


class RiderDuty(Answer):
    """Availability of a driver for on-demand orders."""

    result: bool = True
    available: bool


class RiderOffer(Answer):
    """An offer to one rider."""

    id: int
    driver_id: DriverId
    round: int
    status: OfferStatus
    away_m: Annotated[int, doc("Distance of the driver in metres, as the crow flies.")]
    offered_at: datetime
    expires_at: datetime
    answered_at: datetime | None
    reason: str | None


class InstantJob(Answer):
    """An order that is offered on demand."""

    id: int
    order_id: int
    status: InstantJobStatus
    round: Annotated[int, doc("Number of rounds.")]
    driver_id: DriverId | None
    route_id: Annotated[int | None, doc("Route of the driver with this order.")]
    created_at: datetime
    ended_at: datetime | None
    offers: list[RiderOffer]


class InstantJobAnswer(Answer):
    """One job."""

    result: bool = True
    job: InstantJob


class InstantJobs(Answer):
    """A list of jobs, newest first."""

    result: bool = True
    jobs: list[InstantJob]


class OpenRiderOffer(Answer):
    """An order that a rider may take."""

    id: int
    job_id: InstantJobId
    order_id: int
    type: Annotated[str, doc("Type of order: D from the depot, P to the depot, P2P point to point.")]
    away_m: int
    lat: Annotated[float, doc("Start of the job.")]
    lng: float
    from_name: Annotated[str | None, doc("Name of the pickup place; null for a private address.")]
    from_address: Annotated[str, doc("Pickup location: the depot or the shipper.")]
    to_address: Annotated[str | None, doc("Location of the delivery, or of the pickup for the depot.")]
    to_lat: float | None
    to_lng: float | None
    pieces: int
    weight_g: int
    cod_minor: Annotated[int | None, doc("Cash to collect in minor units; null if none.")]
    currency: Annotated[str, doc("Currency of both amounts (ISO 4217).")]
    pay_minor: Annotated[int | None, doc("Pay for the order, without its kilometres; null without a rate.")]
    offered_at: datetime
    expires_at: datetime


class OpenRiderOffers(Answer):
    """The open offers. The one that expires first comes first."""

    result: bool = True
    offers: list[OpenRiderOffer]


class AcceptedInstantJob(Answer):
    """A job that the rider took, and the route that goes with it."""

    result: bool = True
    job_id: InstantJobId
    order_id: int
    route: RouteDetail


class AcceptedInstantJobs(Answer):
    """The jobs that are not over yet."""

    result: bool = True
    jobs: list[AcceptedInstantJob]


class DeclinedRiderOffer(Answer):
    """An offer that the rider will not take."""

    result: bool = True
    offer_id: RiderOfferId
    message: str
