"""Serializers of locker sites."""

from typing import Any

import msgspec

from haulier.contexts.lockers.sites.contract import LockerBox, LockerCabinet
from haulier.contexts.lockers.sites.rules import use_of
from haulier.contexts.lockers.sites.store import LockerCabinetRow, LockerSiteRow, OccupiedBoxRow
from haulier.contexts.places.points_of_interest.contract import OpeningHoursRecord
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def site_fields(call: Call, row: LockerSiteRow) -> dict[str, Any]:
    """Return the fields of a site that differ from its row."""
    hours = row.opening_hours
    return {
        "opening_hours": msgspec.convert(hours, OpeningHoursRecord) if hours else None,
        "created_at": call.local_time(row.created_at),
    }


def cabinet_record(call: Call, row: LockerCabinetRow) -> LockerCabinet:
    """A cabinet."""
    return record(LockerCabinet, row, created_at=call.local_time(row.created_at))


def box_record(row: OccupiedBoxRow) -> LockerBox:
    """Serialize a compartment with its use."""
    return record(LockerBox, row, use=use_of(row.state, row.parcel_status, leased=row.lease_id is not None).value)
