"""Batches: requests and answers."""

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import field
from pydantic import Field

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderWarning
from haulier.kernel.operations.answers import Answer, doc, for_agents
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import OrderImportId
from haulier.kernel.operations.rows import JudgedAlone, MalformedRow
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

MAX_BULK_ORDERS = 100
MAX_BATCH_ORDERS = 5_000
EXAMPLE_ROWS: list[Any] = [
    [{"consignee": {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}}]
]
OrderRow = Annotated[CreateOrder | MalformedRow, JudgedAlone()]


class BulkCreateOrders(Request):
    """Orders to create immediately."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"orders"})
    orders: Annotated[list[OrderRow], Field(min_length=1, max_length=MAX_BULK_ORDERS, examples=EXAMPLE_ROWS)]
    """Up to 100 orders in the format of `create_order`. A malformed or refused order does not affect the others."""
    stop_on_error: bool = False
    """If true, create no order when any is malformed or refused. The error lists every invalid order."""


class BulkCreateOrdersAsync(Request):
    """Orders to create in the background."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"orders"})
    orders: Annotated[list[OrderRow], Field(min_length=1, max_length=MAX_BATCH_ORDERS, examples=EXAMPLE_ROWS)]
    """Up to 5,000 orders in the format of `create_order`. A malformed or refused order does not affect the others."""


class GetOrderBatch(PageRequest):
    """Reference to a batch, and a page of its outcomes."""

    id: OrderImportId
    """ID of the batch."""


class OrderBatchRef(Request):
    """Reference to a batch."""

    id: OrderImportId
    """ID of the batch."""


class OrderFieldError(Answer):
    """A validation error in a field of an order, as returned by `create_order`."""

    field: Annotated[str, doc("Path of the field within the order.", "consignee.city")]
    code: Annotated[str, doc("Machine-readable error code.", "MISSING")]
    message: Annotated[str, doc("Error message in the caller's language.")]


class OrderBatchOutcome(Answer):
    """The outcome of one order of a batch."""

    index: Annotated[int, doc("Position in the request, starting at 0.")]
    order_ref: str | None
    state: Annotated[str, doc("One of queued, created, existing, refused or cancelled.")]
    order_id: int | None = None
    tracking_number: str | None = None
    code: Annotated[str | None, doc("Machine-readable reason for the refusal.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Reason for the refusal in the caller's language.")] = None
    errors: Annotated[list[OrderFieldError], for_agents("filled", "The fields at fault.")] = []
    warnings: Annotated[
        list[OrderWarning], for_agents("filled", "Warnings about an order created by `bulk_create_orders`.")
    ] = []


class OrderBatchError(Answer):
    """A refused order of a batch."""

    order_id: Annotated[int | None, doc("Always null, as no order was created.")] = None
    index: Annotated[int, doc("Position in the request, starting at 0.")]
    order_ref: str | None
    code: Annotated[str, doc("Machine-readable error code.", "INVALID_REQUEST")]
    message: Annotated[str, doc("Error message in the caller's language, with the invalid fields.")]


class BulkCreateResult(Answer):
    """Outcome of each order."""

    result: Annotated[bool, doc("True if at least one order was created.")]
    created: int
    existing: Annotated[int, for_agents("filled")]
    failed: Annotated[int, for_agents("filled")]
    outcomes: list[OrderBatchOutcome]
    errors: Annotated[list[OrderBatchError], for_agents("filled", "The outcomes that are refusals.")]


class OrderBatchStarted(Answer):
    """A batch that was started."""

    result: bool = True
    async_id: Annotated[int, doc("ID of the batch. Read it with GET /v1/client/async/{id}.")] = field(name="asyncId")
    total: int
    refused: Annotated[int, doc("Malformed orders, refused immediately. The others are processed.")]


class OrderBatchResult(PagedAnswer):
    """Progress of a batch, and a page of its outcomes."""

    async_id: int = field(name="asyncId")
    state: Annotated[str, doc("One of queued, running, done, partly_done, failed or cancelled.")]
    done: Annotated[int, doc("Number of processed orders.")]
    created: int
    existing: Annotated[int, doc("Number of orders whose reference already existed.")]
    failed: int
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[OrderBatchOutcome]
    errors: Annotated[list[OrderBatchError], doc("Refused orders on this page.")]
