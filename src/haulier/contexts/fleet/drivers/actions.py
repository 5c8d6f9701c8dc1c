"""Drivers as other families write them."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.fleet.drivers import store
from haulier.kernel.call import Call


async def add_driver(call: Call, *, skills: Sequence[str], **values: Any) -> int:
    """Insert an active driver and return the id.

    Raises `UniqueConflict` if the user is linked to another driver.
    """
    return await store.insert_driver(call.work, skills=skills, active=True, created_at=call.now, **values)


async def set_driver_skills(call: Call, skills: Mapping[int, list[str]]) -> None:
    """Replace the skills of some drivers, in one statement."""
    await store.update_driver_skills(call.work, skills)
