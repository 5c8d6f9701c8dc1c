"""What a statement touches, as far as answers that are kept in memory must know of it.

A kept answer was read from rows of its client, and perhaps from shared ones. It is as old as the last write of either, whoever
wrote; so every statement that writes says whose answers it makes old, and every read what its answer depends on.
"""

from collections.abc import Collection

from msgspec import Struct
from sqlalchemy import Table

from haulier.kernel.data.tables import is_machinery, is_tenant_table

CLIENT_WRITES_CHANNEL = "client_writes"
"""Tells of every commit whose rows it wrote: a client's number, `SHARED`, or everybody's."""
SHARED = "shared"
"""The subject of writes of rows that belong to no client."""


class TouchedTables(Struct, frozen=True):
    """What a statement does beside reading rows of its own client."""

    writes_of_client: bool
    writes_shared: bool
    reads_shared: bool
    reads_machinery: bool
    """Such writes are not told, so nothing that was read from them may be kept."""


def touched_tables(read: Collection[Table], written: Collection[Table]) -> TouchedTables | None:
    """What a statement touches, by the tables that it names; None where it only reads rows of its client."""
    shared_reads = {table for table in read if not is_tenant_table(table)}
    told_writes = {table for table in written if not is_machinery(table)}
    if not shared_reads and not told_writes:
        return None
    return TouchedTables(
        writes_of_client=any(map(is_tenant_table, told_writes)),
        writes_shared=not all(map(is_tenant_table, told_writes)),
        reads_shared=bool(shared_reads),
        reads_machinery=any(map(is_machinery, shared_reads)),
    )
