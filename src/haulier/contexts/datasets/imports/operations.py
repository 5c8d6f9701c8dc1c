"""Operations on imports."""

from itertools import islice

from haulier.contexts.datasets.datasets.queries import get_dataset_to_write
from haulier.contexts.datasets.imports import store
from haulier.contexts.datasets.imports.actions import begin_import, count_rows_of_file
from haulier.contexts.datasets.imports.contract import (
    DatasetImportAnswer,
    DatasetImportDetail,
    DatasetImportList,
    DatasetImportRef,
    GetDatasetImport,
    ImportDatasetRecords,
    ListDatasetImports,
)
from haulier.contexts.datasets.imports.serializers import dataset_import, import_outcomes
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, declare_error, record_not_found

DATASET_IMPORT_IS_OVER = declare_error("dataset_import_is_over", 409)
MAX_BODY_BYTES = 48_000_000
IMPORT_PATH = "/v1/dataset-imports/{import_id}"
OUTCOME_ROWS = 2
"""Number of outcome rows in the largest page; each with refusals has at least one."""


@writes(
    "import_dataset_records",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/datasets/{dataset_id}/imports"), GraphQL("importDatasetRecords")),
    body_limit_bytes=MAX_BODY_BYTES,
    prepare=count_rows_of_file,
    errors=(NOT_FOUND,),
)
async def import_dataset_records(call: Call, request: ImportDatasetRecords) -> DatasetImportAnswer:
    """Import records from a file.

    Runs in the background. Each row has its own outcome; a rejected one does not stop the others.
    """
    return await begin_import(call, request)


@reads(
    "get_dataset_import",
    audience=OFFICE,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", IMPORT_PATH), GraphQL("datasetImport")),
    errors=(NOT_FOUND,),
)
async def get_dataset_import(call: Call, request: GetDatasetImport) -> DatasetImportDetail:
    """Get an import with its row outcomes.

    Paged by row.
    """
    row = await _readable_import(call, request.import_id)
    count = request.per_page + 1 if request.refused_only else OUTCOME_ROWS
    kept = await store.list_outcome_rows(call.work, row.id, request.after_row, count, refused_only=request.refused_only)
    outcomes = import_outcomes(call, kept, request.after_row, refused_only=request.refused_only)
    page = list(islice(outcomes, request.per_page))
    more = next(outcomes, None) is not None or (not request.refused_only and bool(page) and page[-1].row + 1 < row.done)
    return DatasetImportDetail(
        dataset_import=dataset_import(call, row), outcomes=page, next_after_row=page[-1].row if more else None
    )


@reads(
    "list_dataset_imports",
    audience=OFFICE,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", "/v1/datasets/{dataset_id}/imports"), GraphQL("datasetImports")),
    errors=(NOT_FOUND,),
)
async def list_dataset_imports(call: Call, request: ListDatasetImports) -> DatasetImportList:
    """List the imports of a dataset, newest first."""
    dataset = await get_dataset_to_write(call, request.dataset_id)
    rows, total = await store.list_import_rows(call.work, dataset.id, request.per_page, request.offset)
    shown = [dataset_import(call, row) for row in rows]
    return DatasetImportList(total=total, page=request.page, per_page=request.per_page, imports=shown)


@writes(
    "cancel_dataset_import",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{IMPORT_PATH}/cancel"), GraphQL("cancelDatasetImport")),
    errors=(NOT_FOUND, DATASET_IMPORT_IS_OVER),
)
async def cancel_dataset_import(call: Call, request: DatasetImportRef) -> Done:
    """Cancel an import.

    Written records are kept.
    """
    row = await _readable_import(call, request.import_id, lock=True)
    if row.finished_at:
        raise DATASET_IMPORT_IS_OVER()
    await store.finish_import(call.work, row.id, call.now, cancelled=True)
    call.add_audit_subjects("dataset", row.dataset_id)
    return Done(message=call.translate("import_cancelled"))


async def _readable_import(call: Call, import_id: int, *, lock: bool = False) -> store.DatasetImportLine:
    row = await store.get_import_row(call.work, import_id, lock=lock)
    if row is None:
        raise record_not_found(import_id=import_id)
    await get_dataset_to_write(call, row.dataset_id)
    return row
