"""Exports and erasures as answers."""

from collections.abc import Mapping

from haulier.contexts.control_tower.personal_data.contract import PersonalDataRequest, RecordCount
from haulier.contexts.control_tower.personal_data.rules import effective_state
from haulier.contexts.control_tower.personal_data.store import PersonalDataRequestRow
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.reach import SetUpLapse, read_lapse


def to_request(call: Call, row: PersonalDataRequestRow, lapse: SetUpLapse | None = None) -> PersonalDataRequest:
    """Return an export or erasure; one with a lapse is cancelled."""
    reason = lapse or read_lapse(row.cancelled_reason)
    return record(
        PersonalDataRequest,
        row,
        state="cancelled" if reason else effective_state(row.state, row.created_at, call.now),
        cancelled_reason=reason,
        file_id=None if reason else row.file_id,
        created_at=call.local_time(row.created_at),
        finished_at=call.local_time(row.finished_at),
        expires_at=call.local_time(row.expires_at),
        records=to_counts(row.records),
    )


def to_counts(counts: Mapping[RecordKind, int] | Mapping[str, int]) -> list[RecordCount]:
    """Return counts by kind, the kinds by name."""
    return [RecordCount(kind=str(kind), count=count) for kind, count in sorted(counts.items())]
