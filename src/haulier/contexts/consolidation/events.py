"""Events of consolidation. None has the contents or the value of a parcel."""

from haulier.kernel.background.events import DomainEvent


class InboundParcelArrived(DomainEvent, frozen=True, kw_only=True):
    """An inbound parcel was received. `customer_id` is None if its owner is unknown."""

    parcel_id: int
    tracking_number: str
    customer_id: int | None = None


class InboundParcelMatched(DomainEvent, frozen=True, kw_only=True):
    """The owner of a parcel was identified. `by` is number, suite or person."""

    parcel_id: int
    tracking_number: str
    customer_id: int
    by: str


class InboundParcelUnmatched(DomainEvent, frozen=True, kw_only=True):
    """A parcel without a known owner is in transit or here; staff must match it."""

    parcel_id: int
    tracking_number: str


class InboundParcelClaimed(DomainEvent, frozen=True, kw_only=True):
    """A customer claims a parcel that has already arrived.

    Staff approve or refuse the claim.
    """

    claim_id: int
    parcel_id: int
    tracking_number: str
    customer_id: int


class InboundParcelUnclaimed(DomainEvent, frozen=True, kw_only=True):
    """A parcel has stayed without an owner for the time that the policy sets."""

    parcel_id: int
    tracking_number: str
