"""Request and response models for locker deliveries."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.lockers.devices.contract import DeviceCommandRecord
from haulier.contexts.lockers.parcels.contract import KEEP_DAYS_MAX
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

FallbackWhenFull = Literal["nearest_locker", "address", "return"]
StatusOfLockerDelivery = Literal[
    "waiting", "planned", "deposited", "collected", "taken_back", "fallen_back", "cancelled"
]


class DeliverToLocker(Request):
    """An order to deliver to a locker."""

    order_id: RecordId
    site_id: RecordId
    """The site."""
    size: SizeOfBox = "s"
    """Smallest compartment size that fits the parcel."""
    low: bool = False
    """If true, the compartment must be wheelchair accessible."""
    if_full: FallbackWhenFull = "nearest_locker"
    """Alternative if no compartment opens: another site within 5 km, the recipient's address, or return."""
    hold_hours: int = Field(default=72, ge=1, le=24 * 14)
    """Hours for which the compartment is reserved. Afterwards the driver gets any free compartment on arrival."""
    keep_days: int = Field(default=3, ge=1, le=KEEP_DAYS_MAX)
    """Days for which the recipient can collect the parcel."""
    wait: bool = False
    """If true, an order without a free compartment waits in a queue until it goes out for delivery."""


class LockerDeliveryRef(Request):
    """Reference to the locker delivery of an order."""

    order_id: RecordId


class ListLockerDeliveries(PageRequest):
    """Filters for locker deliveries. Deliveries must match all of them."""

    site_id: RecordId | None = None
    status: StatusOfLockerDelivery | None = None


class LockerDelivery(Answer):
    """A locker delivery of an order."""

    order_id: int
    site_id: int
    site_name: str
    locker_parcel_id: Annotated[int | None, doc("ID of the latest parcel that has or had a compartment.")]
    cabinet: Annotated[str | None, doc("Code on the locker.", "A")]
    box: Annotated[int | None, doc("Number of the compartment in the locker.")]
    size: str
    low: bool
    if_full: Annotated[str, doc("nearest_locker, address or return.", "nearest_locker")]
    status: Annotated[
        str, doc("waiting, planned, deposited, collected, taken_back, fallen_back or cancelled.", "planned")
    ]
    fell_back_because: Annotated[
        str | None,
        doc("Reason for the alternative delivery: no_free_box, no_device, given_up or site_retired.", "no_free_box"),
    ]
    waiting_since: Annotated[
        datetime | None, doc("Start of the wait for a compartment. Null if the order is not waiting.")
    ]
    waiting_before: Annotated[int | None, doc("Number of orders ahead in the queue of the site.", 0)]
    access_notes: Annotated[str | None, doc("Directions to the site.")]
    created_at: datetime
    ended_at: datetime | None


class LockerDeliveryAnswer(Answer):
    """A locker delivery."""

    result: bool = True
    delivery: LockerDelivery


class LockerDeliveryList(PagedAnswer):
    """A page of locker deliveries, newest first."""

    deliveries: list[LockerDelivery]


class DriversLockerDoor(LockerDeliveryAnswer):
    """Result of a driver's request to open a compartment."""

    command: Annotated[
        DeviceCommandRecord | None,
        doc("Latest command to open a door for the order. Null if there is none."),
    ]


class DriversDepositCode(LockerDeliveryAnswer):
    """Deposit code for a driver. It is shown only once."""

    code: Annotated[
        str | None, doc("Code that opens the compartment once. Null if there is nothing to deposit.", "04715528")
    ]
    made_at: Annotated[datetime | None, doc("Time of creation. A newer code replaces an older one.")]
    expires_at: Annotated[datetime | None, doc("Time until which the compartment is reserved.")]
