"""Request and response models of customer pickups."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from haulier.contexts.orders.delivery_orders.contract.orders import OrderRef
from haulier.contexts.orders.delivery_orders.rules.pickups import PickupState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PICKUPS_AT_ONCE = 200
"""Maximum number of orders marked ready in one call."""


class SwitchToPickup(OrderRef):
    """Depot where the customer collects an order."""

    depot_id: RecordId
    """Depot where the customer collects the order."""


class MarkReadyForPickup(Request):
    """Orders that customers can collect."""

    order_ids: Annotated[list[RecordId], Field(min_length=1, max_length=PICKUPS_AT_ONCE)]
    """Orders to change. Repeated IDs count once."""
    held_until: Day | None = None
    """Last day on which the orders are held. Default: 7 days from today."""


class HandOverPickup(OrderRef):
    """Pickup code of the customer, or the name of an identified person."""

    pickup_code: Annotated[str, StringConstraints(min_length=1, max_length=10, pattern="^[0-9]+$")] | None = Field(
        default=None, examples=["4711"]
    )
    """Pickup code from the message or tracking page of the customer."""
    recipient: Name | None = Field(default=None, examples=["Ada Lovelace"])
    """Name on the identity document of the person who collects the order. Required without a pickup code."""


class ListPickups(PageRequest):
    """Filters for pickups."""

    state: PickupState | None = None
    """Filter by state. Default: pickups that are not handed over or cancelled."""
    depot_id: RecordId | None = None
    """Filter by depot."""
    search: Annotated[str, StringConstraints(min_length=2, max_length=100, pattern=r"^[^\x00]+$")] | None = Field(
        default=None, examples=["Ada"]
    )
    """Words in name, phone, email, reference or tracking number, or the pickup code of a ready order."""


class CustomerPickup(Answer):
    """An order that the customer collects."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    state: Annotated[PickupState, doc("State of the pickup.")]
    name: Annotated[str | None, doc("Name of the recipient.")]
    depot_id: int
    depot: Annotated[str | None, doc("Name of the depot.", "Toronto depot")]
    package_count: int
    ready_at: Annotated[datetime | None, doc("Time since which it is ready.")]
    held_until: Annotated[date | None, doc("Last day on which it is held.")]
    customer_id: int | None
    created_at: datetime


class PickupList(PagedAnswer):
    """A page of pickups, the earliest due first."""

    pickups: list[CustomerPickup]
