"""What goes in and out of parcels in lockers."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.devices.contract.devices import DeviceCommandRecord
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, REASON_MAX, EmailText, Name, RecordId
from haulier.kernel.values.moments import Moment
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
    """Who takes a parcel out that belongs to no order."""

    name: Name = Field(examples=["Ada"])
    """Name of the recipient."""
    email: RecipientEmail | None = None
    """Email address for the code."""
    phone: RecipientPhone | None = None
    """Phone number for the code by SMS, if there is no email address."""
    customer_id: RecordId | None = None
    """Their account, where they have one."""


class ReserveLockerBox(Request):
    """A box for a parcel: of an order, or of somebody who is named."""

    site_id: RecordId
    size: SizeOfBox = "s"
    """Smallest compartment size that fits the parcel."""
    low: bool = False
    """If true, the compartment must be wheelchair accessible."""
    order_id: RecordId | None = None
    """The order whose parcel it is; its recipient gets the code."""
    recipient: LockerRecipient | None = None
    """Who takes it out, where it belongs to no order."""
    reference: LockerReference | None = None
    """What it is called elsewhere."""
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
    """Which parcel."""

    locker_parcel_id: RecordId


class ExtendLockerParcel(LockerParcelRef):
    """A parcel that may stay longer."""

    until: Moment
    """Until then."""


class EndLockerReservation(LockerParcelRef):
    """A box that is not needed."""

    reason: Annotated[str, Field(max_length=REASON_MAX, pattern=NO_NUL)] = Field(default="", examples=["came back"])
    """Reason."""


class OpenLockerBox(Request):
    """A door to open from afar."""

    box_id: RecordId
    reason: OpenReason
    """Why; it stands in the audit trail. Whoever is there may take what is in the box."""


class ListLockerParcels(PageRequest):
    """Which parcels; one must match all that is given."""

    site_id: RecordId | None = None
    kind: KindOfParcel | None = None
    """`drop_off` are those that a sender puts in and a courier takes out."""
    status: StatusOfParcel | None = None
    order_id: RecordId | None = None
    customer_id: RecordId | None = None
    reference: LockerReference | None = None
    reminded: bool | None = None
    """Those whose recipient was told that the time is almost over, or those whose was not."""


class LockerParcel(Answer):
    """A parcel that has or had a box."""

    id: int
    site_id: int
    box_id: int
    cabinet: Annotated[str, doc("What is written on the cabinet.", "A")]
    box: Annotated[int, doc("The box's number in the cabinet.")]
    kind: Annotated[str, doc("delivery, or drop_off where its sender puts it in.", "delivery")]
    status: Annotated[str, doc("reserved, deposited, collected, expired, removed or cancelled.", "deposited")]
    order_id: int | None
    customer_id: int | None
    reference: str | None
    recipient_name: str | None
    until: Annotated[datetime, doc("Until when the box is kept, or the parcel can be taken out.")]
    reserved_at: datetime
    deposited_at: datetime | None
    reminded_at: Annotated[datetime | None, doc("When its recipient was told last that the time is almost over.")]
    ended_at: Annotated[datetime | None, doc("When it left the box, or gave it up.")]
    end_reason: str | None


class LockerParcelDetail(LockerParcel):
    """A parcel, and every time that a door was opened for it."""

    code_made_at: Annotated[datetime | None, doc("When its code was made; null where it never had one.")]
    accesses: list[DeviceCommandRecord]


class LockerParcelAnswer(Answer):
    """One parcel."""

    result: bool = True
    parcel: LockerParcelDetail


class LockerDoorAnswer(LockerParcelAnswer):
    """A parcel whose door is being opened."""

    command: DeviceCommandRecord


class LockerCode(LockerParcelAnswer):
    """A parcel and its new code. It is shown here and never again."""

    code: Annotated[str, doc("What opens the box, once.", "04715528")]


class OpenedLockerBox(Answer):
    """A box whose door is being opened."""

    result: bool = True
    box_id: int
    command: DeviceCommandRecord


class LockerParcelList(PagedAnswer):
    """A page of parcels, newest first."""

    parcels: list[LockerParcel]
