"""Request and response models of ship jobs."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.shipping.accounts.contract import ServiceCode
from haulier.contexts.shipping.labels.contract import FormatOfLabel
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

MAX_ORDERS = 500


class ShipTerms(Request):
    """Terms for every order of a job."""

    account_id: RecordId | None = Field(default=None, examples=[3])
    """Carrier account. Default: any account."""
    service: ServiceCode | None = Field(default=None, examples=["ground"])
    """Service. Default: shipping rules decide, else the cheapest that delivers on time, else the fastest."""
    ship_date: Day | None = None
    """Day of handover to the carrier. Default: today."""
    label_format: FormatOfLabel = "pdf"
    """Requested label format. If the carrier has only another, that one is used."""


class ShipOrders(ShipTerms):
    """Orders to ship in the background."""

    order_ids: list[RecordId] = Field(min_length=1, max_length=MAX_ORDERS)
    """Up to 500 orders. A refused order does not affect the others."""


class ShipJobStarted(Answer):
    """A ship job that was started."""

    result: bool = True
    ship_job_id: Annotated[int, doc("Id for `get_ship_job`.")]
    total: Annotated[int, doc("Number of orders.")]


class ShipJobRef(Request):
    """Reference to a ship job."""

    ship_job_id: RecordId
    """The job's id."""


class ShipJob(Answer):
    """Progress of a ship job."""

    id: int
    state: Annotated[str, doc("queued, running, done, partly_done or failed.", "done")]
    total: Annotated[int, doc("Number of orders.")]
    done: Annotated[int, doc("Number of processed orders.")]
    shipped: Annotated[int, doc("Number of orders with a claimed label.")]
    refused: Annotated[int, doc("Number of refused orders.")]
    created_at: datetime
    finished_at: datetime | None


class ShipOutcome(Answer):
    """Result of one order of a ship job."""

    order_id: int
    state: Annotated[str, doc("queued, shipped or refused.", "shipped")]
    shipment_id: int | None = None
    choice: Annotated[str | None, doc("Reason for the service: rules, service, cheapest_on_time and the like.")] = None
    code: Annotated[str | None, doc("Machine-readable reason for the refusal.", "ORDER_HAS_ROUTE")] = None
    message: Annotated[str | None, doc("Reason for the refusal in the caller's language.")] = None


class ShipJobAnswer(Answer):
    """A ship job with the outcome of each order."""

    result: bool = True
    ship_job: ShipJob
    outcomes: list[ShipOutcome]


class ListShipJobs(PageRequest):
    """A page of ship jobs."""


class ShipJobList(PagedAnswer):
    """A page of ship jobs, newest first."""

    ship_jobs: list[ShipJob]
