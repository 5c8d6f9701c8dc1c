"""Imports as answers show them."""

from collections.abc import Iterator, Sequence

from haulier.contexts.datasets.imports.contract import DatasetImport, DatasetImportFieldError, DatasetImportOutcome
from haulier.contexts.datasets.imports.store import DatasetImportLine, OutcomesRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.operations.stored_errors import render_stored_error
from haulier.kernel.values.batch_states import batch_state


def dataset_import(call: Call, row: DatasetImportLine) -> DatasetImport:
    """Return an import as callers see it."""
    begun, over = call.local_time(row.created_at), call.local_time(row.finished_at)
    return record(
        DatasetImport,
        row,
        state=batch_state(row.total, row.done, row.refused, row.finished_at, row.cancelled_at),
        created_at=begun,
        finished_at=over,
    )


def import_outcomes(
    call: Call, rows: Sequence[OutcomesRow], after: int, *, refused_only: bool
) -> Iterator[DatasetImportOutcome]:
    """Return the outcomes after a row."""
    for row in rows:
        for number, (state, record_id, error) in enumerate(row.outcomes, row.first_row):
            if number > after and (state == "refused" or not refused_only):
                yield _outcome(call, number, state, record_id, error)


def _outcome(call: Call, number: int, state: str, record_id: int | None, error: object) -> DatasetImportOutcome:
    if error is None:
        return DatasetImportOutcome(row=number, state=state, record_id=record_id)
    rendered = render_stored_error(error, call.app.catalogues, call.language)
    return DatasetImportOutcome(
        row=number,
        state=state,
        record_id=record_id,
        code=rendered.code,
        message=rendered.message,
        errors=[DatasetImportFieldError(**field) for field in rendered.fields],
    )
