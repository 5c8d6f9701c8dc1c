"""Queries for services."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, func, select, update

from haulier.contexts.billing.services.store.tables import ServiceRow, services
from haulier.kernel.data.unit_of_work import UnitOfWork

_s = services.c
_mark_used = update(services).where(_s.id == bindparam("service"), _s.used.is_(False)).values(used=True)


async def insert_service(work: UnitOfWork, values: Mapping[str, Any]) -> int | None:
    """Insert a service. Return its id, or None if the code is used."""
    rows = await work.insert_new(services, [{**values, "used": False}], ServiceRow)
    return rows[0].id if rows else None


async def mark_service_used(work: UnitOfWork, service_id: int) -> None:
    """Mark a service as ordered.

    Only the first call writes, so that orders do not wait for each other.
    """
    await work.run(_mark_used, service=service_id)


async def list_service_rows(
    work: UnitOfWork, *, kinds: Collection[str], enabled: bool | None, limit: int, offset: int = 0
) -> tuple[int, Sequence[ServiceRow]]:
    """Return the number of services of some kinds, or of all, and a sorted page."""
    found = select(services)
    if kinds:
        found = found.where(_s.kind.in_(sorted(kinds)))
    if enabled is not None:
        found = found.where(_s.enabled.is_(enabled))
    total = await work.value(select(func.count()).select_from(found.subquery()))
    page = found.order_by(_s.position, _s.code).limit(limit).offset(offset)
    return total, await work.all(page, ServiceRow)
