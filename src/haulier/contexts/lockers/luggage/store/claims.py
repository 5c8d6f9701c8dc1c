"""Statements on luggage claims."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select

from haulier.contexts.lockers.luggage.store.tables import LuggageClaimRow, claims
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


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
