"""Operations on retention."""

from haulier.contexts.control_tower.retention import store
from haulier.contexts.control_tower.retention.contract import (
    DueRecords,
    PreviewRetention,
    Retention,
    RetentionPreview,
    RetentionRecord,
    SetRetention,
)
from haulier.contexts.control_tower.retention.queries import load_retention_days
from haulier.contexts.control_tower.retention.rules import (
    RETENTION_TOO_SHORT,
    due_before,
    minimum_days,
    require_days,
    rules_by_kind,
)
from haulier.contexts.driver_app.public import set_positions_kept_days
from haulier.contexts.identity.public import set_retention_setting
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind, retention_days
from haulier.kernel.data.personal_records import count_due
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

PATH = "/v1/client/retention"


@reads(
    "get_retention",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", PATH), GraphQL("retention")),
)
async def get_retention(call: Call, request: EmptyRequest) -> Retention:
    """Get the retention of personal data.

    Returns the days for each kind of record, the data deleted afterwards, and the last run.
    """
    return await _retention(call)


@writes(
    "set_retention",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("PUT", f"{PATH}/{{kind}}"), GraphQL("setRetention")),
    errors=(RETENTION_TOO_SHORT,),
)
async def set_retention(call: Call, request: SetRetention) -> Retention:
    """Set the retention of a kind of record.

    The next daily run deletes or erases older data for good. Use `preview_retention` for the counts.
    """
    kind = RecordKind(request.kind)
    require_days(kind, request.days)
    if kind is RecordKind.DRIVER_POSITIONS:
        await set_positions_kept_days(call, request.days)
    else:
        await set_retention_setting(call.work, call.client_id, kind.value, request.days)
    call.add_audit_subjects("client", call.client_id)
    return await _retention(call)


@reads(
    "preview_retention",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", f"{PATH}/preview"), GraphQL("retentionPreview")),
)
async def preview_retention(call: Call, request: PreviewRetention) -> RetentionPreview:
    """Preview the next retention run.

    Counts the records to delete or erase, of each kind, or of one kind for a given number of days.
    """
    if request.days and request.kind is None:
        raise INVALID_REQUEST.for_fields(FieldError("kind", "field.missing"))
    kinds = [RecordKind(request.kind)] if request.kind else list(rules_by_kind())
    return RetentionPreview(kinds=[await _due_records(call, kind, request.days) for kind in kinds])


async def _due_records(call: Call, kind: RecordKind, days: int | None) -> DueRecords:
    days = days or await load_retention_days(call, kind)
    before = due_before(call.now, days)
    progress = (await store.list_progress(call.work)).get(kind.value)
    since = progress and progress.done_until
    due = [await count_due(call.work, rule, since, before) for rule in rules_by_kind()[kind]]
    return DueRecords(
        kind=kind.value,
        days=days,
        before=call.local_time(before),
        due=sum(count for count, _ in due),
        due_is_floor=any(more for _, more in due),
    )


async def _retention(call: Call) -> Retention:
    progress = await store.list_progress(call.work)
    records: list[RetentionRecord] = []
    for kind in rules_by_kind():
        row = progress.get(kind.value)
        records.append(
            RetentionRecord(
                kind=kind.value,
                meaning=call.translate(f"retention.{kind.value}"),
                days=await load_retention_days(call, kind),
                default_days=retention_days(kind, {}),
                minimum_days=minimum_days(kind),
                last_run_at=call.local_time(row.last_run_at) if row else None,
                removed=row.removed if row else 0,
            )
        )
    return Retention(kinds=records)
