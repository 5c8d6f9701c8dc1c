"""Request and response models for locker drop-offs."""

from pydantic import Field

from haulier.contexts.lockers.parcels.contract import KEEP_DAYS_MAX
from haulier.contexts.lockers.sites.contract import SizeOfBox
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId


class DropOffAtLocker(Request):
    """An order to drop off at a locker."""

    order_id: RecordId
    """Order to be picked up from its sender (type P), such as a return."""
    site_id: RecordId
    """The site."""
    size: SizeOfBox = "s"
    """Smallest compartment size that fits the parcel."""
    low: bool = False
    """If true, the compartment must be wheelchair accessible."""
    hold_hours: int = Field(default=48, ge=1, le=24 * 14)
    """Hours for which the compartment is reserved."""
    pick_up_days: int = Field(default=3, ge=1, le=KEEP_DAYS_MAX)
    """Days within which a courier collects the parcel after the reservation."""


class LockerDropOffRef(Request):
    """Reference to the drop-off of an order."""

    order_id: RecordId
