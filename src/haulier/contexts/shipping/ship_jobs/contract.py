"""Request and response models of ship jobs."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.shipping.accounts.contract import LABELS, ServiceCode
from haulier.contexts.shipping.labels.contract import FormatOfLabel
from haulier.kernel.operations.answers import Answer, Priced, doc, price
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
    deliver_by: Day | None = None
    """Latest delivery day. An order that no service delivers by then is refused."""
    package_preset_id: RecordId | None = None
    """Package preset for packages without a size."""


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
    """ID of the job."""


class GetShipJob(ShipJobRef):
    """A ship job, and the order of its outcomes."""

    sort: Literal["queue", "shelf", "reference"] = "queue"
    """Order of the outcomes: as sent, by the shelf of the goods, or by order reference."""


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


class ShipOutcome(Priced):
    """Result of one order of a ship job."""

    order_id: int
    order_ref: str | None = None
    name: Annotated[str | None, doc("Name of the recipient.")] = None
    shelf: Annotated[str | None, doc("First location of the reserved goods in walking order.", "A-01-2")] = None
    state: Annotated[str, doc("queued, shipped or refused.", "shipped")]
    shipment_id: int | None = None
    choice: Annotated[str | None, doc("Reason for the service: rules, service, cheapest_on_time and the like.")] = None
    code: Annotated[str | None, doc("Machine-readable reason for the refusal.", "ORDER_HAS_ROUTE")] = None
    message: Annotated[str | None, doc("Reason for the refusal or failed purchase.")] = None
    shipment_state: Annotated[str | None, doc("State of the shipment; `failed` if its label could not be bought.")] = (
        None
    )
    carrier: Annotated[str | None, doc("The carrier.", "HOUSE")] = None
    service_name: str | None = None
    tracking_number: Annotated[str | None, doc("Tracking number of the first package.")] = None
    shipping_price: Annotated[int | UnsetType | None, price(LABELS, "Price of the label, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType | None, price(LABELS, "ISO 4217.")] = UNSET


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
