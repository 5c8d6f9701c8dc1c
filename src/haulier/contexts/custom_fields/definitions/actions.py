"""Writes on definitions for other families, and background work after changes."""

from datetime import timedelta

from msgspec import Struct

from haulier.contexts.custom_fields.definitions import store
from haulier.contexts.custom_fields.definitions.queries import KnownFields
from haulier.kernel.call import Call

INDEX_VALUES_JOB = "custom_fields.index"


class IndexValues(Struct, frozen=True):
    """Arguments of the job that updates stored values to a version of a definition."""

    field_id: int
    version: int


async def begin_indexing(call: Call, field_id: int, version: int) -> None:
    """Enqueue the indexing of a field's values.

    It starts once no call uses an older definition.
    """
    later = call.now + timedelta(seconds=KnownFields.FOR_S)
    await call.enqueue(INDEX_VALUES_JOB, IndexValues(field_id, version), run_at=later)


async def end_indexing(call: Call, field_id: int, version: int) -> None:
    """Mark the values as updated to this version of the definition.

    Does nothing if there is a newer version.
    """
    await store.end_indexing(call.work, field_id, version)
