"""Serializers of locker parcels."""

from typing import Any

from haulier.contexts.lockers.devices.queries import list_commands_of_parcels
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.parcels.contract import LockerParcel, LockerParcelDetail
from haulier.contexts.lockers.parcels.rules import code_step
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def _times(call: Call, row: LockerParcelRow) -> dict[str, Any]:
    moments = ("until", "reserved_at", "deposited_at", "reminded_at", "ended_at")
    return {name: call.local_time(getattr(row, name)) for name in moments}


def parcel_record(call: Call, row: LockerParcelRow) -> LockerParcel:
    """Serialize a parcel for a list."""
    return record(LockerParcel, row, **_times(call, row))


async def parcel_detail(call: Call, row: LockerParcelRow) -> LockerParcelDetail:
    """Serialize a parcel with every opening of its door."""
    opened = (await list_commands_of_parcels(call, [row.id])).get(row.id, [])
    return record(
        LockerParcelDetail,
        row,
        **_times(call, row),
        code_made_at=call.local_time(row.code_made_at),
        code_works=row.has_code and code_step(row.kind, row.status) is not None,
        accesses=[command_record(call, each) for each in opened],
    )
