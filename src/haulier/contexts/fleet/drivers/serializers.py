"""Drivers as answers show them."""

from haulier.contexts.fleet.drivers.contract import Driver
from haulier.contexts.fleet.drivers.store import DriverRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def serialize_driver(call: Call, row: DriverRow) -> Driver:
    """A driver as people see one."""
    return record(Driver, row, created_at=call.local_time(row.created_at))
