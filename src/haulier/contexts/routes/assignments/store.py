"""Table of assignments: one row per assignment, with its author, time and end."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    Index,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    select,
    update,
)

from haulier.contexts.routes.assignments.rules import ACTIVE
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import partial_unique_index
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Module
from haulier.kernel.operations.fields import NOTE_MAX, REASON_MAX


class AssignmentRow(
    Record,
    table="broker_order_assignment",
    items=[Index(None, "client_id", "contractor_id"), Index(None, "client_id", "order_id")],
):
    """An assignment."""

    order_id: Reference
    contractor_id: Reference
    status: Annotated[str, String(10)]
    note: Annotated[str, String(NOTE_MAX)] | None
    assigned_by: Reference | None
    assigned_at: datetime
    ended_by: Reference | None
    ended_at: datetime | None
    end_reason: Annotated[str, String(REASON_MAX)] | None
    respond_by: datetime | None
    accepted_at: datetime | None


assignments = AssignmentRow.table
personal_data(
    assignments,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"note": None, "end_reason": None},
    plain=("status",),
)
"""`respond_by`: until when the contractor may say no by saying nothing; null where the order was theirs at once."""
assignments.info["module"] = Module.BROKER_ORDER_ASSIGNMENTS.value

partial_unique_index("uq_broker_order_assignment_active", assignments.c.status == ACTIVE, assignments.c.order_id)
"""An order has one holder, whatever two admins do at once."""


class CapacityRow(Record, table="contractor_capacity", items=[UniqueConstraint("client_id", "contractor_id")]):
    """Daily order limit of a contractor."""

    contractor_id: Reference
    orders_per_day: int


contractor_capacities = CapacityRow.table
contractor_capacities.info["module"] = Module.BROKER_ORDER_ASSIGNMENTS.value


class ActiveAssignmentRow(Row):
    """Holder of an order."""

    order_id: int
    contractor_id: int


_active = select(assignments.c.id, assignments.c.order_id, assignments.c.contractor_id).where(
    in_param(assignments.c.order_id, "ids"), assignments.c.status == ACTIVE
)
_end = (
    update(assignments)
    .where(in_param(assignments.c.order_id, "ids"), assignments.c.status == ACTIVE)
    .values(
        status=bindparam("reached"),
        ended_by=bindparam("who"),
        ended_at=bindparam("at"),
        end_reason=bindparam("why"),
    )
)
_pending = select(assignments).where(
    in_param(assignments.c.order_id, "ids"),
    assignments.c.status == ACTIVE,
    assignments.c.respond_by.is_not(None),
    assignments.c.accepted_at.is_(None),
)
_accept = (
    update(assignments)
    .where(in_param(assignments.c.order_id, "ids"), assignments.c.status == ACTIVE, assignments.c.accepted_at.is_(None))
    .values(accepted_at=bindparam("at"))
)
_capacity = select(contractor_capacities).where(contractor_capacities.c.contractor_id == bindparam("contractor"))
_capacity_locked = _capacity.with_for_update()
_no_capacity = delete(contractor_capacities).where(contractor_capacities.c.contractor_id == bindparam("contractor"))
_FILTERS = {
    "contractor": assignments.c.contractor_id == bindparam("contractor"),
    "status": assignments.c.status == bindparam("status"),
    "order": assignments.c.order_id == bindparam("order"),
}


async def get_order_holders(call: Call, order_ids: Collection[int]) -> dict[int, int]:
    """Return the contractor that holds each order.

    Orders without a holder are absent. Without the assignments module there are no holders, and planning works as well.
    """
    if not order_ids or Module.BROKER_ORDER_ASSIGNMENTS in call.app.modules_missing:
        return {}
    return {
        row.order_id: row.contractor_id
        for row in await call.work.all(_active, ActiveAssignmentRow, ids=list(order_ids))
    }


async def list_held_order_ids(call: Call, contractor_id: int | None = None) -> list[int]:
    """Return the orders held by a contractor, or by any contractor."""
    if Module.BROKER_ORDER_ASSIGNMENTS in call.app.modules_missing:
        return []
    held = select(assignments.c.order_id).where(assignments.c.status == ACTIVE).order_by(assignments.c.order_id)
    if contractor_id is None:
        return [row.order_id for row in await call.work.all(held)]
    theirs = held.where(assignments.c.contractor_id == bindparam("contractor"))
    return [row.order_id for row in await call.work.all(theirs, contractor=contractor_id)]


async def insert_assignments(
    work: UnitOfWork,
    order_ids: Sequence[int],
    contractor_id: int,
    *,
    note: str | None,
    by: int | None,
    at: datetime,
    respond_by: datetime | None = None,
) -> None:
    """Insert an active assignment for each order.

    Raises `UniqueConflict` if an order has a holder.
    """
    row = {
        "contractor_id": contractor_id,
        "status": ACTIVE,
        "note": note,
        "assigned_by": by,
        "assigned_at": at,
        "respond_by": respond_by,
    }
    await work.insert_many(assignments, [{"order_id": order_id, **row} for order_id in order_ids])


async def close_assignments(
    work: UnitOfWork, order_ids: Collection[int], *, status: str, by: int | None, at: datetime, reason: str | None
) -> int:
    """End the active assignments of these orders. Returns how many there were."""
    return await work.run(_end, ids=list(order_ids), reached=status, who=by, at=at, why=reason) if order_ids else 0


async def list_pending_assignments(work: UnitOfWork, order_ids: Collection[int]) -> dict[int, AssignmentRow]:
    """Return the assignments that wait for their contractor's answer, by order."""
    rows = await work.all(_pending, AssignmentRow, ids=sorted(order_ids)) if order_ids else []
    return {row.order_id: row for row in rows}


async def accept_assignments(work: UnitOfWork, order_ids: Collection[int], at: datetime) -> None:
    """Record that the contractor accepts these orders.

    Orders accepted earlier keep their time.
    """
    if order_ids:
        await work.run(_accept, ids=sorted(order_ids), at=at)


async def get_capacity(work: UnitOfWork, contractor_id: int, *, lock: bool = False) -> int | None:
    """Return the daily order limit of a contractor, or None without a limit."""
    row = await work.first(_capacity_locked if lock else _capacity, CapacityRow, contractor=contractor_id)
    return row and row.orders_per_day


async def set_capacity(work: UnitOfWork, contractor_id: int, orders_per_day: int | None) -> None:
    """Set or remove the limit of a contractor.

    Raises `UniqueConflict` if a parallel call set one first.
    """
    await work.run(_no_capacity, contractor=contractor_id)
    if orders_per_day is not None:
        await work.insert(contractor_capacities, contractor_id=contractor_id, orders_per_day=orders_per_day)


async def list_assignment_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[AssignmentRow], int]:
    """Return a page of assignments, newest first, and the number of all matches.

    Filters: contractor, status, order.
    """
    listed = _matching(select(assignments), filters).order_by(assignments.c.id.desc())
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, AssignmentRow, **filters, page_size=limit, skipped=offset)
    return rows, await work.value(_matching(select(func.count()).select_from(assignments), filters), **filters)


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
