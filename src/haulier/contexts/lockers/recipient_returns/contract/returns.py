"""A recipient's return, in requests and answers."""

from datetime import datetime
from typing import Annotated

from pydantic import StringConstraints

from haulier.contexts.lockers.recipient_returns.contract.settings import ReasonCode
from haulier.contexts.lockers.recipient_returns.rules import ReturnOutcome, ReturnStatus, ReturnWay
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import NO_NUL, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

NOTE_MAX = 300


class FindReturnOffer(DeliveryAccess):
    """One's own delivery, and how large the box must be."""

    size: SizeOfBox = "s"
    """Sites are listed where a box at least so large is free now."""


class BeginReturn(DeliveryAccess):
    """What is sent back, and how."""

    reason: ReasonCode
    """One of the reasons that are offered."""
    note: Annotated[str, StringConstraints(max_length=NOTE_MAX, pattern=NO_NUL)] = ""
    """What else there is to say."""
    way: ReturnWay
    """One of the ways that are offered."""
    site_id: RecordId | None = None
    """At which site it is handed in; needed for a locker."""
    size: SizeOfBox = "s"
    """The smallest box into which it fits."""


class ListRecipientReturns(PageRequest):
    """Which returns. Customers get those of their own orders."""

    order_id: RecordId | None = None
    """Only those of an order that was delivered."""
    way: ReturnWay | None = None
    """Only those that come back this way."""
    outcome: ReturnOutcome | None = None
    """Only those that ended so."""


class ReturnPlace(Answer):
    """A site of lockers at which a return can be handed in."""

    site_id: int
    name: str
    address: str
    distance_m: Annotated[int, doc("Metres from where it was delivered, as the crow flies.")]
    free: Annotated[int, doc("How many boxes that are large enough are free now.")]
    open_now: bool


class OfferedReasonText(Answer):
    """A reason."""

    code: str
    text: Annotated[str, doc("In the caller's language.", "It does not fit")]


class ReturnOffer(Answer):
    """What a recipient may choose from."""

    until: Annotated[datetime, doc("A return can be begun so long.")]
    ways: list[ReturnWay]
    reasons: list[OfferedReasonText]
    places: Annotated[list[ReturnPlace], doc("The nearest sites with a free box; none where no way is a locker.")]


class DeliveryReturn(Answer):
    """A return, as its recipient sees it."""

    tracking_number: Annotated[str, doc("Of what comes back; it has a journey of its own.", "HLTR16KD5632GCM")]
    way: ReturnWay
    status: ReturnStatus
    reason: Annotated[OfferedReasonText | None, doc("Null where it is offered no more.")]
    begun_at: datetime
    site_name: Annotated[str | None, doc("Where it is handed in.")]
    site_address: str | None
    hand_in_until: Annotated[datetime | None, doc("The box is kept so long; null once it was handed in.")]
    can_cancel: bool


class DeliveryReturnAnswer(Answer):
    """The return of one's own delivery, and what can be begun; null where there is none."""

    result: bool = True
    begun: DeliveryReturn | None
    offer: ReturnOffer | None


class BegunReturn(Answer):
    """A return and the code of its box. The code is shown here and never again; `renew_return_code` makes another."""

    result: bool = True
    begun: DeliveryReturn
    code: Annotated[str | None, doc("What opens the box, once; null for what is picked up.", "04715528")]


class RecipientReturn(Answer):
    """A return, as the business sees it."""

    id: int
    order_id: Annotated[int, doc("What was delivered.")]
    return_order_id: Annotated[int, doc("What brings it back.")]
    tracking_number: Annotated[str | None, doc("Of the return order.", "HLTR16KD5632GCM")]
    way: ReturnWay
    status: ReturnStatus
    reason: Annotated[str, doc("Its code.", "too_small")]
    note: str | None
    locker_site_id: int | None
    begun_at: datetime
    ended_at: Annotated[datetime | None, doc("When it was given up or lapsed.")]


class RecipientReturnList(PagedAnswer):
    """Returns, newest first."""

    returns: list[RecipientReturn]
