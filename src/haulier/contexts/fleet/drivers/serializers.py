"""Drivers as answers show them."""

from collections.abc import Sequence

from haulier.contexts.custom_fields.public import ResourceKind, show_custom_fields
from haulier.contexts.fleet.drivers.contract import Driver
from haulier.contexts.fleet.drivers.store import DriverRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def serialize_drivers(call: Call, rows: Sequence[DriverRow]) -> list[Driver]:
    """Drivers as people see them."""
    shown = await show_custom_fields(call, ResourceKind.DRIVER, [row.custom_fields for row in rows])
    return [
        record(Driver, row, custom_fields=values, created_at=call.local_time(row.created_at))
        for row, values in zip(rows, shown, strict=True)
    ]
