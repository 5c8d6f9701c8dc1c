"""The client's list of why parcels come back."""

from typing import Any

from sqlalchemy import Boolean, Column, Integer, String, UniqueConstraint, bindparam, select, update

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Json, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

reasons = tenant_table(
    "return_reason",
    Column("code", String(40), nullable=False),
    Column("texts", Json, nullable=False),
    Column("otep_reason", String(40), nullable=False),
    Column("asks_photo", Boolean, nullable=False),
    Column("asks_note", Boolean, nullable=False),
    Column("next_step", String(10), nullable=False),
    Column("active", Boolean, nullable=False),
    Column("position", Integer, nullable=False),
    UniqueConstraint("client_id", "code"),
)
plain_columns(reasons, "code", "texts", "otep_reason", "next_step")
_all_reasons = select(reasons).order_by(reasons.c.position, reasons.c.id)
_reason_by_id = select(reasons).where(reasons.c.id == bindparam("reason"))
_active_reason_by_code = select(reasons).where(reasons.c.code == bindparam("code"), reasons.c.active.is_(True))
_update_reason = (
    update(reasons)
    .where(reasons.c.id == bindparam("reason"))
    .values({name: bindparam(f"new_{name}", type_=reasons.c[name].type) for name in reasons.c.keys()[3:]})
)


class ReturnReasonRow(Row):
    """A return reason."""

    id: int
    code: str
    texts: dict[str, str]
    otep_reason: str
    asks_photo: bool
    asks_note: bool
    next_step: str
    active: bool
    position: int


async def list_return_reason_rows(work: UnitOfWork) -> list[ReturnReasonRow]:
    """All reasons in their order."""
    return await work.all(_all_reasons, ReturnReasonRow)


async def get_return_reason_row(work: UnitOfWork, id: int) -> ReturnReasonRow | None:
    """A reason, or None."""
    return await work.first(_reason_by_id, ReturnReasonRow, reason=id)


async def find_active_return_reason_row(work: UnitOfWork, code: str) -> ReturnReasonRow | None:
    """The reason with a code that drivers can choose, or None."""
    return await work.first(_active_reason_by_code, ReturnReasonRow, code=code)


async def insert_return_reason(work: UnitOfWork, **values: Any) -> int:
    """Write a reason. Raises `UniqueConflict` when the code is taken."""
    return await work.insert(reasons, **values)


async def update_return_reason(work: UnitOfWork, id: int, **values: Any) -> None:
    """Set everything but the code."""
    await work.run(_update_reason, reason=id, **{f"new_{name}": value for name, value in values.items()})
