"""Drivers as answers show them."""

from typing import Any

from haulier.contexts.fleet.drivers.contract import (
    Driver,
)
from haulier.kernel.call import Call


def serialize_driver(call: Call, row: Any) -> Driver:
    """A driver as people see one."""
    return Driver(
        id=row.id,
        name=row.name,
        phone=row.phone,
        vehicle=row.vehicle,
        skills=row.skills,
        active=bool(row.active),
        user_id=row.user_id,
        contractor_id=row.contractor_id,
        created_at=row.created_at.astimezone(call.time_zone),
    )
