"""What goes in and out of pieces in boxes, and of the tasks that fill them."""

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
    """Boxes of a site that shall be filled with a product."""

    site_id: RecordId
    shop_product_id: RecordId
    quantity: int = Field(ge=1, le=200, examples=[6])
    """How many boxes."""
    due_on: Day | None = None
    """Until which day."""
    note: Note | None = Field(default=None, examples=["From shelf 4"])
    """For whoever fills them."""


class RestockTaskRef(Request):
    """Which task."""

    restock_task_id: RecordId


class FillShopBox(RestockTaskRef):
    """One more box is filled."""

    expires_on: Day | None = None
    """The last day on which this piece is sold; as the product says where left out."""


class ListRestockTasks(PageRequest):
    """Which tasks; one must match all that is given."""

    status: StatusOfTask | None = None
    site_id: RecordId | None = None
    shop_product_id: RecordId | None = None


class ShopItemRef(Request):
    """Which piece."""

    shop_item_id: RecordId


class ListShopItems(PageRequest):
    """Which pieces; one must match all that is given."""

    site_id: RecordId | None = None
    shop_product_id: RecordId | None = None
    status: StatusOfItem | None = None
    expiring_days: int | None = Field(default=None, ge=0, le=3650, examples=[2])
    """Those in boxes that are good for at most so many days more, and those that are no longer good."""


class RestockTask(Answer):
    """A task to fill boxes."""

    id: int
    site_id: int
    site_name: str
    shop_product_id: int
    product_name: str
    quantity: int
    filled: Annotated[int, doc("How many boxes were filled.")]
    due_on: date | None
    note: str | None
    status: Annotated[str, doc("open, done or cancelled.", "open")]
    created_at: datetime
    closed_at: datetime | None


class RestockTaskAnswer(Answer):
    """One task."""

    result: bool = True
    task: RestockTask


class RestockTaskList(PagedAnswer):
    """A page of tasks, newest first."""

    tasks: list[RestockTask]


class ShopItem(Answer):
    """A piece in a box."""

    id: int
    shop_product_id: int
    product_code: str
    product_name: str
    site_id: int
    cabinet: Annotated[str | None, doc("What is written on the cabinet.", "A")]
    box: Annotated[int | None, doc("The box's number in the cabinet.")]
    locker_parcel_id: Annotated[int, doc("What has the box, as parcels have theirs.")]
    restock_task_id: int
    status: Annotated[str, doc("filling, available, reserved, sold, blocked or removed.", "available")]
    expires_on: Annotated[date | None, doc("The last day on which it is sold.")]
    expired: Annotated[bool, doc("Whether that day is over.")]
    available_at: Annotated[datetime | None, doc("When it was put into its box.")]
    ended_at: Annotated[datetime | None, doc("When it left its box.")]


class ShopItemAnswer(Answer):
    """One piece."""

    result: bool = True
    item: ShopItem


class ShopItemDoor(ShopItemAnswer):
    """A piece whose box is being opened."""

    command: DeviceCommandRecord


class ShopItemList(PagedAnswer):
    """A page of pieces, what expires first in front."""

    items: list[ShopItem]
