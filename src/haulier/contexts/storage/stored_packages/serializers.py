"""Stored packages, as answers show them."""

from haulier.contexts.storage.stored_packages.contract import StoredPackageRecord
from haulier.contexts.storage.stored_packages.store import StoredPackageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def package_record(call: Call, row: StoredPackageRow) -> StoredPackageRecord:
    """Return a package."""
    return record(
        StoredPackageRecord,
        row,
        received_at=call.local_time(row.received_at),
        left_at=call.local_time(row.left_at),
    )
