"""Events that consolidation publishes. None says what is in a parcel or what it is worth."""

from haulier.kernel.background.events import DomainEvent


class InboundParcelArrived(DomainEvent, frozen=True, kw_only=True):
    """A parcel that a carrier brought was received. `customer_id` is None while nobody knows whose it is."""

    parcel_id: int
    tracking_number: str
    customer_id: int | None = None


class InboundParcelMatched(DomainEvent, frozen=True, kw_only=True):
    """It became known whose a parcel is. `by` is number, suite or person."""

    parcel_id: int
    tracking_number: str
    customer_id: int
    by: str


class InboundParcelUnmatched(DomainEvent, frozen=True, kw_only=True):
    """A parcel is under way or here, and nobody knows whose it is: somebody must say."""

    parcel_id: int
    tracking_number: str


class InboundParcelClaimed(DomainEvent, frozen=True, kw_only=True):
    """A customer claims a parcel that has already arrived. The office approves or refuses the claim."""

    claim_id: int
    parcel_id: int
    tracking_number: str
    customer_id: int


class InboundParcelUnclaimed(DomainEvent, frozen=True, kw_only=True):
    """A parcel has been here for as long as the policy says, and still nobody knows whose it is."""

    parcel_id: int
    tracking_number: str
