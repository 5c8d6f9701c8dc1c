"""Tables and statements of services."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, String, UniqueConstraint, bindparam, delete, func, select, update

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX


class ServiceRow(Record, table="service", items=[UniqueConstraint("client_id", "code")]):
    """Service.

    `used` is true once the service was ordered. It can then be disabled but not deleted.
    """

    code: Annotated[str, String(40)]
    kind: Annotated[str, String(20)]
    name: Annotated[str, String(NAME_MAX)]
    description: Annotated[str, String(NOTE_MAX)]
    form: list[dict[str, Any]]
    pricing: dict[str, Any]
    currency: Annotated[str, String(3)]
    quote_hours: int
    fulfilment: list[str]
    carrier_account_id: Reference | None
    carrier_service: Annotated[str, String(60)] | None
    enabled: bool
    position: int
    used: bool
    created_at: datetime
    updated_at: datetime
    updated_by: Reference | None


services = ServiceRow.table
plain_columns(
    services,
    *("code", "kind", "name", "description", "form", "pricing", "currency", "fulfilment", "carrier_service"),
)


class ServiceQuoteRow(
    Record,
    table="service_quote",
    items=[Index(None, "client_id", "service_id", "expires_at"), Index(None, "client_id", "created_at")],
):
    """Quote.

    Quoted price of a service, with the form values and data of the calling context.
    """

    service_id: Reference
    customer_id: Reference | None
    values: dict[str, Any]
    details: dict[str, Any]
    price: dict[str, Any]
    created_at: datetime
    expires_at: datetime
    taken_at: datetime | None


quotes = ServiceQuoteRow.table
personal_data(quotes, RecordKind.SHIPPING_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.SHIPPING_QUOTES, quotes.c.created_at, default_days=7)


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
