"""Rows of packages to answers."""

from haulier.contexts.warehouse.packages.contract import WarehousePackage
from haulier.contexts.warehouse.packages.store import WarehousePackageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def package_record(call: Call, row: WarehousePackageRow) -> WarehousePackage:
    """Return a package as callers see it."""
    return record(WarehousePackage, row, moved_at=call.local_time(row.moved_at))
