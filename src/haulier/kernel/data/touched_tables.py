"""The effects of a statement on cached answers.

A cached answer depends on rows of its client and perhaps on shared rows, and is outdated once either are written. So
each write declares whose answers it invalidates, and each read what its answer depends on.
"""

from collections.abc import Collection

from msgspec import Struct
from sqlalchemy import Table

from haulier.kernel.data.tables import is_machinery, is_tenant_table

CLIENT_WRITES_CHANNEL = "client_writes"
"""Channel of commits with written rows. Subjects are client ids, `SHARED`, or everything."""
SHARED = "shared"
"""Subject for writes of rows that belong to no client."""


class TouchedTables(Struct, frozen=True):
    """Effects of a statement other than reading rows of its own client."""

    writes_of_client: bool
    writes_shared: bool
    reads_shared: bool
    reads_machinery: bool
    """These writes are not announced, so answers read from these tables are not cached."""


def touched_tables(read: Collection[Table], written: Collection[Table]) -> TouchedTables | None:
    """Return the effects of a statement, or None if it only reads its client's rows."""
    shared_reads = {table for table in read if not is_tenant_table(table)}
    announced_writes = {table for table in written if not is_machinery(table)}
    if not shared_reads and not announced_writes:
        return None
    return TouchedTables(
        writes_of_client=any(map(is_tenant_table, announced_writes)),
        writes_shared=not all(map(is_tenant_table, announced_writes)),
        reads_shared=bool(shared_reads),
        reads_machinery=any(map(is_machinery, shared_reads)),
    )
