"""Jobs of many forms are begun: every form is a row that waits for its turn."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.shipping.uniorder.actions.batches import malformed_error
from haulier.contexts.shipping.uniorder.contract.batches import CreateRow, RateRow
from haulier.contexts.shipping.uniorder.store import jobs as store
from haulier.kernel.call import Call
from haulier.kernel.operations.rows import MalformedRow
from haulier.kernel.operations.stored_errors import error_document

RATE, CREATE = "rate", "create"
UNIORDER_JOB = "shipping.uniorders"


class ProcessUniorders(Struct, frozen=True):
    """The job of rating or making what was sent together."""

    job_id: int


class BegunJob(Struct, frozen=True):
    """A job, and how many of its forms were refused at once."""

    id: int
    refused: int


async def begin_job(
    call: Call, purpose: str, rows: Sequence[RateRow | CreateRow], references: Sequence[str | None]
) -> BegunJob:
    """Write a job down and enqueue it. A malformed form is refused already."""
    job = {
        "purpose": purpose,
        "total": len(rows),
        "created_by": call.actor,
        "account": call.principal.account.value,
        "created_at": call.now,
    }
    values = [_new_row(row, reference) for row, reference in zip(rows, references, strict=True)]
    id = await store.insert_job(call.work, job, values)
    call.add_audit_subjects("uniorder_job", id)
    await call.enqueue(UNIORDER_JOB, ProcessUniorders(id))
    return BegunJob(id, sum(isinstance(row, MalformedRow) for row in rows))


def _new_row(row: RateRow | CreateRow, reference: str | None) -> dict[str, object]:
    if isinstance(row, MalformedRow):
        fault = error_document(malformed_error(row))
        return {"reference": reference, "request": {}, "state": "refused", "fault": fault}
    return {"reference": reference, "request": row.model_dump(mode="json"), "state": "queued", "fault": None}
