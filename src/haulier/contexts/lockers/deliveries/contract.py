"""What goes in and out of deliveries into lockers."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.lockers.devices.contract.devices import DeviceCommandRecord
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
    """An order that shall be left in a locker."""

    order_id: RecordId
    site_id: RecordId
    """The site."""
    size: SizeOfBox = "s"
    """The smallest box into which it fits."""
    low: bool = False
    """Whether the box must be reachable from a wheelchair."""
    if_full: FallbackWhenFull = "nearest_locker"
    """Where it goes when no box opens for it: another site within 5 km, the recipient's address, or back."""
    hold_hours: int = Field(default=72, ge=1, le=24 * 14)
    """The box is kept for so long; after that one is looked for when the driver is there."""
    keep_days: int = Field(default=3, ge=1, le=KEEP_DAYS_MAX)
    """Once it is in the box, it can be taken out for so long."""
    wait: bool = False
    """Where no box is free, it waits in line for the first that becomes free before it goes out; otherwise this is refused."""


class LockerDeliveryRef(Request):
    """Which order."""

    order_id: RecordId


class ListLockerDeliveries(PageRequest):
    """Which deliveries; one must match all that is given."""

    site_id: RecordId | None = None
    status: StatusOfLockerDelivery | None = None


class LockerDelivery(Answer):
    """An order that goes into a locker."""

    order_id: int
    site_id: int
    site_name: str
    locker_parcel_id: Annotated[int | None, doc("The parcel that has a box, or had the last one.")]
    cabinet: Annotated[str | None, doc("What is written on the cabinet.", "A")]
    box: Annotated[int | None, doc("The box's number in the cabinet.")]
    size: str
    low: bool
    if_full: Annotated[str, doc("nearest_locker, address or return.", "nearest_locker")]
    status: Annotated[
        str, doc("waiting, planned, deposited, collected, taken_back, fallen_back or cancelled.", "planned")
    ]
    fell_back_because: Annotated[
        str | None, doc("Why it went elsewhere: no_free_box, no_device, given_up or site_retired.", "no_free_box")
    ]
    waiting_since: Annotated[datetime | None, doc("Since when it waits for a box; null where it does not.")]
    waiting_before: Annotated[int | None, doc("How many orders wait at the site before it.", 0)]
    access_notes: Annotated[str | None, doc("How to find the site.")]
    created_at: datetime
    ended_at: datetime | None


class LockerDeliveryAnswer(Answer):
    """One delivery into a locker."""

    result: bool = True
    delivery: LockerDelivery


class LockerDeliveryList(PagedAnswer):
    """A page of deliveries into lockers, newest first."""

    deliveries: list[LockerDelivery]


class DriversLockerDoor(LockerDeliveryAnswer):
    """What became of a driver's wish that a box open."""

    command: Annotated[
        DeviceCommandRecord | None,
        doc("The door that is being opened, or was opened last; null where none is or was."),
    ]


class DriversDepositCode(LockerDeliveryAnswer):
    """What a driver types at the cabinet to put the parcel of a stop in. It is shown here and never again."""

    code: Annotated[str | None, doc("It opens the box once; null where nothing is to be put in here.", "04715528")]
    made_at: Annotated[datetime | None, doc("A code that is made later replaces this one.")]
    expires_at: Annotated[datetime | None, doc("The box is kept until then.")]
