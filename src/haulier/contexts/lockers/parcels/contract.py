"""Request and response models for locker parcels."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.devices.contract import DeviceCommandRecord
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, REASON_MAX, EmailText, Name, RecordId
from haulier.kernel.operations.ids import LockerBoxId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

REFERENCE_MAX, PHONE_MAX = 80, 50
KEEP_DAYS_MAX = 60

KindOfParcel = Literal["delivery", "drop_off"]
StatusOfParcel = Literal["reserved", "deposited", "collected", "expired", "removed", "cancelled"]
LockerReference = Annotated[str, Field(min_length=1, max_length=REFERENCE_MAX, pattern=NO_NUL, examples=["BOX-17"])]
RecipientEmail = Annotated[EmailText, Field(examples=["ada@example.com"])]
RecipientPhone = Annotated[str, Field(min_length=3, max_length=PHONE_MAX, pattern=NO_NUL, examples=["+14165550100"])]
OpenReason = Annotated[
    str, Field(min_length=3, max_length=REASON_MAX, pattern=NO_NUL, examples=["The recipient's code does not work"])
]


class LockerRecipient(Request):
    """Recipient of a parcel without an order."""

    name: Name = Field(examples=["Ada"])
    """Name of the recipient."""
    email: RecipientEmail | None = None
    """Email address for the code."""
    phone: RecipientPhone | None = None
    """Phone number for the code by SMS, if there is no email address."""
    customer_id: RecordId | None = None
    """Customer account of the recipient."""


class ReserveLockerBox(Request):
    """A compartment to reserve, for an order or a named recipient."""

    site_id: RecordId
    size: SizeOfBox = "s"
    """Smallest compartment size that fits the parcel."""
    low: bool = False
    """If true, the compartment must be wheelchair accessible."""
    order_id: RecordId | None = None
    """Order of the parcel. Its recipient gets the code."""
    recipient: LockerRecipient | None = None
    """Recipient of a parcel without an order."""
    reference: LockerReference | None = None
    """External reference."""
    hold_hours: int = Field(default=48, ge=1, le=24 * 14)
    """Hours for which the compartment is reserved."""
    keep_days: int = Field(default=3, ge=1, le=KEEP_DAYS_MAX)
    """Days for which the recipient can collect the parcel."""

    @model_validator(mode="after")
    def _whose(self) -> "ReserveLockerBox":
        if (self.order_id is None) == (self.recipient is None):
            raise PydanticCustomError("order_or_recipient", "give either order_id or recipient")
        return self


class LockerParcelRef(Request):
    """Reference to a locker parcel."""

    locker_parcel_id: RecordId


class ExtendLockerParcel(LockerParcelRef):
    """A parcel to extend."""

    until: Moment
    """New end of the pickup time."""


class EndLockerReservation(LockerParcelRef):
    """A reservation to release."""

    reason: Annotated[str, Field(max_length=REASON_MAX, pattern=NO_NUL)] = Field(default="", examples=["came back"])
    """Reason."""


class OpenLockerBox(Request):
    """A door to open remotely."""

    box_id: LockerBoxId
    reason: OpenReason
    """Reason, recorded in the audit trail. Anyone at the locker can take the content."""


class ListLockerParcels(PageRequest):
    """Filters for locker parcels. Parcels must match all of them."""

    site_id: RecordId | None = None
    kind: KindOfParcel | None = None
    """Filter by kind. `drop_off` parcels are deposited by senders and collected by couriers."""
    status: StatusOfParcel | None = None
    box_id: LockerBoxId | None = None
    """Only parcels of this compartment."""
    day: Day | None = None
    """Only parcels deposited or taken out on this day."""
    order_id: RecordId | None = None
    customer_id: RecordId | None = None
    reference: LockerReference | None = None
    reminded: bool | None = None
    """Filter by whether the recipient was reminded of the deadline."""


class LockerParcel(Answer):
    """A locker parcel."""

    id: int
    site_id: int
    box_id: LockerBoxId
    cabinet: Annotated[str, doc("Code on the locker.", "A")]
    box: Annotated[int, doc("Number of the compartment in the locker.")]
    kind: Annotated[str, doc("delivery, or drop_off if the sender deposits it.", "delivery")]
    status: Annotated[str, doc("reserved, deposited, collected, expired, removed or cancelled.", "deposited")]
    order_id: int | None
    customer_id: int | None
    reference: str | None
    recipient_name: str | None
    until: Annotated[datetime, doc("End of the reservation or of the pickup time.")]
    reserved_at: datetime
    deposited_at: datetime | None
    reminded_at: Annotated[datetime | None, doc("Time of the last reminder to the recipient.")]
    ended_at: Annotated[datetime | None, doc("Time when the parcel left or released the compartment.")]
    end_reason: str | None


class LockerParcelDetail(LockerParcel):
    """A locker parcel with every opening of its door."""

    code_made_at: Annotated[datetime | None, doc("Time when the code was created. Null without a code.")]
    code_works: Annotated[bool, doc("If true, the code opens the compartment now, to deposit or to collect.")]
    accesses: list[DeviceCommandRecord]


class LockerParcelAnswer(Answer):
    """A locker parcel."""

    result: bool = True
    parcel: LockerParcelDetail


class LockerDoorAnswer(LockerParcelAnswer):
    """A parcel whose door is opening."""

    command: DeviceCommandRecord


class LockerCode(LockerParcelAnswer):
    """A parcel and its new code. The code is shown only once."""

    code: Annotated[str, doc("Code that opens the compartment once.", "04715528")]


class OpenedLockerBox(Answer):
    """A compartment whose door is opening."""

    result: bool = True
    box_id: LockerBoxId
    command: DeviceCommandRecord


class LockerParcelList(PagedAnswer):
    """A page of parcels, newest first."""

    parcels: list[LockerParcel]
