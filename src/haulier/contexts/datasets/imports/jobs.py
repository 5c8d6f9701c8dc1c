"""Jobs of imports, with batches of rows per transaction.

A crashed worker loses little and repeats nothing.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import replace

from haulier.contexts.datasets.datasets.queries import DatasetRow, find_dataset
from haulier.contexts.datasets.events import DatasetImported
from haulier.contexts.datasets.imports import store
from haulier.contexts.datasets.imports.actions import IMPORT_JOB, RunImport
from haulier.contexts.datasets.imports.contract import FileFormat
from haulier.contexts.datasets.imports.rules import FaultyRow, RecordFileQuestion, Row, read_raw_rows, read_row
from haulier.contexts.datasets.records.actions import OnExisting, WriteOutcome, request_geocoding, write_records
from haulier.contexts.datasets.records.queries import shape_of
from haulier.contexts.datasets.records.rules import RecordDraft, Shape
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.file_reading import FileReader
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.stored_errors import error_document
from haulier.kernel.principal import Principal

ROWS_PER_TRANSACTION = 500
QUEUE = "batches"


@job(IMPORT_JOB, RunImport, queue=QUEUE)
async def run_import(run: JobRun, args: RunImport) -> None:
    """Write the records of a file as the user who sent it.

    A repeated run continues where it stopped.
    """
    async with run.call() as call:
        row = await store.get_import_row(call.work, args.import_id)
        dataset = await find_dataset(call, row.dataset_id) if row else None
        content = await store.get_import_content(call.work, args.import_id)
    if row is None or dataset is None or row.finished_at:
        return
    question = RecordFileQuestion(msgspec.convert(row.format, FileFormat))
    file = await run.app.adapter(FileReader).read(read_raw_rows, content, question)
    reader = _Reader(row.format, iter(file.rows), shape_of(dataset))
    reader.skip(row.done)
    more = True
    while more:
        rows = reader.next(ROWS_PER_TRANSACTION)
        try:
            more = await _write_rows(run, args.import_id, rows)
        except UniqueConflict:  # a concurrent call wrote one of the keys; it is found on the next attempt
            more = await _write_rows(run, args.import_id, rows)


class _Reader:
    """Reader of a file's records that remembers seen keys."""

    def __init__(self, kind: str, rows: Iterator[Any], shape: Shape) -> None:
        self._kind, self._rows, self._shape = kind, rows, shape
        self._keys: set[str] = set()

    def skip(self, count: int) -> None:
        """Skip rows that are already written."""
        for row in self.next(count):
            del row

    def next(self, count: int) -> list[Row | WriteOutcome]:
        """Return the next rows; repeated keys are already refused."""
        rows = [read_row(self._kind, raw, self._shape.schema) for raw in islice(self._rows, count)]
        return [self._once(row) for row in rows]

    def _once(self, row: Row) -> Row | WriteOutcome:
        key = self._shape.key(row.values) if isinstance(row, RecordDraft) else None
        if key is None:
            return row
        if key in self._keys:
            fault = FieldError(f"values.{self._shape.key_field}", "field.key_twice")
            return WriteOutcome("refused", error=INVALID_REQUEST.for_fields(fault))
        self._keys.add(key)
        return row


async def _write_rows(run: JobRun, import_id: int, rows: Sequence[Row | WriteOutcome]) -> bool:
    """Write rows in a transaction. Return False if there are none left.

    Also returns False after a cancellation. A conflict ends the transaction instead of a savepoint: SQLite walks
    through the savepoint's undo data at the end of every statement, which grows with the pages written since.
    """
    async with run.call() as call:
        job = await store.get_import_row(call.work, import_id, lock=True)
        if job is None or job.finished_at:
            return False
        dataset = await find_dataset(call, job.dataset_id)
        if dataset is None or not rows:
            await _finish(call, job, dataset)
            return False
        sender = replace(call, principal=await _sender(call, job))
        results = await _write(sender, dataset, job, rows)
        await store.add_outcomes(call.work, import_id, job.done, [_result(each) for each in results])
        return True


async def _finish(call: Call, job: store.DatasetImportLine, dataset: DatasetRow | None) -> None:
    """Record that all rows were processed, or that the import was cancelled."""
    await store.finish_import(call.work, job.id, call.now, cancelled=dataset is None)
    if dataset is None:
        return
    if not job.check_only:
        await request_geocoding(call, dataset)
    counts = {name: getattr(job, name) for name in ("created", "updated", "refused")}
    await call.publish(DatasetImported(import_id=job.id, dataset_id=dataset.id, check_only=job.check_only, **counts))


async def _write(
    call: Call, dataset: DatasetRow, job: store.DatasetImportLine, rows: Sequence[Row | WriteOutcome]
) -> list[WriteOutcome]:
    drafts = [row for row in rows if isinstance(row, RecordDraft)]
    mode = OnExisting(job.if_exists)
    written = iter(await write_records(call, dataset, drafts, mode, check_only=job.check_only))
    return [next(written) if isinstance(row, RecordDraft) else _refused(row) for row in rows]


def _refused(row: FaultyRow | WriteOutcome) -> WriteOutcome:
    if isinstance(row, WriteOutcome):
        return row
    return WriteOutcome("refused", error=INVALID_REQUEST.for_fields(*row.faults))


def _result(outcome: WriteOutcome) -> list[Any]:
    return [outcome.state, outcome.record_id, error_document(outcome.error) if outcome.error else None]


async def _sender(call: Call, job: store.DatasetImportLine) -> Principal:
    people = await get_users_by_id(call, [job.created_by]) if job.created_by else {}
    name = people[job.created_by].name if job.created_by in people else None
    own = call.principal
    return Principal(Account(job.account), user_id=job.created_by, name=name, business=own.business, scopes=own.scopes)
