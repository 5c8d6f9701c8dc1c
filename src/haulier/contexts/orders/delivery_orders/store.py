"""The tables of delivery orders, and every statement on them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    Float,
    Index,
    Integer,
    Select,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.kernel.data.aggregates import json_agg
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

PHONE_MARKS = frozenset("+-./() ")
MIN_PHONE_DIGITS = 7
"""Fewer digits are a house number or a postal code."""
MAX_PHONE_DIGITS = 9
"""Numbers are compared by at most so many last digits, so that country codes and trunk zeros do not matter."""

orders = tenant_table(
    "delivery_order",
    Column("order_ref", String(100)),
    Column("tracking_number", String(64), nullable=False, info=VOLATILE),
    Column("type", String(3), nullable=False),
    Column("status", Integer, nullable=False, info={"enum": OrderStatus}),
    Column("fulfilment", String(20), nullable=False),
    Column("third_party_held", Boolean, nullable=False),
    Column("scheduled_date", Date),
    Column("customer_id", BigInteger),
    Column("contractor_id", BigInteger),
    Column("driver_id", BigInteger),
    Column("shipper", Json),
    Column("consignee", Json),
    Column("stop_name", String(200)),
    Column("stop_address", Text),
    Column("stop_city", String(120)),
    Column("stop_postal_code", String(20)),
    Column("lat", Float),
    Column("lng", Float),
    Column("window_start", UTCDateTime),
    Column("window_end", UTCDateTime),
    Column("service_time_s", Integer, nullable=False),
    Column("weight_g", BigInteger, nullable=False),
    Column("package_count", Integer, nullable=False),
    Column("skills", Json, nullable=False),
    Column("note", Text),
    Column("delivery_instruction", Text),
    Column("references", Json, nullable=False),
    Column("cod_minor", BigInteger),
    Column("price", Json),
    Column("search", Text, nullable=False),
    Column("replaces_order_id", BigInteger),
    Column("replaced_by_order_id", BigInteger),
    Column("created_by", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "order_ref"),
    UniqueConstraint("tracking_number"),
    Index("ix_delivery_order_status", "client_id", "status", "id"),
    Index("ix_delivery_order_scheduled", "client_id", "scheduled_date", "id"),
    Index("ix_delivery_order_customer", "client_id", "customer_id", "id"),
    Index("ix_delivery_order_contractor", "client_id", "contractor_id", "id"),
    Index("ix_delivery_order_driver", "client_id", "driver_id", "id"),
    Index("ix_delivery_order_newest", "client_id", "id"),
)
packages = tenant_table(
    "order_package",
    Column("order_id", BigInteger, nullable=False, index=True),
    Column("tracking_number", String(64), nullable=False, info=VOLATILE),
    Column("weight_g", Integer, nullable=False),
    Column("length_mm", Integer),
    Column("width_mm", Integer),
    Column("height_mm", Integer),
    Column("quantity", Integer, nullable=False),
    Column("description", String(200)),
    UniqueConstraint("tracking_number"),
)
changes = tenant_table(
    "order_change",
    Column("order_id", BigInteger, nullable=False, index=True),
    Column("step", String(20), nullable=False),
    Column("status", Integer, nullable=False, info={"enum": OrderStatus}),
    Column("at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("by_user_id", BigInteger),
    Column("reason", String(255)),
)

PACKAGE_COLUMNS = ("tracking_number", "weight_g", "length_mm", "width_mm", "height_mm", "quantity", "description")
STEP_COLUMNS = ("step", "status", "at", "recorded_at", "by_user_id", "reason")

_orders_by_ids = select(orders).where(in_param(orders.c.id, "ids")).order_by(orders.c.id)
_order_with_related = select(
    orders,
    json_agg(packages, "id", *PACKAGE_COLUMNS, of=packages.c.order_id == orders.c.id, label="packages"),
    json_agg(changes, "id", *STEP_COLUMNS, of=changes.c.order_id == orders.c.id, label="steps"),
).where(orders.c.id == bindparam("order"))
_orders_by_ids_locked = _orders_by_ids.with_for_update()
_any_order_id = select(orders.c.id).limit(1)
_orders_by_refs = select(orders).where(in_param(orders.c.order_ref, "refs"))
_packages_by_orders = select(packages).where(in_param(packages.c.order_id, "ids")).order_by(packages.c.id)
_changes_by_order = select(changes).where(changes.c.order_id == bindparam("order")).order_by(changes.c.id)
_steps_by_orders = select(changes.c.order_id, changes.c.step).where(in_param(changes.c.order_id, "ids")).distinct()
_set_status = (
    update(orders)
    .where(in_param(orders.c.id, "ids"))
    .values(status=bindparam("new_status"), updated_at=bindparam("now"))
)
_plannable_orders = (
    select(orders)
    .where(in_param(orders.c.status, "statuses"), orders.c.fulfilment == "self_delivery")
    .where(orders.c.third_party_held.is_(False))
)


async def insert_orders(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Write orders; their ids in the order of the rows. Raises `Conflict` for a reference or number that is taken."""
    return await work.insert_many(orders, rows)


async def insert_order_packages(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Write packages; their ids in the order of the rows."""
    return await work.insert_many(packages, rows)


async def insert_order_changes(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write who changed what, and when."""
    await work.insert_many(changes, rows)


async def list_order_rows(work: UnitOfWork, ids: Collection[int], *, lock: bool = False) -> list[Any]:
    """Orders by id; locked until the transaction ends when asked, in the order of their ids so that nobody waits in a ring."""
    return await work.all(_orders_by_ids_locked if lock else _orders_by_ids, ids=sorted(set(ids)))


async def get_order_row_with_related(work: UnitOfWork, id: int) -> Any | None:
    """An order with its `packages` and `steps`, plain and in no order; in one statement."""
    return await work.first(_order_with_related, order=id)


async def has_order_rows(work: UnitOfWork) -> bool:
    """Whether this client has any order."""
    return await work.first(_any_order_id) is not None


async def list_order_rows_by_refs(work: UnitOfWork, refs: Collection[str]) -> dict[str, Any]:
    """Orders by reference."""
    return {row.order_ref: row for row in await work.all(_orders_by_refs, refs=sorted(set(refs)))} if refs else {}


async def list_order_package_rows(work: UnitOfWork, ids: Collection[int]) -> list[Any]:
    """The packages of some orders."""
    return await work.all(_packages_by_orders, ids=sorted(ids))


async def list_order_change_rows(work: UnitOfWork, order_id: int) -> list[Any]:
    """The steps an order took, oldest first."""
    return await work.all(_changes_by_order, order=order_id)


async def list_order_step_names(work: UnitOfWork, ids: Collection[int]) -> dict[int, set[str]]:
    """The names of the steps that some orders took."""
    found: dict[int, set[str]] = {}
    for row in await work.all(_steps_by_orders, ids=sorted(set(ids))):
        found.setdefault(row.order_id, set()).add(row.step)
    return found


async def update_order_status(work: UnitOfWork, ids: Collection[int], status: int, now: Any) -> None:
    """Set the status that the written changes lead to."""
    await work.run(_set_status, ids=sorted(ids), new_status=status, now=now)


@lru_cache(maxsize=256)
def _update_statement(names: tuple[str, ...]) -> Any:
    given = {name: bindparam(f"new_{name}", type_=orders.c[name].type) for name in names}
    return update(orders).where(in_param(orders.c.id, "ids")).values(given)


async def update_orders(work: UnitOfWork, ids: Collection[int], **values: Any) -> None:
    """Set columns of some orders."""
    statement = _update_statement(tuple(sorted(values)))
    await work.run(statement, ids=sorted(ids), **{f"new_{name}": value for name, value in values.items()})


async def list_plannable_order_rows(work: UnitOfWork, statuses: Collection[int], limit: int) -> list[Any]:
    """Self-delivery orders in some statuses that no third party holds, oldest first."""
    return await work.all(_plannable_orders.order_by(orders.c.id).limit(limit), statuses=sorted(statuses))


_FILTERS: dict[str, Callable[[Any], ColumnElement[bool]]] = {
    "status": orders.c.status.__eq__,
    "type": orders.c.type.__eq__,
    "order_ref": orders.c.order_ref.__eq__,
    "tracking_number": orders.c.tracking_number.__eq__,
    "customer_id": orders.c.customer_id.__eq__,
    "contractor_id": orders.c.contractor_id.__eq__,
    "driver_id": orders.c.driver_id.__eq__,
    "scheduled_from": orders.c.scheduled_date.__ge__,
    "scheduled_to": orders.c.scheduled_date.__le__,
    "created_from": orders.c.created_at.__ge__,
    "created_to": orders.c.created_at.__lt__,
    "text": lambda words: _search_contains(words),
}


def _search_contains(words: str) -> ColumnElement[bool]:
    """Whether the search column contains some words, in any case; or a telephone number, however it is written."""
    found = orders.c.search.contains(words.lower(), autoescape=True)
    digits = _only_digits(words)
    if len(digits) < MIN_PHONE_DIGITS or not all(c.isdecimal() or c in PHONE_MARKS for c in words):
        return found
    return or_(found, orders.c.search.contains(digits[-MAX_PHONE_DIGITS:]))


def _only_digits(words: str) -> str:
    return "".join(c for c in words if c.isdecimal())


def build_order_search_text(words: Sequence[str | None], phones: Sequence[str | None]) -> str:
    """What the search column holds: every word in lower case, and telephone numbers as bare digits too.

    Lower case is made here, because SQLite's own `lower` knows ASCII only.
    """
    bare = [_only_digits(phone) for phone in phones if phone]
    return "\n".join([word.lower() for word in (*words, *phones) if word] + bare)


def _filter_conditions(filters: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    return [_FILTERS[name](value) for name, value in filters.items() if value is not None]


async def list_order_rows_page(
    work: UnitOfWork, filters: Mapping[str, Any], offset: int, limit: int
) -> tuple[int, list[Any]]:
    """How many orders fit the filters, counted up to one more than `COUNT_MAX`, and one page of them, newest first."""
    where = _filter_conditions(filters)
    some = select(orders.c.id).where(*where).limit(MAX_COUNT + 1).subquery()
    total = await work.value(select(func.count()).select_from(some))
    rows = select(orders).where(*where).order_by(orders.c.id.desc()).offset(offset).limit(limit)
    return total, await work.all(rows) if total > min(offset, MAX_COUNT) else []


MAX_REFERENCE_MATCHES = 10
"""A reference is unique, and so is a number; only one that is the reference of another order finds two."""


def _orders_matching_reference(word: str) -> Select[Any]:
    numbers = select(packages.c.order_id).where(packages.c.tracking_number == word)
    found = or_(orders.c.order_ref == word, orders.c.tracking_number == word, orders.c.id.in_(numbers))
    return select(orders).where(found)


async def find_order_rows_by_reference(work: UnitOfWork, word: str) -> list[Any]:
    """Orders with this reference or tracking number, of their own or of a package, oldest first."""
    return await work.all(_orders_matching_reference(word).order_by(orders.c.id).limit(MAX_REFERENCE_MATCHES))


async def search_order_rows(work: UnitOfWork, word: str, filters: Mapping[str, Any], limit: int) -> list[Any]:
    """Orders with a reference or tracking number; else those whose people or places contain the word. Newest first."""
    where = _filter_conditions(filters)
    named = await work.all(_orders_matching_reference(word).where(*where).order_by(orders.c.id.desc()).limit(limit))
    if named:
        return named
    worded = select(orders).where(_search_contains(word), *where)
    return await work.all(worded.order_by(orders.c.id.desc()).limit(limit))
