"""The table of assignments: a row for each time an order was given to a contractor, with who, when and how it ended."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Select, String, bindparam, func, select, update

from haulier.contexts.routes.assignments.rules import ACTIVE
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Module
from haulier.kernel.operations.fields import NOTE_MAX, REASON_MAX

assignments = tenant_table(
    "broker_order_assignment",
    Column("order_id", Id, nullable=False),
    Column("contractor_id", Id, nullable=False),
    Column("status", String(10), nullable=False),
    Column("note", String(NOTE_MAX)),
    Column("assigned_by", Id),
    Column("assigned_at", UTCDateTime, nullable=False),
    Column("ended_by", Id),
    Column("ended_at", UTCDateTime),
    Column("end_reason", String(REASON_MAX)),
    Index(None, "client_id", "contractor_id"),
    Index(None, "client_id", "order_id"),
)
personal_data(
    assignments,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"note": None, "end_reason": None},
    plain=("status",),
)
assignments.info["module"] = Module.BROKER_ORDER_ASSIGNMENTS.value

partial_unique_index("uq_broker_order_assignment_active", assignments.c.status == ACTIVE, assignments.c.order_id)
"""An order has one holder, whatever two admins do at once."""


class AssignmentRow(Row):
    """An assignment."""

    id: int
    order_id: int
    contractor_id: int
    status: str
    assigned_at: datetime
    ended_at: datetime | None


class ActiveAssignmentRow(Row):
    """Who holds an order."""

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
_FILTERS = {
    "contractor": assignments.c.contractor_id == bindparam("contractor"),
    "status": assignments.c.status == bindparam("status"),
    "order": assignments.c.order_id == bindparam("order"),
}


async def get_order_holders(call: Call, order_ids: Collection[int]) -> dict[int, int]:
    """The contractor who holds each order; an order that nobody holds is absent.

    A system without the assignments module has no holders, and planning works there too.
    """
    if not order_ids or Module.BROKER_ORDER_ASSIGNMENTS in call.app.modules_missing:
        return {}
    return {
        row.order_id: row.contractor_id
        for row in await call.work.all(_active, ActiveAssignmentRow, ids=list(order_ids))
    }


async def list_held_order_ids(call: Call, contractor_id: int | None = None) -> list[int]:
    """The orders that a contractor holds, or that anybody does."""
    if Module.BROKER_ORDER_ASSIGNMENTS in call.app.modules_missing:
        return []
    held = select(assignments.c.order_id).where(assignments.c.status == ACTIVE).order_by(assignments.c.order_id)
    if contractor_id is None:
        return [row.order_id for row in await call.work.all(held)]
    theirs = held.where(assignments.c.contractor_id == bindparam("contractor"))
    return [row.order_id for row in await call.work.all(theirs, contractor=contractor_id)]


async def insert_assignments(
    work: UnitOfWork, order_ids: Sequence[int], contractor_id: int, *, note: str | None, by: int | None, at: datetime
) -> None:
    """Write an active assignment for each order. Raises `UniqueConflict` when one of them has a holder."""
    row = {
        "contractor_id": contractor_id,
        "status": ACTIVE,
        "note": note,
        "assigned_by": by,
        "assigned_at": at,
    }
    await work.insert_many(assignments, [{"order_id": order_id, **row} for order_id in order_ids])


async def close_assignments(
    work: UnitOfWork, order_ids: Collection[int], *, status: str, by: int | None, at: datetime, reason: str | None
) -> int:
    """End the active assignments of these orders. Returns how many there were."""
    return await work.run(_end, ids=list(order_ids), reached=status, who=by, at=at, why=reason) if order_ids else 0


async def list_assignment_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[AssignmentRow], int]:
    """A page of assignments, newest first, and how many match in all. Filters: contractor, status, order."""
    listed = _matching(select(assignments), filters).order_by(assignments.c.id.desc())
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, AssignmentRow, **filters, page_size=limit, skipped=offset)
    return rows, await work.value(_matching(select(func.count()).select_from(assignments), filters), **filters)


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
