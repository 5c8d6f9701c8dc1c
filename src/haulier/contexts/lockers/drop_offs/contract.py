"""What goes in and out of parcels that senders hand in at lockers."""

from pydantic import Field

from haulier.contexts.lockers.parcels.contract import KEEP_DAYS_MAX
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId


class DropOffAtLocker(Request):
    """An order whose sender puts the parcel into a locker."""

    order_id: RecordId
    """An order that is fetched from its sender (type P), such as a return."""
    site_id: RecordId
    """The site."""
    size: SizeOfBox = "s"
    """The smallest box into which it fits."""
    low: bool = False
    """Whether the box must be reachable from a wheelchair."""
    hold_hours: int = Field(default=48, ge=1, le=24 * 14)
    """The box is kept for so long."""
    pick_up_days: int = Field(default=3, ge=1, le=KEEP_DAYS_MAX)
    """Within so many days after that a courier takes it out."""


class LockerDropOffRef(Request):
    """Which order."""

    order_id: RecordId
