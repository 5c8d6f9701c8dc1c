"""Quotes of services, and marks for used services."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.billing.services import store
from haulier.contexts.billing.services.queries import Service
from haulier.contexts.billing.services.rules import SERVICE_QUOTE_EXPIRED, SERVICE_QUOTE_TAKEN, ServicePrice
from haulier.contexts.billing.services.store import ServiceQuoteRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


class KeptServiceQuote(Struct, frozen=True, kw_only=True):
    """Stored quote.

    `details` holds data of the calling context besides the form values.
    """

    id: int
    service_id: int
    customer_id: int | None
    values: Mapping[str, Any]
    details: Mapping[str, Any]
    price: ServicePrice
    expires_at: datetime


async def store_service_quote(
    call: Call,
    service: Service,
    price: ServicePrice,
    *,
    customer_id: int | None,
    values: Mapping[str, Any],
    details: Mapping[str, Any],
) -> KeptServiceQuote:
    """Store a price for a customer for the service's `quote_hours`.

    Later changes to the service do not affect it.
    """
    expires_at = call.now + timedelta(hours=service.quote_hours)
    kept = {
        "service_id": service.id,
        "customer_id": customer_id,
        "values": dict(values),
        "details": dict(details),
        "price": msgspec.to_builtins(price),
        "created_at": call.now,
        "expires_at": expires_at,
    }
    return KeptServiceQuote(
        id=await ServiceQuoteRow.insert(call.work, **kept),
        service_id=service.id,
        customer_id=customer_id,
        values=values,
        details=details,
        price=price,
        expires_at=expires_at,
    )


async def use_service_quote(
    call: Call, quote_id: int, *, service_id: int, customer_id: int | None, once: bool = True
) -> KeptServiceQuote:
    """Return a quote for an order. With `once`, mark it as used.

    Raises `NOT_FOUND` for a quote of another service or customer, `SERVICE_QUOTE_EXPIRED` and `SERVICE_QUOTE_TAKEN`.
    """
    row = await (ServiceQuoteRow.lock if once else ServiceQuoteRow.get)(call.work, quote_id)
    if row is None or row.service_id != service_id or row.customer_id != customer_id:
        raise record_not_found(quote_id=quote_id)
    if row.taken_at is not None and once:
        raise SERVICE_QUOTE_TAKEN()
    if row.expires_at <= call.now:
        raise SERVICE_QUOTE_EXPIRED()
    if once:
        await ServiceQuoteRow.update(call.work, quote_id, {"taken_at": call.now})
    return _stored_quote(row)


def _stored_quote(row: ServiceQuoteRow) -> KeptServiceQuote:
    return KeptServiceQuote(
        id=row.id,
        service_id=row.service_id,
        customer_id=row.customer_id,
        values=row.values,
        details=row.details,
        price=msgspec.convert(row.price, ServicePrice),
        expires_at=row.expires_at,
    )


async def mark_service_used(call: Call, service_id: int) -> None:
    """Mark a service as ordered, so that it is not deleted.

    Runs in the transaction of the order.
    """
    await store.mark_service_used(call.work, service_id)
