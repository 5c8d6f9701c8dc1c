"""Jobs of many forms, as answers show them."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.shipping.uniorder.contract.batches import UniorderJobRecord
from haulier.contexts.shipping.uniorder.serializers.outcomes import SUCCEEDED
from haulier.contexts.shipping.uniorder.store.jobs import UniorderJobRow
from haulier.kernel.call import Call
from haulier.kernel.values.batch_states import batch_state


def job_progress(call: Call, job: UniorderJobRow, counts: Mapping[str, int]) -> dict[str, Any]:
    """How far a job is, by how many of its forms are in which state."""
    succeeded, queued = sum(counts.get(state, 0) for state in SUCCEEDED), counts.get("queued", 0)
    refused = counts.get("refused", 0)
    return {
        "purpose": job.purpose,
        # Why without the refused: malformed forms are refused before it begins.
        "state": batch_state(job.total, succeeded or queued == 0, refused, job.finished_at, job.cancelled_at),
        "total": job.total,
        "done": job.total - queued,
        "succeeded": succeeded,
        "failed": refused,
        "created_at": call.local_time(job.created_at),
        "finished_at": call.local_time(job.finished_at),
    }


def job_record(call: Call, job: UniorderJobRow, counts: Mapping[str, int]) -> UniorderJobRecord:
    """A job in a list."""
    return UniorderJobRecord(id=job.id, **job_progress(call, job, counts))
