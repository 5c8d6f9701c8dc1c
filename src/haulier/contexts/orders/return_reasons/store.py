"""The client's list of why parcels come back."""

from typing import Any

from sqlalchemy import Boolean, Column, Integer, String, UniqueConstraint, bindparam, select, update

from haulier.kernel.data.tables import Json, tenant_table
from haulier.kernel.data.work import Work

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
_all = select(reasons).order_by(reasons.c.position, reasons.c.id)
_one = select(reasons).where(reasons.c.id == bindparam("reason"))
_by_code = select(reasons).where(reasons.c.code == bindparam("code"), reasons.c.active.is_(True))
_set = (
    update(reasons)
    .where(reasons.c.id == bindparam("reason"))
    .values({name: bindparam(f"new_{name}", type_=reasons.c[name].type) for name in reasons.c.keys()[3:]})
)


async def every(work: Work) -> list[Any]:
    """All reasons in their order."""
    return await work.all(_all)


async def one(work: Work, id: int) -> Any | None:
    """A reason, or None."""
    return await work.first(_one, reason=id)


async def by_code(work: Work, code: str) -> Any | None:
    """The reason with a code that drivers can choose, or None."""
    return await work.first(_by_code, code=code)


async def add(work: Work, **values: Any) -> int:
    """Write a reason. Raises `Conflict` when the code is taken."""
    return await work.insert(reasons, **values)


async def change(work: Work, id: int, **values: Any) -> None:
    """Set everything but the code."""
    await work.run(_set, reason=id, **{f"new_{name}": value for name, value in values.items()})
