"""What goes in and out of orders offered on demand."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.driver_app.offers.rules import InstantJobStatus, OfferStatus
from haulier.contexts.routes.routes.contract import Position, RouteDetail
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import DriverId


class SetRiderDuty(Request):
    """Whether orders may be offered to the driver."""

    available: bool
    """True for orders on demand, please."""
    position: Position | None = None
    """Where the rider is. Riders whose position is older than a quarter of an hour are not asked."""


class OfferOrderToRiders(Request):
    """An order to be offered to riders nearby."""

    order_id: RecordId
    depot_id: RecordId | None = None
    """Where the parcel lies, and where it goes back to when it cannot be delivered; the nearest open one when left out."""


class InstantJobRef(Request):
    """Which job."""

    job_id: RecordId


class ListInstantJobs(Request):
    """The newest jobs."""

    limit: int = Field(default=50, ge=1, le=200)
    """Maximum number of changes."""


class RiderOfferRef(Request):
    """Which offer."""

    offer_id: RecordId


class DeclineRiderOffer(RiderOfferRef):
    """An offer to decline."""

    reason: Reason | None = None


class ListMyOffers(Request):
    """The request has no fields."""


class RiderDuty(Answer):
    """Whether orders are offered to the rider."""

    result: bool = True
    available: bool


class RiderOffer(Answer):
    """An offer to one rider."""

    id: int
    driver_id: DriverId
    round: int
    status: OfferStatus
    away_m: Annotated[int, doc("How far the rider was, in metres, as the crow flies.")]
    offered_at: datetime
    expires_at: datetime
    answered_at: datetime | None
    reason: str | None


class InstantJob(Answer):
    """An order that is offered on demand."""

    id: int
    order_id: int
    status: InstantJobStatus
    round: Annotated[int, doc("How many times riders were asked.")]
    driver_id: DriverId | None
    route_id: Annotated[int | None, doc("The route that the rider drives with it.")]
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
    job_id: int
    order_id: int
    type: Annotated[str, doc("D from the depot to a door, P from a door to the depot, P2P from door to door.")]
    away_m: int
    lat: Annotated[float, doc("Where the job starts.")]
    lng: float
    from_name: Annotated[str | None, doc("What the place is called where it is collected; null for a person's door.")]
    from_address: Annotated[str, doc("Where it is collected: the depot, or the shipper's door.")]
    to_address: Annotated[str | None, doc("Where it is brought to, or collected for the depot.")]
    to_lat: float | None
    to_lng: float | None
    pieces: int
    weight_g: int
    cod_minor: Annotated[int | None, doc("Money to take at the door, in minor units; null for none.")]
    currency: Annotated[str, doc("Of both amounts; ISO 4217.")]
    pay_minor: Annotated[
        int | None, doc("What you are paid for it, besides its kilometres; null where no rate of yours holds.")
    ]
    offered_at: datetime
    expires_at: datetime


class OpenRiderOffers(Answer):
    """The open offers. The one that expires first comes first."""

    result: bool = True
    offers: list[OpenRiderOffer]


class AcceptedInstantJob(Answer):
    """A job that the rider took, and the route that goes with it."""

    result: bool = True
    job_id: int
    order_id: int
    route: RouteDetail


class AcceptedInstantJobs(Answer):
    """The jobs that are not over yet."""

    result: bool = True
    jobs: list[AcceptedInstantJob]


class DeclinedRiderOffer(Answer):
    """An offer that the rider will not take."""

    result: bool = True
    offer_id: int
    message: str
