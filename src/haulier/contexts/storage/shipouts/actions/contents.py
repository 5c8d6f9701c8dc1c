"""What leaves with a ship-out: stored packages and inbound parcels, which are promised, freed and sent together."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.consolidation.public import (
    InboundParcelRow,
    add_to_ship_out,
    get_parcels_by_id,
    leave_with_ship_out,
    require_parcels_for_ship_out,
    take_out_of_ship_out,
)
from haulier.contexts.storage.shipouts.contract import ShipoutWish
from haulier.contexts.storage.shipouts.rules import (
    INBOUND_PARCEL_NOT_MEASURED,
    LeavingParcel,
    PackageFacts,
    contents_of_parcels,
    leaving_parcels,
)
from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.contexts.storage.stored_packages.actions import (
    promise_packages,
    release_packages,
    require_free_packages,
    ship_packages,
)
from haulier.contexts.storage.stored_packages.queries import StoredPackageRow, list_packages_of_shipouts
from haulier.kernel.call import Call


class ShipoutContents(Struct, frozen=True, kw_only=True):
    """What a ship-out would take."""

    packages: Sequence[StoredPackageRow]
    inbound: Sequence[InboundParcelRow]
    facts: Sequence[PackageFacts]
    """What a price needs to know of each."""


async def require_free_contents(
    call: Call, wish: ShipoutWish, *, customer_id: int, lock: bool = False
) -> ShipoutContents:
    """What a customer wants sent, where all of it can be.

    Raises `NOT_FOUND`, `PACKAGE_NOT_FREE`, `INBOUND_STEP_REFUSED` and `INBOUND_PARCEL_NOT_MEASURED`.
    """
    packages = await require_free_packages(call, wish.package_ids, customer_id=customer_id, lock=lock)
    inbound: Sequence[InboundParcelRow] = ()
    if ids := wish.inbound_parcel_ids:
        inbound = await require_parcels_for_ship_out(call, ids, customer_id=customer_id, lock=lock)
    facts = [*map(package_facts, packages), *map(inbound_facts, inbound)]
    return ShipoutContents(packages=packages, inbound=inbound, facts=facts)


async def promise_contents(call: Call, wish: ShipoutWish, *, customer_id: int, shipout_id: int) -> None:
    """Give what a customer wants sent to their ship-out: all of it or none."""
    await promise_packages(call, wish.package_ids, customer_id=customer_id, shipout_id=shipout_id)
    if ids := wish.inbound_parcel_ids:
        await add_to_ship_out(call, ids, customer_id=customer_id, ship_out_id=shipout_id)


async def release_contents(call: Call, row: ShipoutRow) -> None:
    """Free what a ship-out would have taken."""
    await release_packages(call, row.id)
    if row.inbound_parcels:
        await take_out_of_ship_out(call, row.id)


async def ship_contents(call: Call, row: ShipoutRow) -> None:
    """What a ship-out takes is not here any more."""
    await ship_packages(call, row.id)
    if row.inbound_parcels:
        await leave_with_ship_out(call, row.id)


async def list_leaving_parcels(call: Call, row: ShipoutRow) -> list[LeavingParcel]:
    """The parcels of a ship-out, each with its weight, and its size where that is known."""
    packages = (await list_packages_of_shipouts(call, [row.id]))[row.id]
    ids = [id for parcel in row.inbound_parcels or () for id in parcel]
    inbound = await get_parcels_by_id(call.work, ids) if ids else {}
    return leaving_parcels(
        contents_of_parcels(row.parcels, row.inbound_parcels),
        {package.id: package_facts(package) for package in packages},
        {id: inbound_facts(parcel) for id, parcel in inbound.items()},
    )


def package_facts(row: StoredPackageRow) -> PackageFacts:
    """What a price and a delivery need to know of a package."""
    return PackageFacts(**{name: getattr(row, name) for name in PackageFacts.__struct_fields__})


def inbound_facts(row: InboundParcelRow) -> PackageFacts:
    """What they need to know of an inbound parcel. Raises `INBOUND_PARCEL_NOT_MEASURED`."""
    facts = {name: getattr(row, name) for name in PackageFacts.__struct_fields__}
    if None in facts.values():
        raise INBOUND_PARCEL_NOT_MEASURED(inbound_parcel_id=row.id)
    return PackageFacts(**facts)
