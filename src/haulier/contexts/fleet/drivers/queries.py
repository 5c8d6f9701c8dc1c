"""Drivers for other families and contexts, and their visibility."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.fleet.drivers import store
from haulier.contexts.fleet.drivers.store import DriverRow
from haulier.contexts.identity.public import permitted_scopes
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.i18n.languages import phrase
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND, FieldError, OperationError, record_not_found

# Lists of routes, claims and board rules sort by a driver's name and filter by owner, page by page, which requires a
# join.
drivers = store.drivers


async def get_visible_driver(call: Call, driver_id: int) -> DriverRow:
    """The row of a driver whom the caller may see. Raises `NOT_FOUND`."""
    row = await DriverRow.get(call.work, driver_id)
    if row is None or not _is_visible(call, row):
        raise await driver_not_found(call, driver_id)
    return row


async def driver_not_found(call: Call, driver_id: int) -> OperationError:
    """Return `NOT_FOUND` for an unknown driver.

    For the id of a visible driver's user, the error names the driver's id.
    """
    row = await DriverRow.find_by(call.work, user_id=driver_id)
    if row is None or not _is_visible(call, row):
        return record_not_found(driver_id=driver_id)
    fault = FieldError("driver_id", "field.user_id_for_driver", {"driver_id": row.id})
    return NOT_FOUND.for_fields(fault, record=phrase("record.driver_id", value=str(driver_id)))


def _is_visible(call: Call, row: DriverRow) -> bool:
    owner = {Account.CONTRACTOR: "contractor_id", Account.DRIVER: "user_id"}.get(call.principal.account)
    return owner is None or getattr(row, owner) == call.actor


def list_grantable_scopes(call: Call) -> list[str] | None:
    """Return the scopes of a new driver account, or None for all of its kind."""
    if call.principal.account is not Account.CONTRACTOR:
        return None
    return sorted(permitted_scopes(Account.DRIVER, None) & call.principal.scopes)


async def get_driver_row(call: Call, driver_id: int) -> DriverRow | None:
    """A driver of this client, or None."""
    return await DriverRow.get(call.work, driver_id)


async def get_driver_rows(call: Call, driver_ids: Collection[int]) -> dict[int, DriverRow]:
    """Drivers of this client by id."""
    return await DriverRow.get_many(call.work, driver_ids)


async def get_driver_row_by_user(call: Call, user_id: int) -> DriverRow | None:
    """The driver who signs in with this account, or None."""
    return await DriverRow.find_by(call.work, user_id=user_id)


async def list_driver_rows(
    call: Call, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[DriverRow], int]:
    """Return a page of drivers by name, and the number of matches.

    Filters: contractor, own, enabled, skill, text, user.
    """
    return await store.list_driver_rows(call.work, filters, limit=limit, offset=offset)


async def has_driver_with_skill(call: Call, skill: str) -> bool:
    """Return True if any active driver has a skill."""
    _, total = await store.list_driver_rows(call.work, {"enabled": True, "skill": skill}, limit=1, offset=0)
    return bool(total)


async def lock_drivers(call: Call, driver_ids: Collection[int]) -> None:
    """Lock drivers until the transaction ends, against concurrent counts and writes."""
    await store.lock_drivers(call.work, driver_ids)


async def lock_driver_skills(call: Call, driver_ids: Collection[int]) -> dict[int, list[str]]:
    """The skills of some drivers, whose rows are locked until the transaction ends."""
    return await store.lock_driver_skills(call.work, driver_ids)


async def is_driver_of_user(work: UnitOfWork, driver_id: int, user_id: int) -> bool:
    """Return True if a user signs in as this driver.

    For jobs, which have no call while they read.
    """
    driver = await DriverRow.find_by(work, user_id=user_id)
    return driver is not None and driver.id == driver_id
