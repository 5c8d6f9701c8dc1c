"""Batches: requests and answers."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, Id
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

MAX_BULK_ORDERS = 100
MAX_BATCH_ORDERS = 5_000


class BulkCreateOrders(Request):
    """Orders to create now."""

    orders: Annotated[list[CreateOrder], Field(min_length=1, max_length=MAX_BULK_ORDERS)]
    """Up to 100 orders."""
    stop_on_error: bool = False
    """Create none when one is refused."""


class BulkCreateOrdersAsync(Request):
    """Orders to create in the background."""

    orders: Annotated[list[CreateOrder], Field(min_length=1, max_length=MAX_BATCH_ORDERS)]
    """Up to 5,000 orders."""


class GetOrderBatch(PageRequest):
    """Which batch, and which page of its outcomes."""

    id: Id
    """The async id."""


class OrderBatchRef(Request):
    """Which batch."""

    id: Id
    """The async id."""


class OrderBatchOutcome(Answer):
    """The outcome of one order of a batch."""

    index: Annotated[int, doc("The place in the request, from 0.")]
    order_ref: str | None
    state: Annotated[str, doc("queued, created, existing, refused or cancelled.")]
    order_id: int | None = None
    tracking_number: str | None = None
    code: str | None = None
    message: str | None = None


class BulkCreateResult(Answer):
    """The outcome of each order."""

    result: Annotated[bool, doc("True when at least one order was created.")]
    created: int
    existing: int
    failed: int
    outcomes: list[OrderBatchOutcome]


class OrderBatchStarted(Answer):
    """Where to read the batch."""

    result: bool = True
    async_id: Annotated[int, doc("Read it with GET /v1/client/async/{id}.")]
    total: int


class OrderBatchResult(PagedAnswer):
    """How far a batch is, and a page of its outcomes."""

    async_id: int
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    done: Annotated[int, doc("Orders that were processed.")]
    created: int
    existing: Annotated[int, doc("Orders whose reference existed already.")]
    failed: int
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[OrderBatchOutcome]
