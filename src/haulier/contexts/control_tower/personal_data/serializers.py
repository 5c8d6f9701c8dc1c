"""Exports and erasures, as they are answered."""

from collections.abc import Mapping

from haulier.contexts.control_tower.personal_data.contract import PersonalDataRequest, RecordCount
from haulier.contexts.control_tower.personal_data.rules import effective_state
from haulier.contexts.control_tower.personal_data.store import PersonalDataRequestRow
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind
from haulier.kernel.operations.records import record


def to_request(call: Call, row: PersonalDataRequestRow) -> PersonalDataRequest:
    """An export or an erasure."""
    return record(
        PersonalDataRequest,
        row,
        state=effective_state(row.state, row.created_at, call.now),
        created_at=call.local_time(row.created_at),
        finished_at=call.local_time(row.finished_at),
        expires_at=call.local_time(row.expires_at),
        records=to_counts(row.records),
    )


def to_counts(counts: Mapping[RecordKind, int] | Mapping[str, int]) -> list[RecordCount]:
    """Counts by kind, the kinds by name."""
    return [RecordCount(kind=str(kind), count=count) for kind, count in sorted(counts.items())]
