"""Many forms in one call, now or in a job."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from haulier.contexts.orders.batches.contract import OrderBatchError, OrderFieldError
from haulier.contexts.shipping.uniorder.contract.orders import CreateUniorder, UniorderRecord
from haulier.contexts.shipping.uniorder.contract.rates import RateUniorder, UniorderRates
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.rows import JudgedAlone, MalformedRow
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

MAX_BATCH = 20
MAX_JOB = 500
_FORM: dict[str, Any] = {
    "consignee": {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
}
SHIPMENT_EXAMPLES: list[Any] = [[_FORM]]
ORDER_EXAMPLES: list[Any] = [[{"order": _FORM, "order_ref": "A-1001"}]]
PurposeOfJob = Literal["rate", "create"]
RateRow = Annotated[RateUniorder | MalformedRow, JudgedAlone()]
CreateRow = Annotated[CreateUniorder | MalformedRow, JudgedAlone()]


class RateUniorderBatch(Request):
    """Forms to rate now."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"shipments"})
    shipments: Annotated[list[RateRow], Field(min_length=1, max_length=MAX_BATCH, examples=SHIPMENT_EXAMPLES)]
    """Up to 20, each as `uniorder_rate` takes it: one that is malformed or refused does not stop the others."""


class RateUniorderBatchAsync(Request):
    """Forms to rate in a job."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"shipments"})
    shipments: Annotated[list[RateRow], Field(min_length=1, max_length=MAX_JOB, examples=SHIPMENT_EXAMPLES)]
    """Up to 500, each as `uniorder_rate` takes it: one that is malformed or refused does not stop the others."""


class CreateUniorderBatch(Request):
    """Orders to create now."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"orders"})
    orders: Annotated[list[CreateRow], Field(min_length=1, max_length=MAX_BATCH, examples=ORDER_EXAMPLES)]
    """Up to 20, each as `uniorder_create` takes it: one that is malformed or refused does not stop the others."""


class CreateUniorderBatchAsync(Request):
    """Orders to create in a job."""

    judged_rows: ClassVar[frozenset[str]] = frozenset({"orders"})
    orders: Annotated[list[CreateRow], Field(min_length=1, max_length=MAX_JOB, examples=ORDER_EXAMPLES)]
    """Up to 500, each as `uniorder_create` takes it: one that is malformed or refused does not stop the others."""


class UniorderOutcome(Answer):
    """What came of one form of many."""

    index: Annotated[int, doc("The place in the request, from 0.")]
    reference: Annotated[str | None, doc("Your own reference: `order_ref` of an order, `reference` of a form to rate.")]
    state: Annotated[str, doc("queued, rated, created, existing, refused or cancelled.")]
    order: Annotated[UniorderRecord | None, doc("The order, where one was created.")] = None
    rated: Annotated[UniorderRates | None, doc("The rates, where it was rated.")] = None
    code: Annotated[str | None, doc("Why it was refused, for programs.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Why it was refused, in the caller's language.")] = None
    errors: Annotated[list[OrderFieldError], doc("The fields at fault.")] = []


class UniorderBatchResult(Answer):
    """What came of each."""

    result: Annotated[bool, doc("True when at least one was rated or ordered.")]
    done: Annotated[int, doc("That were rated, created or existed.")]
    failed: Annotated[int, doc("That were refused.")]
    without_label: Annotated[int, doc("Orders that stay without a label, to be bought later.")]
    outcomes: list[UniorderOutcome]
    errors: Annotated[list[OrderBatchError], doc("The outcomes that are refusals.")]


class UniorderJobRef(Request):
    """Which job."""

    job_id: RecordId = Field(alias="jobId")
    """The job's id."""


class GetUniorderJob(PageRequest):
    """Which job, and which page of its outcomes."""

    job_id: RecordId = Field(alias="jobId")
    """The job's id."""


class ListUniorderJobs(PageRequest):
    """Which jobs; one must match all that is given."""

    purpose: PurposeOfJob | None = None
    finished: bool | None = None
    """Only those that are finished, or only those that are not."""


class UniorderJobRecord(Answer):
    """How far a job is."""

    id: int
    purpose: Annotated[str, doc("rate or create.", "create")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.", "done")]
    total: int
    done: Annotated[int, doc("Forms that were processed.")]
    succeeded: Annotated[int, doc("That were rated, created or existed.")]
    failed: Annotated[int, doc("That were refused.")]
    created_at: datetime
    finished_at: datetime | None


class UniorderJobList(PagedAnswer):
    """A page of jobs, newest first."""

    jobs: list[UniorderJobRecord]


class UniorderJobStarted(Answer):
    """Where to read the job."""

    result: bool = True
    job_id: Annotated[int, doc("Read it with GET /v1/uniorder/jobs/{jobId}.")]
    total: int
    refused: Annotated[int, doc("That are malformed and were refused at once; the others are tried.")]


class UniorderJobAnswer(PagedAnswer):
    """How far a job is, and a page of its outcomes."""

    job_id: int
    purpose: Annotated[str, doc("rate or create.", "create")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    done: Annotated[int, doc("Forms that were processed.")]
    succeeded: Annotated[int, doc("That were rated, created or existed.")]
    failed: Annotated[int, doc("That were refused.")]
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[UniorderOutcome]
    errors: Annotated[list[OrderBatchError], doc("The outcomes of this page that are refusals.")]
