"""The table of stored packages and its statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import ColumnElement, Index, String, bindparam, func, select, update

from haulier.contexts.storage.stored_packages.contract import DESCRIPTION_MAX, REFERENCE_MAX
from haulier.contexts.storage.stored_packages.rules import IN_STOCK, PackageState
from haulier.kernel.data.personal_data import (
    ERASED,
    PersonKey,
    PersonKeys,
    RecordKind,
    key_in,
    personal_data,
    plain_columns,
    retained,
)
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


class StoredPackageRow(
    Record,
    table="stored_package",
    items=[
        Index("ix_stored_package_customer", "client_id", "customer_id", "state"),
        Index("ix_stored_package_order", "client_id", "storage_order_id"),
        Index("ix_stored_package_shipout", "client_id", "shipout_id"),
    ],
):
    """A package of a customer."""

    customer_id: Reference
    storage_order_id: Reference
    shipout_id: Reference | None
    state: Annotated[str, String(20)]
    description: Annotated[str, String(DESCRIPTION_MAX)]
    reference: Annotated[str, String(REFERENCE_MAX)] | None
    weight_g: int
    length_mm: int
    width_mm: int
    height_mm: int
    photo_ids: list[int]
    warehouse_id: Reference
    location_id: Reference
    received_at: datetime
    left_at: datetime | None


packages = StoredPackageRow.table
plain_columns(packages, "state", "photo_ids")
personal_data(
    packages,
    RecordKind.STORAGE_ORDERS,
    by={"customer_id": PersonKey.USER},
    erased={"description": ERASED, "reference": None},
    in_use=packages.c.state.in_(sorted(IN_STOCK)),
)
retained(RecordKind.STORAGE_ORDERS, packages.c.left_at, default_days=730, minimum_days=30)

_by_ids = select(packages).where(in_param(packages.c.id, "ids")).order_by(packages.c.id)
_by_ids_locked = _by_ids.with_for_update()
_by_orders = select(packages).where(in_param(packages.c.storage_order_id, "orders")).order_by(packages.c.id)
_by_shipouts = select(packages).where(in_param(packages.c.shipout_id, "shipouts")).order_by(packages.c.id)
_in_stock = (
    select(func.count())
    .select_from(packages)
    .where(packages.c.storage_order_id == bindparam("storage_order"), packages.c.state.in_(sorted(IN_STOCK)))
)
_promise = (
    update(packages)
    .where(
        in_param(packages.c.id, "ids"),
        packages.c.customer_id == bindparam("customer"),
        packages.c.state == PackageState.STORED.value,
    )
    .values(state=PackageState.PROMISED.value, shipout_id=bindparam("taken_by"))
)
_release = (
    update(packages)
    .where(packages.c.shipout_id == bindparam("taken_by"), packages.c.state == PackageState.PROMISED.value)
    .values(state=PackageState.STORED.value, shipout_id=None)
)
_ship = (
    update(packages)
    .where(packages.c.shipout_id == bindparam("taken_by"), packages.c.state == PackageState.PROMISED.value)
    .values(state=PackageState.SHIPPED.value, left_at=bindparam("at", type_=packages.c.left_at.type))
)


def personal_photos(ids: ColumnElement[int], keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition for packages with these ids that belong to a person."""
    theirs = key_in(packages.c.customer_id, PersonKey.USER, keys)
    return None if theirs is None else ids.in_(select(packages.c.id).where(theirs))


async def list_packages_by_id(
    work: UnitOfWork, ids: Collection[int], *, lock: bool = False
) -> Sequence[StoredPackageRow]:
    """Return the packages of this client among some ids, by id."""
    return await work.all(_by_ids_locked if lock else _by_ids, StoredPackageRow, ids=list(ids)) if ids else []


async def list_packages_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[StoredPackageRow]:
    """Return the packages that were received for some orders, by id."""
    return await work.all(_by_orders, StoredPackageRow, orders=list(order_ids)) if order_ids else []


async def count_in_stock(work: UnitOfWork, storage_order_id: int) -> int:
    """Return the number of packages of an order in stock."""
    return await work.value(_in_stock, storage_order=storage_order_id)


async def list_packages_of_shipouts(work: UnitOfWork, shipout_ids: Collection[int]) -> Sequence[StoredPackageRow]:
    """Return the packages that some ship-outs take or took, by id."""
    return await work.all(_by_shipouts, StoredPackageRow, shipouts=list(shipout_ids)) if shipout_ids else []


async def promise_packages(work: UnitOfWork, ids: Collection[int], *, customer_id: int, shipout_id: int) -> int:
    """Assign free packages of a customer to a ship-out. Return their number."""
    return await work.run(_promise, ids=list(ids), customer=customer_id, taken_by=shipout_id)


async def release_packages(work: UnitOfWork, shipout_id: int) -> None:
    """Free the packages that a ship-out would have taken."""
    await work.run(_release, taken_by=shipout_id)


async def ship_packages(work: UnitOfWork, shipout_id: int, at: datetime) -> int:
    """Take the packages of a ship-out out of stock. Return their number."""
    return await work.run(_ship, taken_by=shipout_id, at=at)


async def list_package_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[StoredPackageRow], int]:
    """Return a page of packages matching column values, newest first.

    Also returns the total, counted to one more than is shown.
    """
    conditions: list[ColumnElement[bool]] = [packages.c[name] == value for name, value in wanted.items()]
    page = select(packages).where(*conditions).order_by(packages.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), StoredPackageRow)
    counted = select(packages.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
