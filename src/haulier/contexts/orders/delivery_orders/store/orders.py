"""Tables and statements of delivery orders: orders."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.custom_fields.public import Document, FilterPlan, ResourceKind, matching_records
from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES
from haulier.contexts.orders.delivery_orders.rules.warnings import code_in, compared_phone_digits, digits_in
from haulier.contexts.orders.delivery_orders.store.attempts import has_attempt, is_on_weekday
from haulier.contexts.orders.delivery_orders.store.tables import changes, orders, packages
from haulier.kernel.data.new_rows import stored_row
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.folded_text import has_folded_words

_ids_by_numbers = select(orders.c.tracking_number, orders.c.id).where(in_param(orders.c.tracking_number, "numbers"))
_ids_by_package_numbers = select(packages.c.tracking_number, packages.c.order_id.label("id")).where(
    in_param(packages.c.tracking_number, "numbers")
)
_delete_packages = delete(packages).where(in_param(packages.c.id, "ids"))


async def find_order_ids_by_numbers(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """The ids of the orders with these tracking numbers, of their own or of a package."""
    found: dict[str, int] = {}
    for statement in (_ids_by_package_numbers, _ids_by_numbers) if numbers else ():
        found |= {row.tracking_number: row.id for row in await work.all(statement, numbers=sorted(set(numbers)))}
    return found


async def delete_order_packages(work: UnitOfWork, package_ids: Collection[int]) -> None:
    """Delete packages that turned out to be others."""
    await work.run(_delete_packages, ids=sorted(package_ids))


MIN_CODE_LENGTH = 4
"""Fewer characters of a tracking number or postal code find too much."""
MAX_POSTAL_CODE_LENGTH = 10

_orders_by_ids = select(orders).where(in_param(orders.c.id, "ids")).order_by(orders.c.id)
_orders_by_ids_locked = _orders_by_ids.with_for_update()
_any_order_id = select(orders.c.id).limit(1)
_orders_by_refs = select(orders).where(in_param(orders.c.order_ref, "refs")).order_by(orders.c.id)
# No filter by reference alone and no order: without statistics, SQLite would read all orders of the client.
_own_orders_by_refs = select(orders).where(orders.c.customer_id.is_(None), in_param(orders.c.order_ref, "refs"))
_orders_of_customers_by_refs = select(orders).where(
    in_param(orders.c.customer_id, "customers"), in_param(orders.c.order_ref, "refs")
)
_packages_by_orders = select(packages).where(in_param(packages.c.order_id, "ids")).order_by(packages.c.id)
_changes_by_order = select(changes).where(changes.c.order_id == bindparam("order")).order_by(changes.c.id)
_changes_by_orders = select(changes).where(in_param(changes.c.order_id, "ids")).order_by(changes.c.id)
_steps_by_orders = select(changes.c.order_id, changes.c.step).where(in_param(changes.c.order_id, "ids")).distinct()
_last_change_ids = (
    select(func.max(changes.c.id)).where(in_param(changes.c.order_id, "ids")).group_by(changes.c.order_id)
)
_last_changes = select(changes).where(changes.c.id.in_(_last_change_ids))
_set_status = (
    update(orders)
    .where(in_param(orders.c.id, "ids"))
    .values(status=bindparam("new_status"), updated_at=bindparam("now"))
)
_set_status_of_moved = _set_status.values(goods_at=None)
_count_attempt = update(orders).where(in_param(orders.c.id, "ids")).values(attempts=orders.c.attempts + 1)
_plannable_orders = (
    select(orders)
    .where(in_param(orders.c.status, "statuses"), orders.c.fulfilment == "self_delivery")
    .where(orders.c.third_party_held.is_(False))
)


class OrderSummaryRow(Row):
    """Fields of an order in lists, and those that decide the caller's rights."""

    id: int
    order_ref: str | None
    tracking_number: str
    type: str
    status: int
    fulfilment: str
    third_party_held: bool
    scheduled_date: date | None
    customer_id: int | None
    contractor_id: int | None
    driver_id: int | None
    stop_name: str | None
    stop_address: str | None
    stop_city: str | None
    stop_postal_code: str | None
    lat: float | None
    lng: float | None
    weight_g: int
    package_count: int
    window_start: datetime | None
    window_end: datetime | None
    price: dict[str, Any] | None
    attempts: int
    created_at: datetime
    updated_at: datetime
    partner_offer_id: int | None
    custom_fields: Document | None
    rating: int | None
    pickup_ready_at: datetime | None
    """Time since which the customer can collect the order at a depot."""


class ListedOrderRow(OrderSummaryRow):
    """An order in a list, with its comma-separated steps and the total of the list."""

    steps_taken: str | None
    total: int


class OrderRow(OrderSummaryRow):
    """An order. Prices, addresses and references are documents."""

    goods_at: dict[str, Any] | None
    """Location of goods that were delivered to a wrong address, else null."""
    route_driver_id: int | None
    shipper: dict[str, Any] | None
    consignee: dict[str, Any] | None
    skills: list[str]
    note: str | None
    delivery_instruction: str | None
    cod_minor: int | None
    photo_required: bool
    pin_required: bool
    minimum_age: int | None
    language: str | None
    replaced_by_order_id: int | None
    attempt_limit: int | None
    goods_value_minor: int | None
    goods_currency: str | None
    show_items_to_recipient: bool
    stock_short: bool
    """True if stock is missing for its items."""
    pickup_depot_id: int | None
    pickup_until: date | None
    """Last day on which the order is held for pickup."""
    counted_day: date | None
    counted_hour: int | None
    on_time: bool | None
    rating_comment: str | None
    rated_at: datetime | None
    request_digest: bytes | None
    """Of the request that made it, to tell a repeat; null for orders of earlier versions."""


class RecipientRow(Row):
    """Fields of an order that its recipient knows."""

    id: int
    tracking_number: str
    type: str
    status: int
    customer_id: int | None
    consignee: dict[str, Any] | None
    shipper: dict[str, Any] | None
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


_recipients_by_ids = (
    select(*(orders.c[name] for name in RecipientRow.__annotations__))
    .where(in_param(orders.c.id, "ids"))
    .order_by(orders.c.id)
)
_recipients_by_ids_locked = _recipients_by_ids.with_for_update()


class PackageRow(Row):
    """One piece of an order."""

    id: int
    order_id: int
    tracking_number: str
    weight_g: int
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    description: str | None
    outcome: str | None
    custom_fields: Document | None


class OrderStepNameRow(Row):
    """A step that an order took."""

    order_id: int
    step: str


class ChangeRow(Row):
    """A step that an order took."""

    id: int
    order_id: int
    step: str
    status: int
    at: datetime
    recorded_at: datetime
    by_user_id: int | None
    reason: str | None


async def insert_orders(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[OrderRow]:
    """Insert orders and return them as stored.

    Orders whose reference or number is taken are left out.
    """
    written = await work.insert_new(orders, rows, returning=("id", "tracking_number"))
    ids = {row.tracking_number: row.id for row in written}
    own = {"client_id": work.client_id}
    return [
        stored_row(orders, {**row, **own, "id": ids[row["tracking_number"]]})
        for row in rows
        if row["tracking_number"] in ids
    ]


async def insert_order_packages(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Write packages; their ids in the order of the rows."""
    return await work.insert_many(packages, rows)


async def insert_order_changes(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write who changed what, and when."""
    await work.insert_later(changes, rows)


async def list_order_rows(work: UnitOfWork, ids: Collection[int], *, lock: bool = False) -> list[OrderRow]:
    """Orders by id; with `lock`, locked until the transaction ends."""
    # Rows are locked by ascending id, so that two calls never wait for each other.
    return await work.all(_orders_by_ids_locked if lock else _orders_by_ids, OrderRow, ids=sorted(set(ids)))


async def list_recipient_rows(work: UnitOfWork, ids: Collection[int], *, lock: bool = False) -> list[RecipientRow]:
    """As `list_order_rows`, what recipients know of them."""
    statement = _recipients_by_ids_locked if lock else _recipients_by_ids
    return await work.all(statement, RecipientRow, ids=sorted(set(ids)))


async def has_order_rows(work: UnitOfWork) -> bool:
    """Return True if the client has any order."""
    return await work.first(_any_order_id) is not None


async def list_order_rows_by_refs(work: UnitOfWork, refs: Collection[str]) -> list[OrderRow]:
    """Return orders with one of these references, oldest first.

    Several customers may use the same reference.
    """
    return await work.all(_orders_by_refs, OrderRow, refs=sorted(set(refs))) if refs else []


async def list_order_rows_by_owner_refs(
    work: UnitOfWork, owner_refs: Collection[tuple[int | None, str]]
) -> list[OrderRow]:
    """Return orders of some customers with one of their references, unordered.

    The customer is None for orders without one. May include other combinations of these customers and references. Uses
    one statement for orders without a customer and one for the others.
    """
    own = sorted({ref for customer_id, ref in owner_refs if customer_id is None})
    theirs = sorted({(customer_id, ref) for customer_id, ref in owner_refs if customer_id is not None})
    rows: list[OrderRow] = []
    if own:
        rows += await work.all(_own_orders_by_refs, OrderRow, refs=own)
    if theirs:
        customers, refs = ({*part} for part in zip(*theirs, strict=True))
        rows += await work.all(_orders_of_customers_by_refs, OrderRow, customers=sorted(customers), refs=sorted(refs))
    return rows


async def list_order_package_rows(work: UnitOfWork, ids: Collection[int]) -> list[PackageRow]:
    """The packages of some orders."""
    return await work.all(_packages_by_orders, PackageRow, ids=sorted(ids))


async def list_order_change_rows(work: UnitOfWork, order_id: int) -> list[ChangeRow]:
    """The steps an order took, oldest first."""
    return await work.all(_changes_by_order, ChangeRow, order=order_id)


async def get_last_changes(work: UnitOfWork, ids: Collection[int]) -> dict[int, ChangeRow]:
    """The last step that each of some orders took."""
    return {row.order_id: row for row in await work.all(_last_changes, ChangeRow, ids=sorted(ids))} if ids else {}


async def list_change_rows_by_order(work: UnitOfWork, ids: Collection[int]) -> dict[int, list[ChangeRow]]:
    """The steps that some orders took, oldest first, by order."""
    rows: dict[int, list[ChangeRow]] = {}
    for row in await work.all(_changes_by_orders, ChangeRow, ids=sorted(set(ids))) if ids else []:
        rows.setdefault(row.order_id, []).append(row)
    return rows


async def list_order_step_names(work: UnitOfWork, ids: Collection[int]) -> dict[int, set[str]]:
    """The names of the steps that some orders took."""
    steps: dict[int, set[str]] = {}
    for row in await work.all(_steps_by_orders, OrderStepNameRow, ids=sorted(set(ids))):
        steps.setdefault(row.order_id, set()).add(row.step)
    return steps


async def update_order_status(
    work: UnitOfWork, ids: Collection[int], status: int, now: datetime, *, moved: bool = False
) -> None:
    """Set the status that the written changes lead to.

    `moved` clears the location of misdelivered goods.
    """
    await work.run(_set_status_of_moved if moved else _set_status, ids=sorted(ids), new_status=status, now=now)


async def count_attempt(work: UnitOfWork, ids: Collection[int]) -> None:
    """Count one more failed attempt of each of these orders."""
    await work.run(_count_attempt, ids=sorted(ids))


@lru_cache(maxsize=256)
def _update_statement(names: tuple[str, ...]) -> Any:
    values = {name: bindparam(f"new_{name}", type_=orders.c[name].type) for name in names}
    return update(orders).where(in_param(orders.c.id, "ids")).values(values)


async def update_orders(work: UnitOfWork, ids: Collection[int], **values: Any) -> None:
    """Set columns of some orders."""
    statement = _update_statement(tuple(sorted(values)))
    await work.run(statement, ids=sorted(ids), **{f"new_{name}": value for name, value in values.items()})


async def list_plannable_order_rows(work: UnitOfWork, statuses: Collection[int], limit: int) -> list[OrderRow]:
    """Self-delivery orders in some statuses that no third party holds, oldest first."""
    statement = _plannable_orders.order_by(orders.c.id).limit(limit)
    return await work.all(statement, OrderRow, statuses=sorted(statuses))


_FILTERS: dict[str, Callable[[Any], ColumnElement[bool]]] = {
    "status": orders.c.status.in_,
    "type": orders.c.type.__eq__,
    "order_ref": orders.c.order_ref.__eq__,
    "tracking_number": orders.c.tracking_number.__eq__,
    "customer_id": orders.c.customer_id.__eq__,
    "customer_ids": orders.c.customer_id.in_,
    "contractor_id": orders.c.contractor_id.__eq__,
    "driver_id": orders.c.driver_id.__eq__,
    "route_driver_id": orders.c.route_driver_id.__eq__,
    "without_driver": lambda wanted: orders.c.route_driver_id.is_(None) == wanted,
    "without_contractor": lambda wanted: orders.c.contractor_id.is_(None) == wanted,
    "without_hour": lambda wanted: orders.c.counted_hour.is_(None) == wanted,
    "without_customer": lambda wanted: orders.c.customer_id.is_(None) == wanted,
    "on_time": orders.c.on_time.__eq__,
    "counted_from": orders.c.counted_day.__ge__,
    "counted_to": orders.c.counted_day.__le__,
    "weekday": partial(is_on_weekday, orders.c.counted_day),
    "hour": orders.c.counted_hour.__eq__,
    "attempts": has_attempt,
    "rating_min": orders.c.rating.__ge__,
    "rating_max": orders.c.rating.__le__,
    "rated_from": orders.c.rated_at.__ge__,
    "late_at": lambda now: (orders.c.window_end < now) & orders.c.status.not_in(sorted(TERMINAL_STATUSES)),
    "scheduled_from": orders.c.scheduled_date.__ge__,
    "scheduled_to": orders.c.scheduled_date.__le__,
    "created_from": orders.c.created_at.__ge__,
    "created_to": orders.c.created_at.__lt__,
    "search": lambda words: _search_contains(words),
}

_LIST_FILTERS = frozenset({"status", "customer_ids"})
"""The filters whose values are lists."""


def _search_contains(text: str) -> ColumnElement[bool]:
    """Return the condition that an order contains all words of a text.

    Or its phone number, postal code or tracking number, in any notation.
    """
    ways = [has_folded_words(text, orders.c.search)]
    phone, code = compared_phone_digits(text), code_in(text)
    if phone:
        ways.append(orders.c.search.contains(phone))
    if len(code) >= MIN_CODE_LENGTH:
        ways.append(orders.c.tracking_number.contains(code, autoescape=True))
    if MIN_CODE_LENGTH <= len(code) <= MAX_POSTAL_CODE_LENGTH and digits_in(text):
        compact = func.upper(func.replace(func.replace(orders.c.stop_postal_code, " ", ""), "-", ""))
        ways.append(compact.like(f"{code}%"))
    return or_(*ways)


def order_conditions(filters: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    """Return the conditions for all given filters."""
    plain = [_FILTERS[name](value) for name, value in filters.items() if value is not None and name in _FILTERS]
    by_fields: FilterPlan | None = filters.get("custom_fields")
    return plain + (matching_records(ResourceKind.ORDER, orders.c.id, by_fields) if by_fields else [])


def conditions_of_parameters(names: Collection[str]) -> list[ColumnElement[bool]]:
    """Return `order_conditions` for filters whose values are parameters.

    The parameters have the names of the filters. Not for `text`.
    """
    return [_FILTERS[name](bindparam(name, expanding=name in _LIST_FILTERS)) for name in names]


MAX_REFERENCE_MATCHES = 10
"""A reference is unique for each customer, and so is a number; several customers may use the same."""


def _orders_matching_reference(reference: str) -> Select[Any]:
    number = reference.upper()  # tracking numbers are stored in capitals and typed in any case
    by_package = select(packages.c.order_id).where(packages.c.tracking_number == number)
    return select(orders).where(
        or_(orders.c.order_ref == reference, orders.c.tracking_number == number, orders.c.id.in_(by_package))
    )


async def find_order_rows_by_reference(work: UnitOfWork, reference: str) -> list[OrderRow]:
    """Return orders with this reference or tracking number, oldest first.

    The number can be that of the order or of a package.
    """
    statement = _orders_matching_reference(reference).order_by(orders.c.id).limit(MAX_REFERENCE_MATCHES)
    return await work.all(statement, OrderRow)


async def search_order_rows(work: UnitOfWork, text: str, filters: Mapping[str, Any], limit: int) -> list[OrderRow]:
    """Return orders with a reference or number, else those containing the text.

    The text is searched in contacts and addresses. Newest first.
    """
    where = order_conditions(filters)
    by_reference = _orders_matching_reference(text).where(*where).order_by(orders.c.id.desc()).limit(limit)
    if rows := await work.all(by_reference, OrderRow):
        return rows
    by_text = select(orders).where(_search_contains(text), *where).order_by(orders.c.id.desc()).limit(limit)
    return await work.all(by_text, OrderRow)


class OrderIdRow(Row):
    """An order's id."""

    id: int


_of_period = (
    select(orders.c.id)
    .where(orders.c.created_at >= bindparam("begins"), orders.c.created_at < bindparam("ends"))
    .order_by(orders.c.id.desc())
    .limit(bindparam("most"))
)


async def list_ids_of_period(work: UnitOfWork, begins: datetime, ends: datetime, most: int) -> list[int]:
    """Return ids of orders created in a period, newest first.

    Reads the index from the newest order until there are `most`.
    """
    return [row.id for row in await work.all(_of_period, OrderIdRow, begins=begins, ends=ends, most=most)]


_by_numbers = (
    select(
        packages.c.id,
        packages.c.order_id,
        packages.c.tracking_number,
        orders.c.tracking_number.label("order_number"),
        orders.c.order_ref,
        orders.c.status,
    )
    .select_from(packages.join(orders, (orders.c.id == packages.c.order_id)))
    .where(in_param(packages.c.tracking_number, "numbers"))
)


class NumberedPieceRow(Row):
    """A piece of an order, found by its number."""

    id: int
    order_id: int
    tracking_number: str
    order_number: str
    order_ref: str | None
    status: int


async def find_piece_rows(work: UnitOfWork, numbers: Collection[str]) -> list[NumberedPieceRow]:
    """The pieces with these tracking numbers."""
    return await work.all(_by_numbers, NumberedPieceRow, numbers=sorted(numbers)) if numbers else []


_set_outcome = (
    update(packages).where(in_param(packages.c.id, "ids")).values(outcome=bindparam("new_outcome", type_=String()))
)

_set_fields = (
    update(packages)
    .where(packages.c.id == bindparam("package"))
    .values(custom_fields=bindparam("document", type_=packages.c.custom_fields.type))
)


async def set_piece_outcome(work: UnitOfWork, package_ids: Collection[int], outcome: str | None) -> None:
    """Write what became of some packages; None where that is open again."""
    await work.run(_set_outcome, ids=sorted(package_ids), new_outcome=outcome)


async def update_piece_fields(work: UnitOfWork, documents: Mapping[int, Document | None]) -> None:
    """Write what packages keep of custom fields, by their ids."""
    await work.run_many(_set_fields, [{"package": id, "document": each} for id, each in documents.items()])


class OwnedOrderRow(OrderRow):
    """An order, and whose it is."""

    client_id: int


async def find_order_row_by_number(work: UnitOfWork, number: str) -> OwnedOrderRow | None:
    """Return the client's order with a tracking number, or None.

    The number can be that of the order or of a package.
    """
    by_package = select(packages.c.order_id).where(packages.c.tracking_number == number)
    of_number = (orders.c.tracking_number == number) | orders.c.id.in_(by_package)
    return await work.first(select(orders).where(of_number), OwnedOrderRow)


class ReferencedOrderRow(Row):
    """The only order with a reference."""

    order_ref: str
    id: int


_only = (
    select(orders.c.order_ref, func.min(orders.c.id).label("id"))
    .where(in_param(orders.c.order_ref, "references"))
    .group_by(orders.c.order_ref)
    .having(func.count() == 1)
)


async def find_order_ids(work: UnitOfWork, references: Collection[str]) -> dict[str, int]:
    """Return the ids of orders by tracking number or unique reference."""
    if not references:
        return {}
    numbers = await find_order_ids_by_numbers(work, references)
    rows = await work.all(_only, ReferencedOrderRow, references=sorted(references))
    return {**numbers, **{row.order_ref: row.id for row in rows}}
