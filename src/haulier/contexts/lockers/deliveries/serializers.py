"""Serializers of locker deliveries."""

from haulier.contexts.lockers.deliveries.contract import LockerDelivery
from haulier.contexts.lockers.deliveries.store import LockerDeliveryRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def delivery_record(call: Call, row: LockerDeliveryRow) -> LockerDelivery:
    """Serialize a locker delivery."""
    return record(
        LockerDelivery,
        row,
        locker_parcel_id=row.parcel_id,
        created_at=call.local_time(row.created_at),
        ended_at=call.local_time(row.ended_at),
        waiting_since=call.local_time(row.waiting_since),
    )
