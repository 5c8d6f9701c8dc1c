"""Packages as other families read them."""

from collections.abc import Collection

from haulier.contexts.warehouse.packages import store
from haulier.contexts.warehouse.packages.rules import package_keys
from haulier.contexts.warehouse.packages.store import WarehousePackageRow
from haulier.kernel.call import Call


async def find_packages(call: Call, numbers: Collection[str]) -> dict[str, WarehousePackageRow]:
    """Return packages of this client by number, as it is kept."""
    return await store.find_package_rows(call.work, package_keys(numbers))


async def lock_packages(call: Call, ids: Collection[int]) -> dict[int, WarehousePackageRow]:
    """Return packages by id, locked until the transaction ends."""
    return await WarehousePackageRow.lock_many(call.work, ids)
