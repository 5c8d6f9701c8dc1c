"""Shipments that a caller may see."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, and_, exists

from haulier.contexts.shipping.labels import store
from haulier.contexts.shipping.labels.contract import FindShipment, ListShipments
from haulier.contexts.shipping.labels.rules import BOUGHT_STATES, LABEL_NOT_BOUGHT, ShipmentState
from haulier.contexts.shipping.labels.store import ManifestRow, get_manifest_row, labels, list_manifested, shipments
from haulier.contexts.shipping.ports import LabelFormat
from haulier.kernel.call import Call, call_as
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.request_context import RequestContext


def call_of(context: RequestContext, work: UnitOfWork) -> Call:
    """Return a call of the caller outside their own transaction."""
    return call_as(context.app, context.principal, work, language=context.language)


async def get_visible_shipment(call: Call, shipment_id: int, *, lock: bool = False) -> store.ShipmentRow:
    """Return a visible shipment.

    Raises `NOT_FOUND`, also for other customers' shipments.
    """
    row = await store.get_shipment_row(call.work, shipment_id, lock=lock)
    if row is None or not can_see_shipment(call, row):
        raise record_not_found(shipment_id=shipment_id)
    return row


ShipmentRow = store.ShipmentRow
"""A shipment."""


class ShipmentWithNumbers(Struct, frozen=True):
    """A shipment, and the tracking numbers of its parcels."""

    row: store.ShipmentRow
    numbers: tuple[str, ...]


async def get_shipments(work: UnitOfWork, ids: Collection[int]) -> dict[int, ShipmentWithNumbers]:
    """Return the shipments of a client among some ids. Two statements, however many."""
    if not ids:
        return {}
    numbers: defaultdict[int, list[str]] = defaultdict(list)
    for parcel in await store.list_numbers_of_shipments(work, ids):
        numbers[parcel.shipment_id].append(parcel.tracking_number)
    rows = await store.list_shipments_by_ids(work, ids)
    return {row.id: ShipmentWithNumbers(row, tuple(numbers[row.id])) for row in rows}


async def get_shipments_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> list[ShipmentWithNumbers]:
    """Return the shipments of orders, newest first. Two statements."""
    rows = await store.list_shipments_of_orders(work, order_ids)
    numbers: defaultdict[int, list[str]] = defaultdict(list)
    for parcel in await store.list_numbers_of_shipments(work, [row.id for row in rows]) if rows else ():
        numbers[parcel.shipment_id].append(parcel.tracking_number)
    return [ShipmentWithNumbers(row, tuple(numbers[row.id])) for row in rows]


def has_shipment_in(states: Collection[ShipmentState], order_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that an order has a shipment in one of these states."""
    return store.has_shipment_in(states, order_id)


async def find_order_shipments(work: UnitOfWork, numbers: Collection[str]) -> list[ShipmentWithNumbers]:
    """Return the shipments of orders with parcels of these numbers."""
    ids = set((await store.find_shipments_of_numbers(work, numbers)).values())
    return [each for each in (await get_shipments(work, ids)).values() if each.row.order_id is not None]


async def list_labels(call: Call, row: store.ShipmentRow, parcel: int | None) -> list[store.LabelRow]:
    """Return the labels of a shipment, or of one parcel.

    Raises `NOT_FOUND`, `LABEL_NOT_BOUGHT`.
    """
    if ShipmentState(row.state) not in BOUGHT_STATES:
        raise LABEL_NOT_BOUGHT(state=row.state)
    kept = [label for label in await store.list_label_rows(call.work, row.id) if parcel in (None, label.number)]
    if not kept:
        raise record_not_found(parcel=parcel)
    return kept


async def find_unprintable_ids(call: Call, rows: Sequence[store.ShipmentRow]) -> list[int]:
    """Return ids of shipments without a label, or with one for label printers only."""
    forms = defaultdict[int, set[str]](set)
    for each in await store.list_label_forms(call.work, [row.id for row in rows]):
        forms[each.shipment_id].add(each.label_format)
    bought = {row.id for row in rows if ShipmentState(row.state) in BOUGHT_STATES and forms[row.id]}
    return [row.id for row in rows if row.id not in bought or LabelFormat.ZPL.value in forms[row.id]]


async def list_labels_of(call: Call, shipment_ids: Sequence[int]) -> list[store.LabelRow]:
    """Return the labels of some shipments, in the order of the ids."""
    place = {id: number for number, id in enumerate(shipment_ids)}
    rows = await store.list_labels_of_shipments(call.work, shipment_ids)
    return sorted(rows, key=lambda row: place[row.shipment_id])


async def find_visible_shipment(call: Call, request: FindShipment, *, lock: bool = False) -> store.ShipmentRow:
    """Return a shipment by any of its names. Raises `NOT_FOUND`."""
    row = await store.find_shipment_row(
        call.work, id=request.shipment_id, number=request.tracking_number, order_ref=request.order_ref
    )
    if row is None or not can_see_shipment(call, row):
        raise record_not_found(**_names(request))
    return await get_visible_shipment(call, row.id, lock=True) if lock else row


async def get_visible_shipments(call: Call, shipment_ids: Collection[int]) -> list[store.ShipmentRow]:
    """Return shipments in the order of the ids.

    Raises `NOT_FOUND` for the first that the caller cannot see.
    """
    seen = {row.id: row for row in await list_shipments(call, shipment_ids) if can_see_shipment(call, row)}
    for shipment_id in shipment_ids:
        if shipment_id not in seen:
            raise record_not_found(shipment_ids=shipment_id)
    return list(seen.values())


async def list_shipments(call: Call, shipment_ids: Collection[int]) -> list[store.ShipmentRow]:
    """These shipments of the client, in the order of the ids."""
    rows = {row.id: row for row in await store.list_shipments_by_ids(call.work, shipment_ids)}
    return [rows[id] for id in shipment_ids if id in rows]


async def get_manifest(call: Call, manifest_id: int) -> ManifestRow:
    """Return a manifest. Raises `NOT_FOUND`."""
    row = await get_manifest_row(call.work, manifest_id)
    if row is None:
        raise record_not_found(manifest_id=manifest_id)
    return row


async def list_manifest_shipment_ids(call: Call, manifest_id: int) -> list[int]:
    """Return the shipments on a manifest."""
    return [row.id for row in await list_manifested(call.work, manifest_id)]


def _names(request: FindShipment) -> dict[str, Any]:
    named = {
        "shipment_id": request.shipment_id,
        "tracking_number": request.tracking_number,
        "order_ref": request.order_ref,
    }
    return {name: value for name, value in named.items() if value is not None}


async def get_shipment_of_business(call: Call, shipment_id: int, *, lock: bool = False) -> store.ShipmentRow | None:
    """Return a shipment of the client for any customer, or None."""
    return await store.get_shipment_row(call.work, shipment_id, lock=lock)


async def list_parcel_numbers(call: Call, shipment_id: int) -> list[str]:
    """Return the tracking numbers of the parcels of a shipment."""
    return [parcel.tracking_number for parcel in await store.list_parcel_rows(call.work, shipment_id)]


def can_see_shipment(call: Call, row: store.ShipmentRow) -> bool:
    """Return True if the caller can see a shipment: customers see their own."""
    return call.principal.account is not Account.CUSTOMER or row.customer_id == call.actor


async def list_own_numbers(work: UnitOfWork, numbers: Collection[str]) -> frozenset[str]:
    """Return the numbers that belong to parcels of this system."""
    return frozenset(await store.find_shipments_of_numbers(work, numbers)) if numbers else frozenset()


def list_conditions(call: Call, request: ListShipments) -> list[ColumnElement[bool]]:
    """Return the conditions of a list, within what the caller can see."""
    customer = call.actor if call.principal.account is Account.CUSTOMER else request.customer_id
    equal = {
        "state": request.state,
        "order_ref": request.order_ref,
        "carrier": request.carrier,
        "account_id": request.account_id,
        "customer_id": customer,
    }
    found = [shipments.c[name] == value for name, value in equal.items() if value is not None]
    if request.ship_from:
        found.append(shipments.c.ship_date >= request.ship_from)
    if request.ship_to:
        found.append(shipments.c.ship_date <= request.ship_to)
    if request.tracking_number:
        of_parcel = labels.c.tracking_number == request.tracking_number
        same = and_(labels.c.client_id == shipments.c.client_id, labels.c.shipment_id == shipments.c.id)
        found.append(exists().where(same, of_parcel))
    if request.open_manifest is not None:
        is_open = (shipments.c.state == ShipmentState.PURCHASED) & shipments.c.manifest_id.is_(None)
        found.append(is_open if request.open_manifest else ~is_open)
    return found
