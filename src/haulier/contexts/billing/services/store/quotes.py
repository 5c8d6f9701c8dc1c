"""Queries for quotes of services."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from haulier.contexts.billing.services.store.tables import ServiceQuoteRow, quotes
from haulier.kernel.data.unit_of_work import UnitOfWork

_q = quotes.c
_by_id = select(quotes).where(_q.id == bindparam("quote"))
_by_id_locked = _by_id.with_for_update()
_take = update(quotes).where(_q.id == bindparam("quote")).values(taken_at=bindparam("now", type_=_q.taken_at.type))
_alive = (
    select(_q.id)
    .where(_q.service_id == bindparam("service"), _q.expires_at > bindparam("now", type_=_q.expires_at.type))
    .limit(1)
)
_delete_of_service = delete(quotes).where(_q.service_id == bindparam("service"))


async def insert_service_quote(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a quote. Return its id."""
    return await work.insert(quotes, **values)


async def get_service_quote_row(work: UnitOfWork, quote_id: int, *, lock: bool = False) -> ServiceQuoteRow | None:
    """Return a quote, or None."""
    return await work.first(_by_id_locked if lock else _by_id, ServiceQuoteRow, quote=quote_id)


async def mark_quote_taken(work: UnitOfWork, quote_id: int, now: datetime) -> None:
    """Mark a quote as used by an order."""
    await work.run(_take, quote=quote_id, now=now)


async def has_living_quote(work: UnitOfWork, service_id: int, now: datetime) -> bool:
    """Return True if a service has a valid quote."""
    return await work.value(_alive, service=service_id, now=now) is not None


async def delete_quotes_of_service(work: UnitOfWork, service_id: int) -> None:
    """Delete the quotes of a service."""
    await work.run(_delete_of_service, service=service_id)
