"""Batches: requests and answers."""

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import field
from pydantic import Field

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, Id, OrderWarning
from haulier.kernel.operations.answers import Answer, doc, for_agents
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.rows import JudgedAlone, MalformedRow
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

MAX_BULK_ORDERS = 100
MAX_BATCH_ORDERS = 5_000
EXAMPLE_ROWS: list[Any] = [
    [{"consignee": {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}}]
]
OrderRow = Annotated[CreateOrder | MalformedRow, JudgedAlone()]


class BulkCreateOrders(Request):
    """Orders to create now."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"orders"})
    orders: Annotated[list[OrderRow], Field(min_length=1, max_length=MAX_BULK_ORDERS, examples=EXAMPLE_ROWS)]
    """Up to 100 orders, each as `create_order` takes it: one that is malformed or refused does not stop the others."""
    stop_on_error: bool = False
    """Create none when one is malformed or refused; the error then names every order at fault."""


class BulkCreateOrdersAsync(Request):
    """Orders to create in the background."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"orders"})
    orders: Annotated[list[OrderRow], Field(min_length=1, max_length=MAX_BATCH_ORDERS, examples=EXAMPLE_ROWS)]
    """Up to 5,000 orders, each as `create_order` takes it: one that is malformed or refused does not stop the others."""


class GetOrderBatch(PageRequest):
    """Which batch, and which page of its outcomes."""

    id: Id
    """The async id."""


class OrderBatchRef(Request):
    """Which batch."""

    id: Id
    """The async id."""


class OrderFieldError(Answer):
    """One thing wrong with one field of an order, as creating it alone would say."""

    field: Annotated[str, doc("The path within the order.", "consignee.city")]
    code: Annotated[str, doc("What is wrong, for programs.", "MISSING")]
    message: Annotated[str, doc("What is wrong, in the caller's language.")]


class OrderBatchOutcome(Answer):
    """The outcome of one order of a batch."""

    index: Annotated[int, doc("The place in the request, from 0.")]
    order_ref: str | None
    state: Annotated[str, doc("queued, created, existing, refused or cancelled.")]
    order_id: int | None = None
    tracking_number: str | None = None
    code: Annotated[str | None, doc("Why it was refused, for programs.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Why it was refused, in the caller's language.")] = None
    errors: Annotated[list[OrderFieldError], for_agents("filled", "The fields at fault.")] = []
    warnings: Annotated[
        list[OrderWarning], for_agents("filled", "What is odd about an order that `bulk_create_orders` created.")
    ] = []


class OrderBatchError(Answer):
    """One order of a batch that was refused."""

    order_id: Annotated[int | None, doc("Null: no order was created.")] = None
    index: Annotated[int, doc("The place in the request, from 0.")]
    order_ref: str | None
    code: Annotated[str, doc("Why, for programs.", "INVALID_REQUEST")]
    message: Annotated[str, doc("Why, in the caller's language; with the fields at fault.")]


class BulkCreateResult(Answer):
    """The outcome of each order."""

    result: Annotated[bool, doc("True when at least one order was created.")]
    created: int
    existing: Annotated[int, for_agents("filled")]
    failed: Annotated[int, for_agents("filled")]
    outcomes: list[OrderBatchOutcome]
    errors: Annotated[list[OrderBatchError], for_agents("filled", "The outcomes that are refusals.")]


class OrderBatchStarted(Answer):
    """Where to read the batch."""

    result: bool = True
    async_id: Annotated[int, doc("Read it with GET /v1/client/async/{id}.")] = field(name="asyncId")
    total: int
    refused: Annotated[int, doc("Orders that are malformed and were refused at once; the others are tried.")]


class OrderBatchResult(PagedAnswer):
    """How far a batch is, and a page of its outcomes."""

    async_id: int = field(name="asyncId")
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    done: Annotated[int, doc("Orders that were processed.")]
    created: int
    existing: Annotated[int, doc("Orders whose reference existed already.")]
    failed: int
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[OrderBatchOutcome]
    errors: Annotated[list[OrderBatchError], doc("The outcomes of this page that are refusals.")]
