"""Inbound parcels that a caller may see."""

from collections.abc import Collection

from sqlalchemy import ColumnElement

from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.contract import ListInboundParcels
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow as InboundParcelRow
from haulier.contexts.consolidation.inbound_parcels.store import parcels
from haulier.contexts.shipping.public import list_own_numbers
from haulier.contexts.tracking.public import list_subject_owners, make_number_key
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


def can_see(call: Call, row: InboundParcelRow) -> bool:
    """Return True if the caller can see a parcel: customers see their own."""
    return call.principal.account is not Account.CUSTOMER or row.customer_id == call.actor


async def get_visible_parcel(call: Call, parcel_id: int, *, lock: bool = False) -> InboundParcelRow:
    """Return a visible parcel. Raises `NOT_FOUND`, also for other customers' parcels."""
    row = await (InboundParcelRow.lock if lock else InboundParcelRow.get)(call.work, parcel_id)
    if row is None or not can_see(call, row):
        raise record_not_found(parcel_id=parcel_id)
    return row


def list_conditions(call: Call, request: ListInboundParcels) -> list[ColumnElement[bool]]:
    """Return the conditions of a list, within what the caller can see."""
    equal = {
        "state": request.state,
        "customer_id": request.customer_id,
        "carrier": request.carrier,
        "number_key": request.tracking_number and make_number_key(request.tracking_number),
    }
    found = [parcels.c[name] == value for name, value in equal.items() if value is not None]
    if call.principal.account is Account.CUSTOMER:
        found.append(parcels.c.customer_id == call.actor)
    if request.unmatched is not None:
        nobodys = parcels.c.customer_id.is_(None)
        found.append(nobodys if request.unmatched else ~nobodys)
    if request.arrived_since:
        found.append(parcels.c.arrived_at >= request.arrived_since)
    if request.arrived_before:
        found.append(parcels.c.arrived_at < request.arrived_before)
    return found


async def is_number_of_business(work: UnitOfWork, tracking_number: str) -> bool:
    """Return True if an order or shipment of the business has a number.

    Any spelling matches.
    """
    subjects = await list_subject_owners(work, tracking_number)
    if any(subject.order_id or subject.package_id for subject in subjects):
        return True
    spellings = {tracking_number, make_number_key(tracking_number), *(subject.tracking_number for subject in subjects)}
    return bool(await list_own_numbers(work, spellings))


async def can_announce(work: UnitOfWork, tracking_number: str, customer_id: int) -> bool:
    """Return True if a customer can announce a number.

    Neither the business nor another customer may have it.
    """
    owners = {subject.customer_id for subject in await list_subject_owners(work, tracking_number)}
    return owners <= {None, customer_id} and not await is_number_of_business(work, tracking_number)


async def get_parcels_by_id(work: UnitOfWork, ids: Collection[int]) -> dict[int, InboundParcelRow]:
    """Return parcels of this client by id, for any customer. One statement."""
    return await store.list_parcels_of_ids(work, ids)


async def list_ship_out_parcels(work: UnitOfWork, ship_out_id: int) -> list[InboundParcelRow]:
    """Return the parcels that are part of a ship-out, or left with it. One statement."""
    return await store.list_parcels_of_ship_out(work, ship_out_id)
