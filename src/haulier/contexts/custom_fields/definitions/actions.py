"""Writes on definitions that other families call, and the background work that changes begin."""

from datetime import timedelta

from msgspec import Struct

from haulier.contexts.custom_fields.definitions import store
from haulier.contexts.custom_fields.definitions.queries import KnownFields
from haulier.kernel.call import Call

INDEX_VALUES_JOB = "custom_fields.index"


class IndexValues(Struct, frozen=True):
    """The job of bringing the values of a field that records have to what this version of its definition says."""

    field_id: int
    version: int


async def begin_indexing(call: Call, field_id: int, version: int) -> None:
    """Have the values of a field indexed anew, once nobody writes by an older definition any more."""
    later = call.now + timedelta(seconds=KnownFields.FOR_S)
    await call.enqueue(INDEX_VALUES_JOB, IndexValues(field_id, version), run_at=later)


async def end_indexing(call: Call, field_id: int, version: int) -> None:
    """Say that the values are as this version of the definition says; nothing where there is a newer one."""
    await store.end_indexing(call.work, field_id, version)
