"""Tables of services and their quotes."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, String, UniqueConstraint

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import Record, Reference
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
