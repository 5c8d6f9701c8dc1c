"""Queries for quotes of services."""

from datetime import datetime

from sqlalchemy import bindparam, delete, select

from haulier.contexts.billing.services.store.tables import quotes
from haulier.kernel.data.unit_of_work import UnitOfWork

_q = quotes.c
_alive = (
    select(_q.id)
    .where(_q.service_id == bindparam("service"), _q.expires_at > bindparam("now", type_=_q.expires_at.type))
    .limit(1)
)
_delete_of_service = delete(quotes).where(_q.service_id == bindparam("service"))


async def has_living_quote(work: UnitOfWork, service_id: int, now: datetime) -> bool:
    """Return True if a service has a valid quote."""
    return await work.value(_alive, service=service_id, now=now) is not None


async def delete_quotes_of_service(work: UnitOfWork, service_id: int) -> None:
    """Delete the quotes of a service."""
    await work.run(_delete_of_service, service=service_id)
