"""Writes of stored packages, within the caller's transaction."""

from collections.abc import Collection, Sequence

from haulier.contexts.storage.events import PackagesReceived
from haulier.contexts.storage.stored_packages import store
from haulier.contexts.storage.stored_packages.contract import ArrivedPackage
from haulier.contexts.storage.stored_packages.rules import PACKAGE_NOT_FREE, PackageState
from haulier.contexts.storage.stored_packages.store import StoredPackageRow
from haulier.contexts.warehouse.public import load_locations
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def receive_packages(
    call: Call, customer_id: int, storage_order_id: int, arrived: Sequence[ArrivedPackage]
) -> Sequence[StoredPackageRow]:
    """Put packages of a customer on locations.

    Raises `NOT_FOUND` for an unknown location, `LOCATION_NOT_USABLE`.
    """
    named = {each.location_id for each in arrived}
    locations = await load_locations(call, named, filled=named)
    ids = await StoredPackageRow.insert_many(
        call.work,
        [
            {
                **each.model_dump(),
                "customer_id": customer_id,
                "storage_order_id": storage_order_id,
                "state": PackageState.STORED.value,
                "photo_ids": [],
                "warehouse_id": locations[each.location_id].warehouse_id,
                "received_at": call.now,
            }
            for each in arrived
        ],
    )
    call.add_audit_subjects("stored_package", *ids)
    await call.publish(PackagesReceived(storage_order_id=storage_order_id, customer_id=customer_id, packages=len(ids)))
    return await store.list_packages_by_id(call.work, ids)


async def promise_packages(
    call: Call, ids: Collection[int], *, customer_id: int, shipout_id: int
) -> Sequence[StoredPackageRow]:
    """Assign packages of a customer to one ship-out: all of them or none.

    Raises `NOT_FOUND` for a package of another customer, `PACKAGE_NOT_FREE` for one that is assigned or gone.
    """
    rows = await require_free_packages(call, ids, customer_id=customer_id, lock=True)
    given = await store.promise_packages(
        call.work, [row.id for row in rows], customer_id=customer_id, shipout_id=shipout_id
    )
    if given < len(rows):
        raise PACKAGE_NOT_FREE(package_id=rows[0].id)
    return rows


async def require_free_packages(
    call: Call, ids: Collection[int], *, customer_id: int, lock: bool = False
) -> Sequence[StoredPackageRow]:
    """Return packages of a customer that can be shipped.

    Raises `NOT_FOUND` and `PACKAGE_NOT_FREE`.
    """
    rows = {row.id: row for row in await store.list_packages_by_id(call.work, sorted(set(ids)), lock=lock)}
    for id in ids:
        if id not in rows or rows[id].customer_id != customer_id:
            raise record_not_found(package_id=id)
    for row in rows.values():
        if row.state != PackageState.STORED:
            raise PACKAGE_NOT_FREE(package_id=row.id)
    return list(rows.values())


async def release_packages(call: Call, shipout_id: int) -> None:
    """Release the packages of a ship-out."""
    await store.release_packages(call.work, shipout_id)


async def ship_packages(call: Call, shipout_id: int) -> None:
    """Take the packages of a ship-out out of stock."""
    await store.ship_packages(call.work, shipout_id, call.now)


async def return_package(call: Call, row: StoredPackageRow) -> None:
    """Record the return of a package to its customer.

    Raises `PACKAGE_NOT_FREE` for one that is assigned or gone.
    """
    if row.state != PackageState.STORED:
        raise PACKAGE_NOT_FREE(package_id=row.id)
    await StoredPackageRow.update(call.work, row.id, {"state": PackageState.RETURNED.value, "left_at": call.now})
