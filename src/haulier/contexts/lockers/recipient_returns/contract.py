"""Request and response models of recipient returns."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.recipient_returns.rules import ReturnOutcome, ReturnStatus, ReturnWay
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

DAYS_MAX, REASONS_MAX, HOLD_HOURS_MAX = 365, 20, 24 * 14
REASON_CODE_MAX, SERVICE_MAX = 40, 30
Language = Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"]
ReasonCode = Annotated[
    str,
    StringConstraints(min_length=1, max_length=REASON_CODE_MAX, pattern="^[a-z0-9_]+$"),
    Field(examples=["too_small"]),
]
ReasonText = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00]+$")]


class OfferedReturnReason(Request):
    """A return reason to offer."""

    code: ReasonCode
    """Reason code, unique within the list."""
    texts: dict[Language, ReasonText] = Field(min_length=1, examples=[{"en": "It does not fit"}])
    """Texts by language. English is shown if a language is missing."""


class SetReturnSettings(Request):
    """Settings for returns on the tracking page."""

    active: bool = True
    """If true, recipients can start returns. Returns in progress continue either way."""
    days: int = Field(default=30, ge=1, le=DAYS_MAX)
    """Return period in days after the delivery."""
    ways: list[ReturnWay] = Field(default=[ReturnWay.LOCKER, ReturnWay.PICKUP], min_length=1, max_length=2)
    """Return methods to offer."""
    reasons: list[OfferedReturnReason] = Field(min_length=1, max_length=REASONS_MAX)
    """Reasons to offer, in display order."""
    hold_hours: int = Field(default=48, ge=1, le=HOLD_HOURS_MAX)
    """Hours for which a compartment is reserved."""
    service: Annotated[str, StringConstraints(min_length=1, max_length=SERVICE_MAX, pattern="^[a-z0-9_]+$")] = (
        "standard"
    )
    """Rate card service that prices the return order."""

    @model_validator(mode="after")
    def _names_each_reason_once(self) -> "SetReturnSettings":
        codes = [each.code for each in self.reasons]
        if len(set(codes)) < len(codes):
            raise PydanticCustomError("return_reason_twice", "a reason is named twice")
        return self


class OfferedReason(Answer):
    """A return reason."""

    code: str
    texts: Annotated[dict[str, str], doc("Texts by language.")]


class ReturnSettings(Answer):
    """Settings for recipients' returns."""

    active: bool
    days: Annotated[int, doc("Return period in days after the delivery.")]
    ways: list[ReturnWay]
    reasons: list[OfferedReason]
    hold_hours: Annotated[int, doc("Hours for which a compartment is reserved.")]
    service: Annotated[str, doc("Rate card service that prices the return order.", "standard")]


class ReturnSettingsAnswer(Answer):
    """Settings for recipients' returns.

    Null, with returns turned off, until they are first set.
    """

    result: bool = True
    return_settings: ReturnSettings | None


NOTE_MAX = 300


class FindReturnOffer(DeliveryAccess):
    """A delivery and the required compartment size."""

    size: SizeOfBox = "s"
    """Required compartment size. Only sites with a free compartment at least this large are listed."""


class CreateDeliveryReturn(DeliveryAccess):
    """A return to start."""

    reason: ReasonCode
    """Reason code, one of the offered reasons."""
    note: Annotated[str, StringConstraints(max_length=NOTE_MAX, pattern=NO_NUL)] = ""
    """Additional comments."""
    way: ReturnWay
    """Return method, one of the offered methods."""
    site_id: RecordId | None = None
    """Site for the drop-off. Required for returns to a locker."""
    size: SizeOfBox = "s"
    """Smallest compartment size that fits the parcel."""


class ListRecipientReturns(PageRequest):
    """Filters for returns. Customers see only the returns of their own orders."""

    order_id: RecordId | None = None
    """Filter by delivered order."""
    way: ReturnWay | None = None
    """Filter by return method."""
    outcome: ReturnOutcome | None = None
    """Filter by outcome."""


class ReturnPlace(Answer):
    """A locker site that accepts returns."""

    site_id: int
    name: str
    address: str
    distance_m: Annotated[int, doc("Distance in metres from the delivery address, as the crow flies.")]
    free: Annotated[int, doc("Number of free compartments that are large enough.")]
    open_now: bool


class OfferedReasonText(Answer):
    """A return reason in the caller's language."""

    code: str
    text: Annotated[str, doc("Text in the caller's language.", "It does not fit")]


class ReturnOffer(Answer):
    """Return options for a recipient."""

    until: Annotated[datetime, doc("Time until which a return can be started.")]
    ways: list[ReturnWay]
    reasons: list[OfferedReasonText]
    places: Annotated[
        list[ReturnPlace], doc("Nearest sites with a free compartment. Empty if lockers are not offered.")
    ]


class DeliveryReturn(Answer):
    """A return, as its recipient sees it."""

    tracking_number: Annotated[str, doc("Tracking number of the return.", "HLTR16KD5632GCM")]
    way: ReturnWay
    status: ReturnStatus
    reason: Annotated[OfferedReasonText | None, doc("Reason of the return. Null if it is no longer offered.")]
    begun_at: datetime
    site_name: Annotated[str | None, doc("Site for the drop-off.")]
    site_address: str | None
    hand_in_until: Annotated[
        datetime | None, doc("Time until which the compartment is reserved. Null after the drop-off.")
    ]
    can_cancel: bool


class DeliveryReturnAnswer(Answer):
    """Current return of a delivery and the options for a new one.

    Null if there is none.
    """

    result: bool = True
    begun: DeliveryReturn | None
    offer: ReturnOffer | None


class BegunReturn(Answer):
    """A return and the code of its compartment.

    The code is shown only once. `renew_return_code` issues a new one.
    """

    result: bool = True
    begun: DeliveryReturn
    code: Annotated[str | None, doc("Code that opens the compartment once. Null for pickups.", "04715528")]


class RecipientReturn(Answer):
    """A return, as the business sees it."""

    id: int
    order_id: Annotated[int, doc("ID of the delivered order.")]
    return_order_id: Annotated[int, doc("ID of the order that brings the parcel back.")]
    tracking_number: Annotated[str | None, doc("Tracking number of the return order.", "HLTR16KD5632GCM")]
    way: ReturnWay
    status: ReturnStatus
    reason: Annotated[str, doc("Reason code.", "too_small")]
    note: str | None
    locker_site_id: int | None
    begun_at: datetime
    ended_at: Annotated[datetime | None, doc("Time when the return was cancelled or lapsed.")]


class RecipientReturnList(PagedAnswer):
    """A page of returns, newest first."""

    returns: list[RecipientReturn]
