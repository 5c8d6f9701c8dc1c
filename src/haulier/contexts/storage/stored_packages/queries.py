"""Stored packages as other families read them, and who may open their pictures."""

from collections.abc import Collection, Sequence

from haulier.contexts.documents.public import declare_files_of_people, register_file_access
from haulier.contexts.storage.stored_packages import store
from haulier.contexts.storage.stored_packages.store import StoredPackageRow
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import record_not_found

PHOTO_SUBJECT = "stored_package"


async def get_package(call: Call, package_id: int, *, lock: bool = False) -> StoredPackageRow:
    """Return a package of this client. Raises `NOT_FOUND`."""
    rows = await store.list_packages_by_id(call.work, [package_id], lock=lock)
    if not rows:
        raise record_not_found(package_id=package_id)
    return rows[0]


async def list_packages_of_order(call: Call, storage_order_id: int) -> Sequence[StoredPackageRow]:
    """Return the packages that were received for an order, by id."""
    return await store.list_packages_of_orders(call.work, [storage_order_id])


async def list_packages_of_orders(call: Call, order_ids: Collection[int]) -> dict[int, list[StoredPackageRow]]:
    """Return the packages that were received for some orders, by order."""
    found: dict[int, list[StoredPackageRow]] = {id: [] for id in order_ids}
    for row in await store.list_packages_of_orders(call.work, order_ids):
        found[row.storage_order_id].append(row)
    return found


async def count_packages_in_stock(call: Call, storage_order_id: int) -> int:
    """Return the number of packages of an order in stock."""
    return await store.count_in_stock(call.work, storage_order_id)


async def list_packages_of_shipouts(call: Call, shipout_ids: Collection[int]) -> dict[int, list[StoredPackageRow]]:
    """Return the packages of some ship-outs, by ship-out."""
    found: dict[int, list[StoredPackageRow]] = {id: [] for id in shipout_ids}
    for row in await store.list_packages_of_shipouts(call.work, shipout_ids):
        found[row.shipout_id or 0].append(row)
    return found


declare_files_of_people(PHOTO_SUBJECT, RecordKind.STORAGE_ORDERS, store.personal_photos)


@register_file_access(PHOTO_SUBJECT, Scope.STORAGE_READ)
async def may_see_package(call: Call, package_id: int) -> bool:
    """Customers see pictures of their own packages."""
    rows = await store.list_packages_by_id(call.work, [package_id])
    return call.principal.account is Account.CUSTOMER and bool(rows) and rows[0].customer_id == call.actor
