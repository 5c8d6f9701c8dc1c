"""Background work on values: records follow a definition that changed."""

from typing import Any

from haulier.contexts.custom_fields.definitions.actions import INDEX_VALUES_JOB, IndexValues, end_indexing
from haulier.contexts.custom_fields.definitions.queries import find_definition
from haulier.contexts.custom_fields.definitions.rules import FieldDefinition
from haulier.contexts.custom_fields.values import store
from haulier.contexts.custom_fields.values.rules import field_key, regrouped
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

RECORDS_PER_TRANSACTION = 500


@job(INDEX_VALUES_JOB, IndexValues, queue="batches")
async def index_values(run: JobRun, args: IndexValues) -> None:
    """Update the values and keys of a field to its definition.

    Ends early if there is a newer version.
    """
    after = 0
    while True:
        async with run.call() as call:
            found = await find_definition(call, args.field_id)
            if found is None or found[1] != args.version:
                return None
            definition = found[0]
            rows = await store.list_rows_with_values(call.work, definition.kind, after, RECORDS_PER_TRANSACTION)
            if not rows:
                return await end_indexing(call, args.field_id, args.version)
            await _apply_definition(call, definition, rows)
            after = rows[-1].id


async def _apply_definition(call: Call, definition: FieldDefinition, rows: list[store.ValuesRow]) -> None:
    moved: list[dict[str, Any]] = []
    for row in rows:
        document = regrouped(definition, row.custom_fields)
        if document != row.custom_fields:
            moved.append({"row": row.id, "document": document})
    await store.update_documents(call.work, definition.kind, moved)
    await store.delete_keys_of_field(call.work, definition.id, [row.record_id for row in rows])
    if definition.filterable and not definition.archived:
        found = {row.record_id: field_key(definition, row.custom_fields) for row in rows}
        await store.insert_keys(call.work, definition.kind, {id: [key] for id, key in found.items() if key})
