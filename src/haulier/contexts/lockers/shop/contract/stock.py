"""Request and response models for items and restock tasks."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.lockers.devices.contract.devices import DeviceCommandRecord
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Note, RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

StatusOfItem = Literal["filling", "available", "reserved", "sold", "blocked", "removed"]
StatusOfTask = Literal["open", "done", "cancelled"]


class CreateRestockTask(Request):
    """A restock task to create."""

    site_id: RecordId
    shop_product_id: RecordId
    quantity: int = Field(ge=1, le=200, examples=[6])
    """Number of compartments to fill."""
    due_on: Day | None = None
    """Due date."""
    note: Note | None = Field(default=None, examples=["From shelf 4"])
    """Note for the restocker."""


class RestockTaskRef(Request):
    """Reference to a restock task."""

    restock_task_id: RecordId


class FillShopBox(RestockTaskRef):
    """Filling of one more compartment."""

    expires_on: Day | None = None
    """Last day of sale of the item. Defaults to the shelf life of the product."""


class ListRestockTasks(PageRequest):
    """Filters for restock tasks. Tasks must match all of them."""

    status: StatusOfTask | None = None
    site_id: RecordId | None = None
    shop_product_id: RecordId | None = None


class ShopItemRef(Request):
    """Reference to an item."""

    shop_item_id: RecordId


class ListShopItems(PageRequest):
    """Filters for items. Items must match all of them."""

    site_id: RecordId | None = None
    shop_product_id: RecordId | None = None
    status: StatusOfItem | None = None
    expiring_days: int | None = Field(default=None, ge=0, le=3650, examples=[2])
    """Only items in compartments that expire within this many days, or have expired."""


class RestockTask(Answer):
    """A restock task."""

    id: int
    site_id: int
    site_name: str
    shop_product_id: int
    product_name: str
    quantity: int
    filled: Annotated[int, doc("Number of compartments filled.")]
    due_on: date | None
    note: str | None
    status: Annotated[str, doc("open, done or cancelled.", "open")]
    created_at: datetime
    closed_at: datetime | None


class RestockTaskAnswer(Answer):
    """A restock task."""

    result: bool = True
    task: RestockTask


class RestockTaskList(PagedAnswer):
    """A page of restock tasks, newest first."""

    tasks: list[RestockTask]


class ShopItem(Answer):
    """An item in a compartment."""

    id: int
    shop_product_id: int
    product_code: str
    product_name: str
    site_id: int
    cabinet: Annotated[str | None, doc("Code on the locker.", "A")]
    box: Annotated[int | None, doc("Number of the compartment in the locker.")]
    locker_parcel_id: Annotated[int, doc("ID of the locker parcel that occupies the compartment.")]
    restock_task_id: int
    status: Annotated[str, doc("filling, available, reserved, sold, blocked or removed.", "available")]
    expires_on: Annotated[date | None, doc("Last day of sale.")]
    expired: Annotated[bool, doc("If true, the last day of sale is over.")]
    available_at: Annotated[datetime | None, doc("Time of restocking.")]
    ended_at: Annotated[datetime | None, doc("Time when the item left the compartment.")]


class ShopItemAnswer(Answer):
    """An item."""

    result: bool = True
    item: ShopItem


class ShopItemDoor(ShopItemAnswer):
    """An item whose compartment is opening."""

    command: DeviceCommandRecord


class ShopItemList(PagedAnswer):
    """A page of items, earliest expiry first."""

    items: list[ShopItem]
