"""Reads of delivery orders for other families: order facts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.analytics.public import Truths
from haulier.contexts.custom_fields.public import ResourceKind, share_custom_fields
from haulier.contexts.orders.delivery_orders.contract.orders import OrderTerms
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    DISPATCHABLE_STATUSES,
    TERMINAL_STATUSES,
    OrderStatus,
)
from haulier.contexts.orders.delivery_orders.rules.priced_orders import OrderDue
from haulier.contexts.orders.delivery_orders.rules.whereabouts import POINT_TO_POINT, get_movement, locate_goods
from haulier.contexts.orders.delivery_orders.store import lists
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.orders import (
    find_order_ids,
    find_order_ids_by_numbers,
    find_order_row_by_number,
    find_piece_rows,
)
from haulier.contexts.tracking.public import list_number_owners
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, declare_error, record_not_found
from haulier.kernel.operations.records import record


class OrderFacts(Struct, frozen=True, kw_only=True):
    """An order as seen by dispatch.

    The stop is the address that a driver visits: the shipper for P, else the consignee.
    """

    id: int
    order_ref: str | None
    tracking_number: str
    type: str
    status: OrderStatus
    scheduled_date: date | None
    fulfilment: str
    third_party_held: bool
    contractor_id: int | None
    driver_id: int | None
    customer_id: int | None
    name: str | None
    address: str | None
    city: str | None
    postal_code: str | None
    lat: float | None
    lng: float | None
    pickup: tuple[float, float] | None = None
    """Coordinates where the goods are collected, if they are known."""
    goods_at: Mapping[str, Any] | None = None
    """Location of goods that were delivered to a wrong address."""
    window_start: datetime | None
    window_end: datetime | None
    service_time_s: int
    weight_g: int
    skills: tuple[str, ...]
    attempts: int = 0
    attempt_limit: int | None = None

    @property
    def movement(self) -> str:
        """Movement of the goods on a route: P2P from a wrong address, else `type`."""
        return get_movement(self.type, self.goods_at)

    @property
    def goods_address(self) -> str | None:
        """Address of goods that were delivered to a wrong address."""
        parts = [(self.goods_at or {}).get(name) for name in ("address", "unit", "city")]
        return ", ".join(part for part in parts if part) or None


async def lock_priced_order(call: Call, order_id: int) -> OrderDue | None:
    """Lock an order and return what its customer owes for it, or None."""
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=True)
    return record(OrderDue, rows[0], recipient=rows[0].stop_name, day=rows[0].counted_day) if rows else None


def order_facts_from_row(row: orders_store.OrderRow) -> OrderFacts:
    """The facts in a row of the order table."""
    return record(
        OrderFacts,
        row,
        status=OrderStatus(row.status),
        name=row.stop_name,
        address=row.stop_address,
        city=row.stop_city,
        postal_code=row.stop_postal_code,
        pickup=locate_goods(row.type, row.shipper, row.goods_at),
        skills=tuple(row.skills),
    )


async def find_orders_by_reference(call: Call, reference: str) -> list[OrderFacts]:
    """Return the client's orders with a reference or tracking number.

    The number can be that of the order or of one of its packages.
    """
    return [order_facts_from_row(row) for row in await orders_store.find_order_rows_by_reference(call.work, reference)]


async def find_order_ids_by_reference(call: Call, references: Collection[str]) -> dict[str, int]:
    """Return order ids by `order_ref`.

    References shared by orders of several customers are left out.
    """
    return await find_order_ids(call.work, references)


async def has_orders(call: Call) -> bool:
    """Return True if the client has any order."""
    return await orders_store.has_order_rows(call.work)


async def get_order_facts(call: Call, order_ids: Collection[int], *, lock: bool = False) -> dict[int, OrderFacts]:
    """Return the client's orders among some ids, optionally locked. One statement."""
    return {
        row.id: order_facts_from_row(row) for row in await orders_store.list_order_rows(call.work, order_ids, lock=lock)
    }


async def list_plannable_orders(call: Call, *, limit: int = 5000) -> list[OrderFacts]:
    """Return orders that can be planned, oldest first.

    Self-delivery, dispatchable, not held by a third party.
    """
    rows = await orders_store.list_plannable_order_rows(
        call.work, [status.value for status in DISPATCHABLE_STATUSES], limit
    )
    return [order_facts_from_row(row) for row in rows]


async def get_last_steps(call: Call, order_ids: Collection[int]) -> dict[int, str]:
    """Return the last step in the history of each order."""
    return {id: row.step for id, row in (await orders_store.get_last_changes(call.work, order_ids)).items()}


class TrackedOrder(Struct, frozen=True, kw_only=True):
    """An order of any client, found by its number, and its recipient."""

    id: int
    client_id: int
    over: bool
    consignee: Mapping[str, Any] | None


async def find_order_of_any_client(call: Call, tracking_number: str) -> TrackedOrder | None:
    """Return the order with a tracking number, for any client.

    The number can be that of the order or of a package. Serves requests of recipients.
    """
    number = tracking_number.strip().upper()
    owner = (await list_number_owners(call.work, [number])).get(number)
    if owner is None:
        return None
    row = await find_order_row_by_number(call.work.for_tenant(owner, "a recipient knows the number alone"), number)
    return row and record(TrackedOrder, row, over=row.status in TERMINAL_STATUSES)


class StopContacts(Struct, frozen=True, kw_only=True):
    """Sender, recipient and terms: what the carrier of an order has to know."""

    shipper: Mapping[str, Any] | None
    consignee: Mapping[str, Any] | None
    goods_at: Mapping[str, Any] | None
    delivery_instruction: str | None
    package_count: int
    terms: OrderTerms
    signature_required: bool


class OrderPiece(Struct, frozen=True, kw_only=True):
    """One piece of an order. Its tracking number is the barcode on its label."""

    id: int
    order_id: int
    tracking_number: str
    weight_g: int
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    description: str | None
    outcome: str | None


async def list_order_pieces(call: Call, order_ids: Collection[int]) -> list[OrderPiece]:
    """Return the packages of the client's orders, in label order. One statement."""
    rows = await orders_store.list_order_package_rows(call.work, order_ids) if order_ids else []
    return [record(OrderPiece, row) for row in rows]


def order_terms_from_row(row: orders_store.OrderRow) -> OrderTerms:
    """Return the terms in a trusted order row, without validating them again."""
    return OrderTerms.model_construct(**{name: getattr(row, name) for name in OrderTerms.model_fields})


async def get_stop_contacts(call: Call, order_ids: Collection[int]) -> dict[int, StopContacts]:
    """Sender, recipient and instruction of the client's orders among some ids."""
    return {
        row.id: record(
            StopContacts,
            row,
            terms=order_terms_from_row(row),
            signature_required=bool((row.price or {}).get("signature_required")),
        )
        for row in await orders_store.list_order_rows(call.work, order_ids)
    }


class OrderStepTaken(Struct, frozen=True, kw_only=True):
    """A step that an order took. Ids grow with the steps of an order."""

    id: int
    step: str
    status: OrderStatus
    at: datetime
    reason: str | None


async def list_order_steps(call: Call, order_id: int) -> list[OrderStepTaken]:
    """The steps that an order of the client took, oldest first."""
    rows = await orders_store.list_order_change_rows(call.work, order_id)
    return [record(OrderStepTaken, row, status=OrderStatus(row.status)) for row in rows]


async def get_shared_custom_fields(call: Call, order_id: int) -> dict[str, Any]:
    """Return the custom fields of an order that a partner can see.

    The call is of the business that offers the order.
    """
    rows = await orders_store.list_order_rows(call.work, [order_id])
    shared = await share_custom_fields(call, ResourceKind.ORDER, [row.custom_fields for row in rows])
    return shared[0] if shared else {}


MM3_PER_CM3 = 1000


class OrderLoad(Struct, frozen=True, kw_only=True):
    """An order as a load.

    `volume_cm3` covers packages of known size; `pickup` is where a P2P movement starts. `boxes` are the packages of
    known size: length, width and height in millimetres, and weight in grams.
    """

    order_id: int
    parcels: int
    volume_cm3: int
    pickup: tuple[float, float] | None = None
    boxes: tuple[tuple[int, int, int, int], ...] = ()


async def get_order_loads(call: Call, order_ids: Collection[int]) -> dict[int, OrderLoad]:
    """The loads of the client's orders among some ids, in two statements."""
    if not order_ids:
        return {}
    packages: dict[int, list[orders_store.PackageRow]] = {}
    for package in await orders_store.list_order_package_rows(call.work, list(order_ids)):
        packages.setdefault(package.order_id, []).append(package)
    return {
        row.id: _order_load(row, packages.get(row.id, ()))
        for row in await orders_store.list_order_rows(call.work, order_ids)
    }


def _order_load(row: orders_store.OrderRow, packages: Sequence[orders_store.PackageRow]) -> OrderLoad:
    is_point_to_point = get_movement(row.type, row.goods_at) == POINT_TO_POINT
    return OrderLoad(
        order_id=row.id,
        parcels=row.package_count,
        volume_cm3=sum(_package_volume_cm3(package) for package in packages),
        boxes=tuple(box for box in map(_box, packages) if box),
        pickup=locate_goods(row.type, row.shipper, row.goods_at) if is_point_to_point else None,
    )


def _package_volume_cm3(package: orders_store.PackageRow) -> int:
    length, width, height = package.length_mm, package.width_mm, package.height_mm
    if length is None or width is None or height is None:
        return 0
    return -(-length * width * height // MM3_PER_CM3)


def _box(package: orders_store.PackageRow) -> tuple[int, int, int, int] | None:
    length, width, height = package.length_mm, package.width_mm, package.height_mm
    return (length, width, height, package.weight_g) if length and width and height else None


ORDER_REF_AMBIGUOUS = declare_error("order_ref_ambiguous", 409)

FoundOrder = int | OperationError
"""The id of an order, or why a name means none."""


async def find_order_ids_by_names(
    call: Call, order_ids: Collection[int], tracking_numbers: Collection[str], order_refs: Collection[str]
) -> dict[str, FoundOrder]:
    """Return the id of each named order of the client, or the reason it has none."""
    known = {row.id for row in await orders_store.list_order_rows(call.work, order_ids)} if order_ids else set[int]()
    capitals = {number: number.upper() for number in tracking_numbers}
    by_number = await find_order_ids_by_numbers(call.work, capitals.values())
    by_ref: dict[str, list[int]] = {ref: [] for ref in order_refs}
    for row in await orders_store.list_order_rows_by_refs(call.work, order_refs):
        by_ref[row.order_ref or ""].append(row.id)
    return {
        **{str(id): id if id in known else record_not_found(order_id=id) for id in order_ids},
        **{
            number: by_number.get(capital) or record_not_found(tracking_number=number)
            for number, capital in capitals.items()
        },
        **{ref: _one_of(ref, ids) for ref, ids in by_ref.items()},
    }


def _one_of(ref: str, ids: Collection[int]) -> FoundOrder:
    if len(ids) > 1:
        return ORDER_REF_AMBIGUOUS(order_ref=ref, count=len(ids))
    return next(iter(ids), None) or record_not_found(order_ref=ref)


async def list_order_ids_of_period(call: Call, begins: datetime, ends: datetime, *, most: int) -> list[int]:
    """Return the ids of orders created in a period, newest first, at most `most`."""
    return await orders_store.list_ids_of_period(call.work, begins, ends, most)


def order_sum_truths() -> Truths:
    """Orders under their statuses, and failed attempts, as entries of sums."""
    return lists.order_sum_truths()


class NumberedPiece(Struct, frozen=True, kw_only=True):
    """A package of an order.

    `package_id` is named by its tracking events. None if the label shows the order's own number.
    """

    order_id: int
    package_id: int | None
    order_ref: str | None
    tracking_number: str
    over: bool


async def find_pieces_by_number(call: Call, numbers: Collection[str]) -> dict[str, NumberedPiece]:
    """Return packages of the client's orders by the tracking number on their label.

    One statement. Numbers are in capitals.
    """
    return {
        row.tracking_number: NumberedPiece(
            order_id=row.order_id,
            package_id=None if row.tracking_number == row.order_number else row.id,
            order_ref=row.order_ref,
            tracking_number=row.tracking_number,
            over=row.status in TERMINAL_STATUSES,
        )
        for row in await find_piece_rows(call.work, numbers)
    }


class RecipientFacts(Struct, frozen=True, kw_only=True):
    """An order as its recipient knows it.

    `consignee` and `shipper` are addresses as documents. `language` is the recipient's, if known. The times of the
    promised window are instants. `third_party_held` is true if another business delivers the order.
    """

    id: int
    tracking_number: str
    type: str
    status: OrderStatus
    customer_id: int | None
    consignee: Mapping[str, Any] | None
    shipper: Mapping[str, Any] | None
    language: str | None
    scheduled_date: date | None
    window_start: datetime | None
    window_end: datetime | None
    delivery_instruction: str | None
    replaced_by_order_id: int | None
    third_party_held: bool
    show_items_to_recipient: bool
    rating: int | None
    rating_comment: str | None
    rated_at: datetime | None
    pickup_depot_id: int | None
    pickup_ready_at: datetime | None
    pickup_until: date | None


async def get_recipient_facts(
    call: Call, order_ids: Collection[int], *, lock: bool = False
) -> dict[int, RecipientFacts]:
    """Return the client's orders as their recipients know them, optionally locked.

    One statement.
    """
    rows = await orders_store.list_recipient_rows(call.work, order_ids, lock=lock) if order_ids else []
    return {row.id: record(RecipientFacts, row, status=OrderStatus(row.status)) for row in rows}
