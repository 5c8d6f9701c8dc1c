"""Rules of on-demand orders: drivers and radius of a round, and open offers."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.geography import LatLng, great_circle_m

OFFER_GONE = declare_error("offer_gone", 409)
ORDER_ALREADY_OFFERED = declare_error("order_already_offered", 409)
JOB_NOT_OPEN = declare_error("job_not_open", 409)

MAX_POSITION_AGE = timedelta(minutes=15)
"""Age of a position beyond which a driver gets no offers, because the location is unknown."""


UNASKED_MAX = timedelta(minutes=15)
"""So long an order waits for a rider who can be asked; then it expires, and the office plans it otherwise."""


class InstantJobStatus(StrEnum):
    """The status of an order that is offered."""

    OPEN = "open"
    TAKEN = "taken"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class OfferStatus(StrEnum):
    """The status of an offer to one rider. `lost`: another rider got the order."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    EXPIRED = "expired"
    LOST = "lost"


class NearbyRider(Struct, frozen=True):
    """A rider who could get an offer, and their newest position."""

    driver_id: int
    place: LatLng


def round_radius_m(radius_m: int, round: int) -> int:
    """Return the radius of the n-th round in metres: n times the first."""
    return radius_m * round


def find_nearest_riders(
    riders: Iterable[NearbyRider], place: LatLng, within_m: int, most: int
) -> list[tuple[NearbyRider, int]]:
    """Return the nearest drivers within a distance, with their distance in metres.

    Nearest first.
    """
    near = [(rider, round(great_circle_m(rider.place, place))) for rider in riders]
    near = [(rider, away_m) for rider, away_m in near if away_m <= within_m]
    return sorted(near, key=lambda rider_and_distance: (rider_and_distance[1], rider_and_distance[0].driver_id))[:most]


def check_offer_answerable(job: str, offer: str, expires_at: datetime, now: datetime) -> OperationError | None:
    """Why an offer can no longer be answered, or None."""
    stands = job == InstantJobStatus.OPEN and offer == OfferStatus.OFFERED and now < expires_at
    return None if stands else OFFER_GONE()
