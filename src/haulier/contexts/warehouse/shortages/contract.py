"""Request and response models for shortages."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.warehouse.warehouses.contract import Reference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class ListStockShortages(PageRequest):
    """Filters for shortages."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    reference: Reference | None = None
    """Filter by the reference of the reservation."""
    owner_id: UserId | None = None
    """Filter by the user who handles the shortage."""
    resolved: bool | None = False
    """`false` returns open shortages, `true` resolved ones, null both. Default: `false`."""


class UpdateStockShortage(Request):
    """A change to a shortage. Omitted fields keep their values."""

    shortage_id: RecordId
    """ID of the shortage."""
    owner_id: UserId | None = None
    """The user who handles it from now on."""
    resolved: bool | None = None
    """`true` closes the shortage, `false` opens it again."""
    note: Reason | None = Field(default=None, examples=["Customer accepts 1 instead of 5"])
    """Description of the resolution."""


class StockShortage(Answer):
    """Reserved items that were released because their stock is gone."""

    id: int
    warehouse_id: int
    reference: Annotated[str, doc("Reference of the released reservation.")]
    order_id: Annotated[int | None, doc("Order with this reference, or null.")]
    product_id: int
    sku: str
    quantity: Annotated[int, doc("Number of released units.")]
    source: Annotated[str, doc("Count or adjustment that found the loss.", "COUNT-12")]
    owner_id: Annotated[UserId | None, doc("User who handles it.")]
    note: str | None
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: Annotated[int | None, doc("User who resolved it.")]


class StockShortageList(PagedAnswer):
    """A page of shortages, oldest first."""

    shortages: list[StockShortage]


class StockShortageAnswer(Answer):
    """One shortage."""

    result: bool = True
    shortage: StockShortage
