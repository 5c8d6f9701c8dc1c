"""Drivers as other families write them."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.fleet.drivers import store
from haulier.contexts.fleet.drivers.queries import list_grantable_scopes
from haulier.contexts.fleet.drivers.store import DriverRow
from haulier.contexts.identity.public import create_user_without_email
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account


async def add_driver(call: Call, *, skills: Sequence[str], **values: Any) -> int:
    """Insert an active driver and return the id.

    Raises `UniqueConflict` if the user is linked to another driver.
    """
    return await store.insert_driver(call.work, skills=skills, active=True, created_at=call.now, **values)


async def create_driver_account(call: Call, driver: DriverRow) -> int:
    """Create an account without email for a driver and return the user id.

    Raises `SCOPES_EXCEEDED` when such an account may do more than the caller.
    """
    user_id = await create_user_without_email(
        call, name=driver.name, account=Account.DRIVER, granted=list_grantable_scopes(call)
    )
    await store.update_driver_row(call.work, driver.id, {"user_id": user_id})
    return user_id


async def set_driver_skills(call: Call, skills: Mapping[int, list[str]]) -> None:
    """Replace the skills of some drivers, in one statement."""
    await store.update_driver_skills(call.work, skills)
