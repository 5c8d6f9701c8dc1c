"""Statements on luggage claims."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, func, select, update

from haulier.contexts.lockers.luggage.store.tables import LuggageClaimRow, claims
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_one = select(claims).where(claims.c.id == bindparam("claim"))
_lock = _one.with_for_update()


async def insert_claim(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a claim.

    Raises `UniqueConflict` if one about the same is open or accepted.
    """
    return await work.insert(claims, **values)


async def update_claim(work: UnitOfWork, claim_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a claim."""
    await work.run(update(claims).where(claims.c.id == bindparam("claim")).values(**values), claim=claim_id)


async def get_claim_row(work: UnitOfWork, claim_id: int, *, lock: bool = False) -> LuggageClaimRow | None:
    """Return a claim of this client, or None."""
    return await work.first(_lock if lock else _one, LuggageClaimRow, claim=claim_id)


async def list_claim_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[LuggageClaimRow], int]:
    """List a page of matching claims, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions = [claims.c[name] == value for name, value in wanted.items()]
    page = select(claims).where(*conditions).order_by(claims.c.id.desc()).limit(limit).offset(offset)
    counted = select(claims.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, LuggageClaimRow), await work.value(select(func.count()).select_from(counted))
